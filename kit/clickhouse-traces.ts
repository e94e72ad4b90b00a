/** Searches the data of the test server of ClickHouse for texts that were erased. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestClickHouse } from './clickhouse.ts';

/** Returns what ClickHouse still has of the texts: in rows, also deleted ones and replaced ones, and in files. */
export async function findTraces(
  clickHouse: TestClickHouse,
  database: string,
  texts: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const look = (place: string, content: string): void => {
    for (const text of texts) if (content.includes(text)) found.push(`${text} in ${place}`);
  };
  const tables = (await clickHouse.query('show tables', database)).split('\n').filter((name) => name !== '');
  for (const name of tables)
    look(name, await clickHouse.query(`select * from ${name} settings apply_deleted_mask = 0`, database));
  const parts = await clickHouse.query(
    `select path from system.parts where active and database = '${database}'`,
    database,
  );
  for (const path of parts.split('\n').filter((line) => line !== '')) {
    for (const file of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
      const whole = join(path, file);
      if (statSync(whole).isFile()) look(file, readFileSync(whole, 'latin1'));
    }
  }
  for (const sql of await clickHouse.statements()) look(sql, sql);
  return found;
}
