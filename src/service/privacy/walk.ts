/** Walks a table in spans of its key, so that each transaction is short. */
import type { Db, Value } from '../../db/db.ts';

const ROWS_AT_ONCE = 2_000;

/** A table and the key that it is walked by. */
export interface Walked {
  table: string;
  key: string;
}

/** Returns conditions that together hold for all rows, each for at most so many. */
export async function spanConditions(db: Db, { table, key }: Walked): Promise<string[]> {
  const spans: string[] = [];
  let from: string | number | null = null;
  for (;;) {
    const params: Value[] = from === null ? [] : [from];
    const [end]: { k: string | number }[] = await db.read<{ k: string | number }>(
      `select ${key} as k from ${table} ${from === null ? '' : `where ${key} > $1`}
       order by ${key} limit 1 offset ${ROWS_AT_ONCE - 1}`,
      params,
    );
    const parts = [
      from === null ? '' : `${key} > ${literal(from)}`,
      end === undefined ? '' : `${key} <= ${literal(end.k)}`,
    ];
    spans.push(parts.filter((part) => part !== '').join(' and ') || '1 = 1');
    if (end === undefined) return spans;
    from = end.k;
  }
}

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
