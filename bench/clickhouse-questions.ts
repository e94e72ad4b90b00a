/** Questions to the columns in ClickHouse and in DuckDB, on the same decisions, in alternating rounds. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../src/db/postgres/db.ts';
import { Parquet } from '../src/decisions/history/archive/parquet.ts';
import { openColumns } from '../src/decisions/history/columns/columns.ts';
import { PublicIds } from '../src/decisions/ledger/public-ids.ts';
import { computeStatements } from '../src/reports/statements/compute.ts';
import { findBilled } from '../src/reports/statements/find.ts';
import { parsePeriod } from '../src/reports/statements/statement.ts';
import { type Ground, LICENSES } from './clickhouse-ground.ts';
import { type Figure, median, medianRatio, type PartOptions } from './figure.ts';
import { cpuMs } from './process.ts';
import { ALL } from './reports.ts';
import { type Postern, startPostern } from './service.ts';

const DAYS_MS = 30 * 86_400_000;
const ITEM = 500;
const STATEMENTS_S = 3;
const WITHIN_MS = 900_000;
/** No more rounds begin after as much of a question. */
const ROUNDS_MS = 20_000;

interface Question {
  what: string;
  path: string;
  mostMs?: number;
}

function questionsOf({ plan: { month } }: Ground): Question[] {
  const [start, end] = [month.to - DAYS_MS, month.to].map((at) => new Date(at).toISOString());
  const lists = '&limit=8&expand=trends&timezone=Europe/Berlin';
  const log = '/v1/access/decisions?limit=20';
  return [
    { what: 'the overview', path: ALL, mostMs: 2_000 },
    { what: 'the overview with trends', path: `${ALL}${lists}` },
    { what: 'thirty days of it', path: `/v1/analytics/usage?startDate=${start}&endDate=${end}`, mostMs: 300 },
    { what: 'one item', path: `${ALL}&contentId=article-${ITEM}`, mostMs: 150 },
    { what: 'the item asked for most', path: `${ALL}&contentId=article-1` },
    { what: 'the newest decisions of a requester', path: `${log}&requesterId=partner_${ITEM}`, mostMs: 50 },
    { what: 'the newest denied decisions', path: `${log}&allowed=false`, mostMs: 50 },
    { what: 'the newest decisions about an item', path: `${log}&contentId=article-${ITEM}`, mostMs: 50 },
  ];
}

/** Times of the rounds, ms: by the clock, and of processors. */
interface Took {
  wall: number[];
  cpu: number[];
}

export async function askedOverHttp(ground: Ground, enginePid: number, { quick, say }: PartOptions): Promise<Figure[]> {
  const { dataDir, columnsFile, url } = ground;
  const [own, other] = ['clickhouse', 'duckdb'].map((name) => join(dataDir, name)) as [string, string];
  for (const folder of [own, other]) mkdirSync(folder, { recursive: true });
  const env = { POSTERN_DATABASE_URL: url, POSTERN_MEMORY: '2048' };
  renameSync(columnsFile, join(other, 'columns.duckdb'));
  try {
    await using clickHouse = await startPostern({ dataDir: own, env: { ...env, POSTERN_COLUMNS: ground.clickHouse } });
    await using duckDb = await startPostern({ dataDir: other, env });
    await whenCounted([clickHouse, duckDb]);
    const sides: Side[] = [
      { postern: clickHouse, cpu: () => clickHouse.cpuMs() + cpuMs(enginePid) },
      { postern: duckDb, cpu: () => duckDb.cpuMs() },
    ];
    const figures: Figure[] = [];
    for (const question of questionsOf(ground)) {
      const [one, two] = (await ask(sides, question.path, quick ? 3 : 5)) as [Took, Took];
      figures.push(figureOf(question, one, two));
      say(
        `${question.what}: ${[one, two].map(({ wall, cpu }) => `${median(wall).toFixed(0)} ms, processor ${median(cpu).toFixed(0)} ms`).join(' beside ')}`,
      );
    }
    const memory = [clickHouse, duckDb].map((one) => one.residentMiB());
    return [
      ...figures,
      {
        what: 'resident memory of a node after the questions',
        value: memory[0] as number,
        unit: 'MiB',
        against: { what: 'DuckDB', value: memory[1] as number, ratio: (memory[0] as number) / (memory[1] as number) },
      },
    ];
  } finally {
    renameSync(join(other, 'columns.duckdb'), columnsFile);
  }
}

