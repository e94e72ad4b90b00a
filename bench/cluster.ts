/**
 * Measures durable checks over HTTP on PostgreSQL with one, two and four nodes, beside the embedded storage, in
 * alternating rounds. Nodes, database (with a durable disk) and load share the same cores. One limit that all nodes
 * count is measured too; beside as many nodes without a limit, it shows what the limit costs. The nodes are set up as
 * `deploy/nodes.sh` does.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { startPostgres } from '../kit/postgres.ts';
import { seeded, skewed } from '../kit/random.ts';
import type { Rule } from '../src/rules/policy.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { checksOf, type Item, itemAt, TEN_RULES } from './inputs.ts';
import { type Loader, openLoader } from './load.ts';
import { databaseClock } from './process.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const ITEMS = 1_000;
const CHECKS = 20_000;
const CONNECTIONS = 256;
const WARM_CHECKS = 20_000;
/** Short, so that a quiet machine is needed for two minutes only. */
const MEASURE_MS = 1_500;
/** Never reached, counted at every check by all nodes. */
const HOT_RULES: readonly Rule[] = [
  { action: 'allow', rateLimit: { requests: 100_000_000, period: 'hour', scope: 'global' } },
];

interface Contender {
  name: string;
  nodes: readonly Postern[];
  bodies: readonly string[];
  perSecond: number[];
  p99: number[];
  /** Checks in one transaction. */
  checksAFlush: number[];
  /** Processor time of a check in µs: of its nodes, all threads, and of the database. */
  nodeUs: number[];
  databaseUs: number[];
}

export const clusterPart: Part = {
  name: 'cluster',
  about: `One durable check over HTTP at ${CONNECTIONS} connections in all, on PostgreSQL and embedded`,
  async run(options) {
    using dir = temporaryFolder();
    const server = await startPostgres();
    await using database = await server.newDatabase();
    const startNode = (name: string, env: Record<string, string>): Promise<Postern> => {
      const dataDir = join(dir.path, name);
      mkdirSync(dataDir);
      return startPostern({ dataDir, env });
    };
    await using stack = new AsyncDisposableStack();
    const embedded = stack.use(await startNode('embedded', {}));
    const nodes: Postern[] = [];
    for (let i = 0; i < 4; i++) {
      nodes.push(stack.use(await startNode(`node-${i}`, { POSTERN_DATABASE_URL: database.url })));
    }
    const [first] = nodes as [Postern];
    const plain = {
      embedded: await publishCatalog(embedded, 'plain', TEN_RULES),
      nodes: await publishCatalog(first, 'plain', TEN_RULES),
    };
    const hot = {
      embedded: await publishCatalog(embedded, 'hot', HOT_RULES),
      nodes: await publishCatalog(first, 'hot', HOT_RULES),
    };
    const of = (name: string, some: readonly Postern[], bodies: readonly string[]): Contender => ({
      name,
      nodes: some,
      bodies,
      perSecond: [],
      p99: [],
      checksAFlush: [],
      nodeUs: [],
      databaseUs: [],
    });
    const contenders = {
      embedded: of('embedded', [embedded], plain.embedded),
      one: of('one node', nodes.slice(0, 1), plain.nodes),
      two: of('two nodes', nodes.slice(0, 2), plain.nodes),
      four: of('four nodes', nodes, plain.nodes),
      hotEmbedded: of('embedded, one limit', [embedded], hot.embedded),
      hotOne: of('one node, one limit', nodes.slice(0, 1), hot.nodes),
      hotTwo: of('two nodes, one limit', nodes.slice(0, 2), hot.nodes),
      hotFour: of('four nodes, one limit', nodes, hot.nodes),
    };
    if (!options.quick) {
      await Promise.all(nodes.map((node) => warm(node, [...plain.nodes, ...hot.nodes])));
      await warm(embedded, [...plain.embedded, ...hot.embedded]);
    }
    await measure(Object.values(contenders), await databaseClock(database.url), options);
    return { figures: [...toFigures(contenders), memoryOf(nodes)], notes: NOTES };
  },
};

const NOTES = [
  'Nothing is pinned: two nodes, or four, with database and load on the same cores show contention, not growth.',
  `Each node has answered ${WARM_CHECKS} checks before: a node that is compiling its code costs several times as much.`,
  'A flush is one trip of three statements, with limits too. How many checks share one comes from the nodes’ metrics.',
];

type Contenders = Record<
  'embedded' | 'one' | 'two' | 'four' | 'hotEmbedded' | 'hotOne' | 'hotTwo' | 'hotFour',
  Contender
>;

function toFigures({ embedded: base, one, two, four, hotEmbedded, hotOne, hotTwo, hotFour }: Contenders): Figure[] {
  return [
    throughput(one, base, 0.4),
    throughput(two, base),
    throughput(four, one),
    processor(four, one),
    inDatabase(four),
    processor(one, base, 1 / 0.9),
    inDatabase(one),
    p99(one, base),
    each(one, 'round trips of a check', 1),
    each(one, 'statements of a check', 3),
    throughput(hotOne, hotEmbedded),
    processor(hotOne, hotEmbedded, 1 / 0.9),
    inDatabase(hotOne),
    throughput(hotTwo, hotOne),
    throughput(hotFour, hotOne, 1),
    throughput(hotFour, four),
    processor(hotFour, hotOne),
    inDatabase(hotFour),
    p99(hotFour, hotOne),
    each(hotOne, 'round trips of a check', 1),
    each(hotOne, 'statements of a check', 3),
    each(hotFour, 'round trips of a check', 1),
  ];
}

