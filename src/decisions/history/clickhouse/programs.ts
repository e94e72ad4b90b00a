/** The names of programs and the sketches of their addresses, in ClickHouse. */
import type { DecisionRow } from '../columns/decision-row.ts';
import type { ProgramStore } from '../columns/program-addresses.ts';
import { FIXED_MAX, openPrograms, QUARTERS_A_DAY } from '../columns/programs.ts';
import { integer } from '../columns/sql.ts';
import { Bytes } from './bytes.ts';
import type { ClickHouse } from './store.ts';
import { type ShownColumns, table, withTables } from './tables.ts';

/** All that a step has written so far, and its number. */
export interface Writing {
  shown: ShownColumns;
  step: number;
}

/** The programs of decisions that are in the tail first and in a block later, and are noted once. */
export interface NotedPrograms {
  numberOf(row: DecisionRow): number;
  /** Names the programs of the noted decisions, which are written. */
  name(): Promise<void>;
  /** Decisions up to this number are in blocks. */
  settle(to: number): void;
  abandon(): void;
}

export function notedPrograms(store: ClickHouse, getWriting: () => Writing): NotedPrograms {
  const programs = openPrograms(clickHousePrograms(store, getWriting));
  let noted = new Set<number>();
  return {
    numberOf(row) {
      const isNoted = noted.has(row[0]);
      if (row[0] > 0) noted.add(row[0]);
      return programs.numberOf(row, isNoted);
    },
    name: () => programs.name(),
    settle(to) {
      noted = new Set([...noted].filter((seq) => seq > to));
    },
    abandon() {
      programs.abandon();
      noted = new Set();
    },
  };
}

function clickHousePrograms(store: ClickHouse, getWriting: () => Writing): ProgramStore {
  const read = async (sql: string): Promise<number[]> =>
    (await store.query(withTables(getWriting().shown, sql))).rows.map(([number]) => number as number);
  return {
    async named(numbers) {
      const list = numbers.map(integer).join(', ') || '0';
      return new Set(await read(`select number from programs where number in (${list})`));
    },
    frequent: (day, limit) =>
      read(
        `select program from decisions
         where quarter >= ${integer(day * QUARTERS_A_DAY)} and quarter < ${integer((day + 1) * QUARTERS_A_DAY)}
           and program > ${FIXED_MAX}
         group by program order by count(*) desc, program limit ${limit}`,
      ),
    async name(day, kept, fresh) {
      const list = kept.map(integer).join(', ') || '0';
      await dropPrograms(store, getWriting(), `day = ${integer(day)} and number not in (${list})`);
      const { step } = getWriting();
      const bytes = new Bytes();
      for (const [number, name] of fresh) bytes.int64(number).text(name).int32(day).int64(step).uint8(0);
      await store.insert(table('programs'), bytes.end());
      await dropSketches(store, getWriting(), 'number not in (select number from programs)');
    },
    nextLife: async () => (await read('select max(life) + 1 from program_addresses'))[0] ?? 1,
    async putSketches(life, day, sketches) {
      const { step } = getWriting();
      const bytes = new Bytes();
      for (const [program, text] of sketches)
        bytes.int64(program).int32(day).int32(life).text(text).int64(step).uint8(0);
      await store.insert(table('program_addresses'), bytes.end());
    },
  };
}

const dropPrograms = (store: ClickHouse, { shown, step }: Writing, where: string): Promise<void> =>
  store.run(
    `insert into ${table('programs')}
     ${withTables(shown, `select number, '', day, ${step}, 1 from programs where ${where}`)}`,
  );

const dropSketches = (store: ClickHouse, { shown, step }: Writing, where: string): Promise<void> =>
  store.run(
    `insert into ${table('program_addresses')}
     ${withTables(shown, `select number, day, life, '', ${step}, 1 from program_addresses where ${where}`)}`,
  );

/** Deletes names, and addresses of days, that no decision has any more. */
export async function dropUnused(store: ClickHouse, writing: Writing): Promise<void> {
  await dropPrograms(store, writing, `number > ${FIXED_MAX} and number not in (select program from decisions)`);
  const days = `select program, intDiv(quarter, ${QUARTERS_A_DAY}) from decisions`;
  await dropSketches(store, writing, `(number, day) not in (${days})`);
}
