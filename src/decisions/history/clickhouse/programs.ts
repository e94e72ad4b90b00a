/** The names of programs and the sketches of their addresses, in ClickHouse. */
import { findProgram } from '../../../rules/crawlers/program.ts';
import type { SentBy } from '../columns/decision-row.ts';
import type { ProgramStore } from '../columns/program-addresses.ts';
import { FIXED_MAX, NOT_KEPT, openPrograms, type Programs, QUARTERS_A_DAY } from '../columns/programs.ts';
import { integer } from '../columns/sql.ts';
import { AGENT_NOT_KEPT, type Batch } from './batch.ts';
import { Bytes } from './bytes.ts';
import type { ClickHouse } from './store.ts';
import { type ShownColumns, table, withTables } from './tables.ts';
import { Texts } from './texts.ts';

/** User agents in memory. */
const AGENTS_MAX = 50_000;

/** All that a step has written so far, and its number. */
export interface Writing {
  shown: ShownColumns;
  step: number;
}

/** The programs of decisions that are in one tail after another, and are noted once. */
export interface NotedPrograms {
  /** The user agents in memory, for a batch to begin with. */
  agents(): Texts;
  /** Returns the numbers for the first rows of a batch. `isTail`: they come again later. */
  numbersOf(batch: Batch, rows: number, isTail?: boolean): Float64Array;
  /** Names the programs of the noted decisions, which are written. */
  name(): Promise<void>;
  /** Notes decisions again that come again: a block, or another writer, may have dropped the names of the tail. */
  again(): void;
  abandon(): void;
}

/** Programs by the places of their user agents. */
interface KnownAgents {
  programs: string[];
  numbers: number[];
}

export function notedPrograms(store: ClickHouse, getWriting: () => Writing): NotedPrograms {
  const programs = openPrograms(clickHousePrograms(store, getWriting));
  let noted = new Set<number>();
  let agents = new Texts();
  const known = new WeakMap<Texts, KnownAgents>();
  return {
    agents() {
      if (agents.count > AGENTS_MAX) agents = new Texts();
      return agents;
    },
    numbersOf(batch, rows, isTail = false) {
      const texts = batch.texts.agents;
      const own = known.get(texts) ?? { programs: [], numbers: [] };
      known.set(texts, own);
      readAgents(texts, own, programs);
      const numbers = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        const place = batch.agents[i] as number;
        const number = place === AGENT_NOT_KEPT ? NOT_KEPT : (own.numbers[place] as number);
        numbers[i] = number;
        if (number <= FIXED_MAX) continue;
        const seq = batch.seqs[i] as number;
        if (noted.has(seq)) continue;
        if (isTail && seq > 0) noted.add(seq);
        const at = batch.times[i] as number;
        programs.note(number, { program: own.programs[place] as string, at, address: addressAt(batch, i) });
      }
      return numbers;
    },
    name: () => programs.name(),
    again() {
      noted = new Set();
    },
    abandon() {
      programs.abandon();
      noted = new Set();
    },
  };
}

/** Finds the programs of user agents that are new. The first place is that of none. */
function readAgents(texts: Texts, { programs, numbers }: KnownAgents, { toNumber }: Programs): void {
  for (let place = numbers.length; place <= texts.count; place++) {
    const agent = place === 0 ? undefined : (JSON.parse(`"${texts.textAt(place)}"`) as string);
    programs.push(findProgram(agent));
    numbers.push(toNumber(programs[place]));
  }
}

/** Returns the address of a decision without a requester and a crawler. */
function addressAt({ inputs }: Batch, i: number): string | undefined {
  if (inputs.nulls[i] === 1) return undefined;
  const text = inputs.bytes.toString('utf8', inputs.startOf(i), inputs.ends[i]);
  return (JSON.parse(text) as SentBy).context?.ip;
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
