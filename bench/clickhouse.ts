/**
 * Measures the columns in ClickHouse beside those in DuckDB, on the same decisions: the writer, whole and by parts;
 * bytes on disk; the questions through HTTP; the statements of a month; and what a check costs.
 * `POSTERN_BENCH_DECISIONS` says how many decisions, such as `10000000,100000000` for two sizes; else ten million. The
 * newest tenth of them, at most a million, goes through the writer; each engine fills in the older ones itself, in the
 * same form. Each figure is shown as it is measured, and a section that fails leaves the others theirs.
 */
import { join } from 'node:path';
import { TestClickHouse } from '../kit/clickhouse.ts';
import { temporaryFolder } from '../kit/launch.ts';
import { startPostgres, type TestPostgres } from '../kit/postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/db.ts';
import { table } from '../src/decisions/history/clickhouse/tables.ts';
import { openColumns } from '../src/decisions/history/columns/columns.ts';
import { checksBeside } from './clickhouse-checks.ts';
import {
  addDecisions,
  addNames,
  addRecords,
  fillClickHouse,
  fillDuckDb,
  type Ground,
  planOf,
} from './clickhouse-ground.ts';
import { askedOverHttp, statementsOf } from './clickhouse-questions.ts';
import { writerParts } from './clickhouse-writer.ts';
import type { Figure, Part, PartOptions, Result } from './figure.ts';

const RECORDS = 1_000_000;
const USUAL_TOTAL = 10_000_000;
const LEAST_A_SECOND = 300_000;
const MOST_BYTES = 12;
const WITHIN_MS = 1_800_000;

export const clickHousePart: Part = {
  name: 'clickhouse',
  about: 'The columns in ClickHouse beside those in DuckDB, on the same decisions',
  async run(options) {
    // The processes of the servers do not keep this one from ending while it waits for them.
    const timer = setInterval(() => {}, 60_000);
    try {
      return await measured(options);
    } finally {
      clearInterval(timer);
    }
  },
};

async function measured(options: PartOptions): Promise<Result> {
  const sizes = (process.env.POSTERN_BENCH_DECISIONS ?? String(options.quick ? 1_000_000 : USUAL_TOTAL)).split(',');
  const gathered = new Gathered(options);
  const postgres = await startPostgres({ max_wal_size: '4GB' });
  await using server = await new TestClickHouse().start();
  for (const one of sizes) await measureSize(Number(one), { postgres, server, gathered, several: sizes.length > 1 });
  await gathered.section('checks', () => checksBeside(postgres, server, options));
  const notes = [
    'On 100,000 items, by 101,000 requesters, of which 1,000 have licenses; one in ten is about a URL. The newest, at most a million, are in PostgreSQL and went through the writer; each engine filled in the older ones, ten million a month.',
    'ClickHouse is its engine in a process of its own (26.7, kit/clickhouse), which answers over HTTP like a server. All share the cores of the machine.',
  ];
  return { figures: gathered.figures, notes: [...notes, ...gathered.notes] };
}

/** The figures so far. */
class Gathered {
  readonly options: PartOptions;
  readonly figures: Figure[] = [];
  readonly notes: string[] = [];

  constructor(options: PartOptions) {
    this.options = options;
  }

  /** Shows figures as they come. A section that fails becomes a note. */
  async section(name: string, work: () => Promise<readonly Figure[]>): Promise<void> {
    try {
      const seconds = await secondsOf(async () => {
        for (const figure of await work()) {
          this.figures.push(figure);
          const { what, value, unit, target } = figure;
          const met = target === undefined ? '' : `, target ${target.text}${target.met ? '' : ' missed'}`;
          this.options.say(`${what}: ${value.toPrecision(4)} ${unit}${met}`);
        }
      });
      this.options.say(`(${name} took ${seconds.toFixed(0)} s)`);
    } catch (error) {
      this.notes.push(`${name} failed: ${(error as Error).message.slice(0, 200)}`);
      this.options.say(this.notes.at(-1) as string);
    }
  }
}

interface Sizing {
  postgres: TestPostgres;
  server: TestClickHouse;
  gathered: Gathered;
  /** More than one size is measured: figures say theirs. */
  several: boolean;
}

