/**
 * Measures durable checks over HTTP on PostgreSQL with one, two and four nodes, beside the embedded storage, in
 * alternating rounds. Nodes, database (with a durable disk) and load share the same cores. One limit that all nodes
 * count is measured too.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { startPostgres } from '../kit/postgres.ts';
import { seeded, skewed } from '../kit/random.ts';
import type { Rule } from '../src/policies/policy.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { checksOf, type Item, itemAt, TEN_RULES } from './inputs.ts';
import { type Loader, openLoader } from './load.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const ITEMS = 1_000;
const CHECKS = 20_000;
const CONNECTIONS = 256;
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
    });
    const contenders = {
      embedded: of('embedded', [embedded], plain.embedded),
      one: of('one node', nodes.slice(0, 1), plain.nodes),
      two: of('two nodes', nodes.slice(0, 2), plain.nodes),
      hotEmbedded: of('embedded, one limit', [embedded], hot.embedded),
      hotOne: of('one node, one limit', nodes.slice(0, 1), hot.nodes),
      hotTwo: of('two nodes, one limit', nodes.slice(0, 2), hot.nodes),
      hotFour: of('four nodes, one limit', nodes, hot.nodes),
    };
    await measure(Object.values(contenders), options);
    return { figures: toFigures(contenders), notes: NOTES };
  },
};

const NOTES = [
  'Nothing is pinned: two nodes, or four, with database and load on the same cores show contention, not growth.',
  'A flush without limits is one trip of two statements; with limits two trips of eight. How many checks share one comes from the nodes’ metrics.',
];

type Contenders = Record<'embedded' | 'one' | 'two' | 'hotEmbedded' | 'hotOne' | 'hotTwo' | 'hotFour', Contender>;

function toFigures({ embedded: base, one, two, hotEmbedded, hotOne, hotTwo, hotFour }: Contenders): Figure[] {
  return [
    throughput(one, base, 0.4),
    throughput(two, base),
    p99(one, base),
    each(one, 'round trips of a check', 1),
    each(one, 'statements of a check', 2),
    throughput(hotOne, hotEmbedded),
    throughput(hotTwo, hotOne),
    throughput(hotFour, hotOne),
    p99(hotFour, hotOne),
    each(hotOne, 'round trips of a check', 2),
    each(hotOne, 'statements of a check', 8),
  ];
}

async function publishCatalog(postern: Postern, prefix: string, rules: readonly Rule[]): Promise<string[]> {
  const policyId = await createPolicy(postern, prefix, rules);
  const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i, prefix));
  await upsertItems(postern, items, policyId);
  const next = skewed(ITEMS, seeded(3));
  return checksOf(CHECKS, () => (items[next()] as Item).externalId).map((check) => JSON.stringify(check));
}

async function measure(contenders: readonly Contender[], { quick, say }: PartOptions): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const loaders: Loader[] = [0, 1].map(() => stack.use(openLoader()));
  const rounds = quick ? 1 : 5;
  for (let round = 0; round < rounds; round++) {
    for (const { name, nodes, bodies, perSecond, p99: late, checksAFlush } of contenders) {
      const warmupMs = round === 0 ? 3000 : 500;
      const measureMs = quick ? 1000 : 4000;
      const before = await flushesOf(nodes);
      const plan = { path: '/v1/access/check', headers: HEADERS, bodies, warmupMs, measureMs };
      const results = await Promise.all(
        nodes.map((node, i) =>
          (loaders[i] ?? stack.use((loaders[i] = openLoader()))).run({
            ...plan,
            port: node.port,
            connections: CONNECTIONS / nodes.length,
          }),
        ),
      );
      const answered = results.reduce((sum, result) => sum + result.answered, 0);
      perSecond.push(results.reduce((sum, result) => sum + result.perSecond, 0));
      late.push(Math.max(...results.map((result) => result.p99Ms)));
      checksAFlush.push(answered / ((await flushesOf(nodes)) - before));
      say(`round ${round + 1} ${name}: ${Math.round(perSecond.at(-1) ?? 0)}/s, p99 ${late.at(-1)?.toFixed(1)} ms`);
    }
  }
}

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
