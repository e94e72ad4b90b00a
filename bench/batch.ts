/**
 * Batches of 100 checks, every decision durable: what an installation carries when its askers collect their questions.
 * Not pinned: the service and the load share all cores, as "decisions a second per machine" has it.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';
import { FLOOR_HEADERS, startBareFastify, startDurable } from './floor/servers.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { type Loader, openLoader } from './load.ts';
import type { Running } from './process.ts';
import { summarizeProfiles } from './profile.ts';
import { createPolicy, HEADERS, startPostern, upsertItems } from './service.ts';
import { clockThreads, ROLES, type Role } from './threads.ts';

const ITEMS = 1_000;
const SIZE = 100;
const BATCHES = 200;
const CONNECTIONS = [4, 8, 16];
/** The ratio to the floor to reach. */
const LEAST = 0.65;

export const batchPart: Part = {
  name: 'batch',
  about: `Durable decisions in batches of ${SIZE}, not pinned`,
  async run({ quick, profile, say }) {
    using dir = temporaryFolder();
    const profileDir = profile ? join(dir.path, 'profiles') : undefined;
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), profileDir });
    const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i));
    await upsertItems(postern, items, await createPolicy(postern, 'Ten rules', TEN_RULES));
    const next = skewed(ITEMS, seeded(3));
    const checks = checksOf(SIZE * BATCHES, () => items[next()]?.externalId ?? '');
    const bodies = Array.from({ length: BATCHES }, (_, i) =>
      JSON.stringify({ checks: checks.slice(i * SIZE, (i + 1) * SIZE) }),
    );
    const answer = await postern.post('/v1/access/check/batch', JSON.parse(bodies[0] as string));
    const answerBytes = Buffer.byteLength(JSON.stringify(answer));
    await using fastify = await startBareFastify({ answerBytes });
    await using floor = await startDurable({ answerBytes, file: join(dir.path, 'floor.db') });

    await using loader = openLoader();
    const sides = { postern, fastify, floor };
    const measured: Measured[] = [];
    for (const connections of CONNECTIONS) {
      measured.push(await measure(sides, { loader, bodies, connections, quick }));
      const { ours, p99 } = measured.at(-1) as Measured;
      say(`${connections} connections: ${Math.round(median(ours))}/s, p99 ${median(p99).toFixed(1)} ms`);
    }
    if (profileDir !== undefined) {
      await postern.stop();
      say(summarizeProfiles(profileDir));
    }
    return {
      figures: measured.flatMap(figuresOf),
      notes: [
        'The bare Fastify server parses the same bodies and answers a constant of the same size.',
        'The floor answers the same once a row for each check is on disk; it looks nothing up and decides nothing.',
        ...measured.map(bottleneckOf),
      ],
    };
  },
};

/** Values of the rounds. */
interface Measured {
  connections: number;
  ours: number[];
  theirs: number[];
  least: number[];
  p99: number[];
  cpuUs: number[];
  shares: Shares[];
}

/** Shares of a core: of the threads of the service, of its event loop while it waited for a core, of the generator. */
type Shares = Record<Role | 'delayed' | 'generator', number>;

interface Load {
  loader: Loader;
  bodies: readonly string[];
  connections: number;
  quick: boolean;
}

async function measure(
  { postern, fastify, floor }: Record<'postern' | 'fastify' | 'floor', Running>,
  { loader, bodies, connections, quick }: Load,
): Promise<Measured> {
  const measured: Measured = { connections, ours: [], theirs: [], least: [], p99: [], cpuUs: [], shares: [] };
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const common = { bodies, connections, warmupMs: round === 0 ? 2000 : 300, measureMs: quick ? 1000 : 2000 };
    const path = '/v1/access/check/batch';
    const before = postern.cpuMs();
    const began = performance.now();
    const threads = clockThreads(postern.pid);
    const result = await loader.run({ port: postern.port, path, headers: HEADERS, ...common });
    measured.cpuUs.push(((postern.cpuMs() - before) / (result.answered * SIZE)) * 1000);
    measured.shares.push(sharesOf(threads(), performance.now() - began, result.ownCpu));
    const bare = { path: '/batch', headers: FLOOR_HEADERS, ...common };
    measured.theirs.push((await loader.run({ port: fastify.port, ...bare })).perSecond * SIZE);
    measured.least.push((await loader.run({ port: floor.port, ...bare })).perSecond * SIZE);
    measured.ours.push(result.perSecond * SIZE);
    measured.p99.push(result.p99Ms);
  }
  return measured;
}

function sharesOf(happened: Omit<Shares, 'generator'>, spanMs: number, generator: number): Shares {
  const shares = Object.entries(happened).map(([name, ms]) => [name, ms / spanMs]);
  return { ...Object.fromEntries(shares), generator } as Shares;
}

const NAMES: Record<Role, string> = {
  loop: 'the event loop',
  storage: 'storage',
  reader: 'the reader',
  columns: 'the columns',
  V8: "V8's helpers",
};

/** Says what keeps batches from being faster. */
function bottleneckOf({ connections, shares, cpuUs }: Measured): string {
  const share = (name: keyof Shares): number => median(shares.map((one) => one[name]));
  const percent = (value: number): string => `${Math.round(value * 100)} %`;
  const own = ROLES.map((role) => ({ name: NAMES[role], value: share(role) })).toSorted((a, b) => b.value - a.value);
  const threads = own.map(({ name, value }) => `${name} ${percent(value)}`).join(', ');
  const all = own.reduce((sum, { value }) => sum + value, share('generator'));
  const cores = availableParallelism();
  return (
    `${connections} connections, ${median(cpuUs).toFixed(1)} µs of processor time a decision in all threads. Of a core: ${threads}, ` +
    `the load generator ${percent(share('generator'))}; together ${all.toFixed(2)} of ${cores} cores. The busiest is ` +
    `${own[0]?.name}, which waited for a core ${percent(share('delayed'))} of the time.`
  );
}

function figuresOf({ connections, ours, theirs, least, p99, cpuUs }: Measured): Figure[] {
  const value = median(ours);
  const what = `durable decisions, ${connections} connections`;
  const against = (name: string, others: readonly number[]) => ({
    against: { what: name, value: median(others), ratio: medianRatio(ours, others) },
  });
  const beside = against('the floor', least);
  return [
    {
      what: `${what} (${median(cpuUs).toFixed(1)} µs of processor time each, p99 of a batch ${median(p99).toFixed(0)} ms)`,
      value,
      unit: '/s',
      ...beside,
      target: { text: `≥ ${LEAST}`, met: beside.against.ratio >= LEAST },
    },
    { what, value, unit: '/s', ...against('bare Fastify', theirs) },
  ];
}