async function measureSize(total: number, { postgres, server, gathered, several }: Sizing): Promise<void> {
  const { options } = gathered;
  const { say } = options;
  const records = Math.min(RECORDS, Math.floor(total / 10));
  const plan = planOf(total, Date.now());
  using dir = temporaryFolder();
  await using database = await newRecords(postgres);
  const dataDir = join(dir.path, 'data');
  const clickHouse = await server.newDatabase();
  const ground = { url: database.url, clickHouse, dataDir, columnsFile: join(dir.path, 'columns.duckdb'), plan };
  const name = new URL(clickHouse).pathname.slice(1);
  await caughtUp(ground);
  await addNames(ground.url);
  const to = total - records;
  const filled = await secondsOf(() => fillClickHouse(server, { database: name, url: ground.url, plan, to }));
  say(`ClickHouse has ${to} decisions, filled in ${filled.toFixed(0)} s`);
  await addDecisions(ground.url, plan, to - 1, total);
  say(`PostgreSQL has ${records} decisions`);
  const millions = `${total / 1_000_000} million decisions`;
  const section = (what: string, work: () => Promise<readonly Figure[]>): Promise<void> =>
    gathered.section(`${what} of ${millions}`, async () =>
      (await work()).map((figure) => (several ? { ...figure, what: `of ${millions}: ${figure.what}` } : figure)),
    );
  await section('parts of writing', () => writerParts(ground, { after: to, server, options }));
  await section('writing', async () => writing(records, await secondsOf(() => caughtUp(ground))));
  await section('size', async () => [size(await bytesOf(server, name, options), total)]);
  const filledFile = await secondsOf(() => fillDuckDb(ground.columnsFile, plan, to));
  say(`DuckDB has ${to} decisions, filled in ${filledFile.toFixed(0)} s`);
  await section('questions', () => askedOverHttp(ground, server.pid, options));
  await section('statements', () => statementsOf(ground, options));
  await server.query(`drop database ${name} sync`, 'default');
}

async function newRecords(postgres: TestPostgres): Promise<AsyncDisposable & { url: string }> {
  const database = await postgres.newDatabase();
  const db = await openPostgres(database.url);
  await migrate(db, Date.now());
  await db.close();
  await addRecords(database.url);
  return database;
}

/** Opens the columns in ClickHouse and closes them when they have all that PostgreSQL has. */
async function caughtUp({ url, clickHouse, columnsFile }: Ground): Promise<void> {
  const problems: string[] = [];
  const columns = openColumns({
    records: url,
    columnsFile,
    clickHouse,
    answerWithinMs: WITHIN_MS,
    onProblem: (problem) => problems.push(problem),
  });
  try {
    await columns.bounds();
  } finally {
    await columns.close();
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

function writing(records: number, seconds: number): Figure[] {
  const value = records / seconds;
  return [
    {
      what: `writing, from PostgreSQL until a question is answered, of ${records / 1_000_000} million decisions`,
      value,
      unit: '/s',
      target: { text: `≥ ${LEAST_A_SECOND.toLocaleString('en')}/s`, met: value >= LEAST_A_SECOND },
    },
  ];
}

/** Returns the bytes of the table's parts on the disk, once nothing is merged any more. */
async function bytesOf(server: TestClickHouse, database: string, { say }: PartOptions): Promise<number> {
  const ofTable = `database = '${database}' and table = '${table('decisions')}'`;
  const [bytes, parts] = (
    await server.query(
      `select sum(bytes_on_disk), count() from system.parts where active and ${ofTable} format TSV`,
      database,
    )
  ).split('\t');
  const columns = await server.query(
    `select arrayStringConcat(groupArray(concat(name, ' ', toString(round(data_compressed_bytes / greatest(1, (select sum(rows)
       from system.parts where active and ${ofTable})), 2)))), ', ')
     from (select name, data_compressed_bytes from system.columns where ${ofTable} order by data_compressed_bytes desc)`,
    database,
  );
  say(`${bytes} bytes in ${parts} parts; of a decision by column: ${columns}`);
  return Number(bytes);
}

function size(bytes: number, total: number): Figure {
  const value = bytes / total;
  return {
    what: 'bytes on disk of a decision in ClickHouse',
    value,
    unit: 'B',
    target: { text: `≤ ${MOST_BYTES} B`, met: value <= MOST_BYTES },
  };
}