/** After the load. */
const memoryOf = (nodes: readonly Postern[]): Figure => ({
  what: 'memory of a node',
  value: median(nodes.map((node) => node.residentMiB())),
  unit: 'MiB',
});

async function warm(node: Postern, bodies: readonly string[]): Promise<void> {
  await using loader = openLoader();
  const plan = { path: '/v1/access/check', headers: HEADERS, bodies, connections: 64, warmupMs: 0, measureMs: 1000 };
  for (let answered = 0; answered < WARM_CHECKS; ) {
    answered += (await loader.run({ ...plan, port: node.port })).answered;
  }
}

async function publishCatalog(postern: Postern, prefix: string, rules: readonly Rule[]): Promise<string[]> {
  const policyId = await createPolicy(postern, prefix, rules);
  const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i, prefix));
  await upsertItems(postern, items, policyId);
  const next = skewed(ITEMS, seeded(3));
  return checksOf(CHECKS, () => (items[next()] as Item).externalId).map((check) => JSON.stringify(check));
}

async function measure(
  contenders: readonly Contender[],
  databaseMs: () => number,
  { quick, say }: PartOptions,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const loaders: Loader[] = [0, 1, 2, 3].map(() => stack.use(openLoader()));
  const rounds = quick ? 1 : 7;
  for (let round = 0; round < rounds; round++) {
    for (const one of contenders) {
      await measureOne(one, loaders, databaseMs, quick ? 1000 : MEASURE_MS);
      say(`round ${round + 1} ${sentenceOf(one)}`);
    }
  }
}

async function measureOne(
  one: Contender,
  loaders: readonly Loader[],
  databaseMs: () => number,
  measureMs: number,
): Promise<void> {
  const { nodes, bodies } = one;
  const before = { flushes: await flushesOf(nodes), nodes: processorMs(nodes), database: databaseMs() };
  const plan = { path: '/v1/access/check', headers: HEADERS, bodies, warmupMs: 500, measureMs };
  const results = await Promise.all(
    nodes.map((node, i) =>
      (loaders[i] as Loader).run({ ...plan, port: node.port, connections: CONNECTIONS / nodes.length }),
    ),
  );
  const answered = results.reduce((sum, result) => sum + result.answered, 0);
  one.nodeUs.push(((processorMs(nodes) - before.nodes) * 1000) / answered);
  one.databaseUs.push(((databaseMs() - before.database) * 1000) / answered);
  one.perSecond.push(results.reduce((sum, result) => sum + result.perSecond, 0));
  one.p99.push(Math.max(...results.map((result) => result.p99Ms)));
  one.checksAFlush.push(answered / ((await flushesOf(nodes)) - before.flushes));
}

function sentenceOf({ name, perSecond, p99: late, nodeUs, databaseUs, checksAFlush }: Contender): string {
  const last = (values: readonly number[], digits = 1): string => (values.at(-1) ?? Number.NaN).toFixed(digits);
  const spent = `${last(nodeUs)} µs in nodes and ${last(databaseUs)} µs in the database`;
  return `${name}: ${last(perSecond, 0)}/s, p99 ${last(late)} ms, ${spent}, ${last(checksAFlush)} checks a flush`;
}

const processorMs = (nodes: readonly Postern[]): number => nodes.reduce((sum, node) => sum + node.cpuMs(), 0);

async function flushesOf(nodes: readonly Postern[]): Promise<number> {
  const texts = await Promise.all(
    nodes.map(({ port }) => fetch(`http://127.0.0.1:${port}/metrics`).then((one) => one.text())),
  );
  return texts.reduce((sum, text) => sum + Number(/^postern_ledger_flushes_total (\d+)/m.exec(text)?.[1]), 0);
}

function throughput(one: Contender, other: Contender, least?: number): Figure {
  const ratio = medianRatio(one.perSecond, other.perSecond);
  return {
    what: `durable checks, ${one.name}`,
    value: median(one.perSecond),
    unit: '/s',
    against: { what: other.name, value: median(other.perSecond), ratio },
    ...(least === undefined ? {} : { target: { text: `≥ ${least}`, met: ratio >= least } }),
  };
}

function processor(one: Contender, other: Contender, most?: number): Figure {
  const ratio = medianRatio(one.nodeUs, other.nodeUs);
  return {
    what: `processor time of a check, ${one.name}`,
    value: median(one.nodeUs),
    unit: 'µs',
    against: { what: other.name, value: median(other.nodeUs), ratio },
    ...(most === undefined ? {} : { target: { text: `≤ ${most.toFixed(2)}`, met: ratio <= most } }),
  };
}

const inDatabase = (one: Contender): Figure => ({
  what: `processor time of a check in the database, ${one.name}`,
  value: median(one.databaseUs),
  unit: 'µs',
});

const p99 = (one: Contender, other: Contender): Figure => ({
  what: `p99, ${one.name}`,
  value: median(one.p99),
  unit: 'ms',
  against: { what: other.name, value: median(other.p99), ratio: medianRatio(one.p99, other.p99) },
});

const each = (one: Contender, what: string, ofAFlush: number): Figure => ({
  what: `${what}, ${one.name}`,
  value: ofAFlush / median(one.checksAFlush),
  unit: '',
});