interface Side {
  postern: Postern;
  cpu(): number;
}

/** Asks both in turns; they must answer the same. */
async function ask(sides: readonly Side[], path: string, rounds: number): Promise<Took[]> {
  const took: Took[] = sides.map(() => ({ wall: [], cpu: [] }));
  const began = performance.now();
  for (let round = 0; round <= rounds; round++) {
    if (round > 1 && performance.now() - began > ROUNDS_MS) break;
    const answers: string[] = [];
    for (const [i, { postern, cpu }] of sides.entries()) {
      const [start, before] = [performance.now(), cpu()];
      const answer = await postern.get<object>(path).catch((error: unknown) => error);
      // The first round warms both. A report that is refused after ten seconds took as long.
      if (round === 0) continue;
      took[i]?.wall.push(performance.now() - start);
      took[i]?.cpu.push(cpu() - before);
      if (!(answer instanceof Error)) answers.push(JSON.stringify(answer));
    }
    if (answers.length === 2 && answers[0] !== answers[1])
      throw new Error(`${path}: the answers differ: ${answers.join('\n')}`);
  }
  return took;
}

/** While it is still counting, a question is refused. */
async function whenCounted(nodes: readonly Postern[]): Promise<void> {
  for (const node of nodes) {
    for (const until = performance.now() + WITHIN_MS; ; ) {
      const answer = await node.get('/v1/access/decisions?limit=1').catch((error: unknown) => error);
      if (!(answer instanceof Error)) break;
      if (performance.now() > until) throw answer;
    }
  }
}

function figureOf({ what, mostMs }: Question, own: Took, other: Took): Figure {
  const value = median(own.wall);
  const cpu = `${median(own.cpu).toFixed(0)} ms of processor time; DuckDB: ${median(other.cpu).toFixed(0)} ms`;
  return {
    what: `${what} (${cpu})`,
    value,
    unit: 'ms',
    against: { what: 'DuckDB', value: median(other.wall), ratio: medianRatio(own.wall, other.wall) },
    ...(mostMs === undefined ? {} : { target: { text: `≤ ${mostMs} ms`, met: value <= mostMs } }),
  };
}

/** The statements of a month, in the process, as the part `statements` measures them. */
export async function statementsOf(ground: Ground, { quick, say }: PartOptions): Promise<Figure[]> {
  const { plan, columnsFile, clickHouse } = ground;
  const db = await openPostgres(ground.url);
  const parquet = new Parquet(null, 64);
  const now = () => plan.month.to + 86_400_000;
  const deps = { db, parquet, ids: new PublicIds('a secret', { live: 7, test: 8 }), now };
  const took: [number[], number[]] = [[], []];
  let decisions = 0;
  try {
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const said: string[] = [];
      for (const [i, place] of [clickHouse, null].entries()) {
        const columns = openColumns({ records: ground.url, columnsFile, clickHouse: place, answerWithinMs: WITHIN_MS });
        try {
          await columns.bounds();
          const began = performance.now();
          const { billed } = await findBilled(db, { period: parsePeriod(plan.month.period) }, now());
          const computed = await computeStatements({ ...deps, columns }, billed, { recount: 'columns' });
          took[i as 0 | 1].push((performance.now() - began) / 1_000);
          if (computed.length !== LICENSES) throw new Error(`${computed.length} statements`);
          decisions = computed.reduce((sum, { statement }) => sum + statement.decisions, 0);
          said.push(JSON.stringify(computed.map(({ statement }) => statement)));
        } finally {
          await columns.close();
        }
      }
      if (said[0] !== said[1]) throw new Error('the statements differ');
      say(`statements: ${took.map((all) => `${all.at(-1)?.toFixed(2)} s`).join(' beside ')}`);
    }
  } finally {
    parquet.close();
    await db.close();
  }
  const [own, others] = took;
  const value = median(own);
  return [
    {
      what: `the statements of a month, of ${LICENSES.toLocaleString('en')} licenses with ${(decisions / 1_000_000).toFixed(1)} million decisions`,
      value,
      unit: 's',
      against: { what: 'DuckDB', value: median(others), ratio: medianRatio(own, others) },
      ...(plan.total < 10_000_000 ? {} : { target: { text: `≤ ${STATEMENTS_S} s`, met: value <= STATEMENTS_S } }),
    },
  ];
}
