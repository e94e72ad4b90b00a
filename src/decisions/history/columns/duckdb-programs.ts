/** The names of programs and the sketches of their addresses, in DuckDB. */
import { BIGINT, type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { readColumns } from './duckdb-reader.ts';
import type { ProgramStore } from './program-addresses.ts';
import { FIXED_MAX, QUARTERS_A_DAY } from './programs.ts';
import { integer } from './sql.ts';

export function duckDbPrograms(writer: DuckDBConnection): ProgramStore {
  return {
    async named(numbers) {
      const list = listValue(numbers.map(BigInt));
      const sql = 'select number::double from programs where number in (select unnest($1))';
      const [found = []] = await (await writer.run(sql, [list], [LIST(BIGINT)])).getColumns();
      return new Set(found as number[]);
    },
    async frequent(day, limit) {
      const [numbers = []] = await readColumns(
        writer,
        `select program::double from decisions
         where quarter >= ${integer(day * QUARTERS_A_DAY)} and quarter < ${integer((day + 1) * QUARTERS_A_DAY)}
           and program > ${FIXED_MAX}
         group by program order by count(*) desc, program limit ${limit}`,
      );
      return numbers as number[];
    },
    async name(day, kept, fresh) {
      await writer.run(
        `delete from programs where day = ${integer(day)} and number not in (select unnest($1))`,
        [listValue(kept.map(BigInt))],
        [LIST(BIGINT)],
      );
      await writer.run('delete from program_addresses where number not in (select number from programs)');
      await writer.run(
        `insert into programs select unnest($1), unnest($2), ${integer(day)}`,
        [listValue(fresh.map(([number]) => BigInt(number))), listValue(fresh.map(([, name]) => name))],
        [LIST(BIGINT), LIST(VARCHAR)],
      );
    },
    async nextLife() {
      const [next] = await readColumns(writer, 'select coalesce(max(life), 0)::double + 1 from program_addresses');
      return next?.[0] as number;
    },
    async putSketches(life, day, sketches) {
      const numbers = listValue(sketches.map(([program]) => BigInt(program)));
      await writer.run(
        `delete from program_addresses where life = ${integer(life)} and number in (select unnest($1))`,
        [numbers],
        [LIST(BIGINT)],
      );
      await writer.run(
        `insert into program_addresses select unnest($1), ${integer(day)}, ${integer(life)}, unnest($2)`,
        [numbers, listValue(sketches.map(([, text]) => text))],
        [LIST(BIGINT), LIST(VARCHAR)],
      );
    },
  };
}

/** Deletes names, and addresses of days, that no decision has any more. Returns whether there were any names. */
export async function dropUnusedPrograms(writer: DuckDBConnection): Promise<boolean> {
  const deleted = await writer.run(
    `delete from programs where number > ${FIXED_MAX} and number not in (select distinct program from decisions)`,
  );
  await writer.run(
    `delete from program_addresses
     where (number, day) not in (select distinct program, quarter // ${QUARTERS_A_DAY} from decisions)`,
  );
  return deleted.rowsChanged > 0;
}
