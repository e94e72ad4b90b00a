/**
 * Measures durable single checks over HTTP at 64 connections: key, validation, ten rules, decision on disk, answer. On
 * the same core, in alternating rounds, run a bare Fastify server and bare node:http, which only parse and answer, and
 * the floor: a bare Fastify server that answers once a row as long as a decision is on disk. What Postern costs beyond
 * the floor is its own.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { FLOOR_HEADERS, startBareFastify, startBareHttp, startDurable } from './floor/servers.ts';
import { checksOf, type Item, itemAt, LIMITED_RULES, TEN_RULES } from './inputs.ts';
import { type LoadPlan, type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import type { Running } from './process.ts';
import { summarizeProfiles } from './profile.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const ITEMS = 1_000;
const CHECKS = 20_000;
const CONNECTIONS = 64;

/** A server that takes turns with the others. */
export interface Contender {
  name: string;
  server: Running;
  plan: Pick<LoadPlan, 'path' | 'headers' | 'bodies' | 'status'>;
  /** Processor time of its database so far, where that is counted. */
  databaseMs?: () => number;
  results: (LoadResult & { cpuUs: number; databaseUs: number })[];
}

export const checkPart: Part = {
  name: 'check',
  about: `One durable check over HTTP at ${CONNECTIONS} connections, ten rules, ${ITEMS} items asked for with skew`,
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    const profileDir = options.profile ? join(dir.path, 'profiles') : undefined;
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server, profileDir });
    const items = await loadCatalogue(postern, 'article', 'Ten rules', TEN_RULES);
    const limited = await loadCatalogue(postern, 'limited', 'Ten rules with limits', LIMITED_RULES);
    const answer = await postern.post('/v1/access/check', items.checks[0]);
    const answerBytes = Buffer.byteLength(JSON.stringify(answer));

    await using fastify = await startBareFastify({ core: cores.server, answerBytes });
    await using http = await startBareHttp({ core: cores.server, answerBytes });
    await using floor = await startDurable({ core: cores.server, answerBytes, file: join(dir.path, 'floor.db') });
    const path = '/v1/access/check';
    const bodies = items.checks.map((check) => JSON.stringify(check));
    const limitedBodies = limited.checks.map((check) => JSON.stringify(check));
    const contenders: Contender[] = [
      contender('Postern', postern, { path, headers: HEADERS, bodies }),
      contender('bare Fastify', fastify, { path: '/check', headers: FLOOR_HEADERS, bodies }),
      contender('bare node:http', http, { path: '/check', headers: FLOOR_HEADERS, bodies }),
      contender('Postern with limits', postern, { path, headers: HEADERS, bodies: limitedBodies }),
      contender('the floor', floor, { path: '/check', headers: FLOOR_HEADERS, bodies }),
    ];
    const notes = [cores.note, `Bodies of ${meanBytes(bodies)} bytes on average, answers of ${answerBytes}.`];
    await measure(contenders, cores.load, options);
    if (profileDir !== undefined) {
      await postern.stop();
      options.say(summarizeProfiles(profileDir));
    }
    const busiest = Math.max(...contenders.flatMap(({ results }) => results.map((result) => result.ownCpu)));
    notes.push(FLOOR);
    notes.push('Processor time counts all threads of the server; what else the machine does moves it least.');
    notes.push(`The load generator took at most ${Math.round(busiest * 100)} % of its core.`);
    return { figures: figuresOf(contenders), notes };
  },
};

const FLOOR =
  'The floor: a bare Fastify server that answers once a row as long as a decision is on disk. A thread commits groups of ' +
  'rows to SQLite with the pragmas of the service. It has no keys, looks nothing up and decides nothing.';

export const contender = (name: string, server: Running, plan: Contender['plan']): Contender => ({
  name,
  server,
  plan,
  results: [],
});

const meanBytes = (bodies: readonly string[]): number =>
  Math.round(bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length);

export async function loadCatalogue(postern: Postern, prefix: string, name: string, rules: typeof TEN_RULES) {
  const policyId = await createPolicy(postern, name, rules);
  const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i, prefix));
  await upsertItems(postern, items, policyId);
  const next = skewed(ITEMS, seeded(3));
  const checks = checksOf(CHECKS, () => (items[next()] as Item).externalId);
  return { policyId, checks };
}

export async function measure(
  contenders: Contender[],
  core: number | null,
  { quick, say }: PartOptions,
): Promise<void> {
  await using loader = openLoader(core);
  const rounds = quick ? 2 : 7;
  for (let round = 0; round < rounds; round++) {
    for (const { name, server, plan, results, databaseMs = () => 0 } of contenders) {
      const warmupMs = round === 0 ? 3000 : 500;
      const measureMs = quick ? 1000 : 4000;
      const before = { own: server.cpuMs(), database: databaseMs() };
      const result = await loader.run({ ...plan, port: server.port, connections: CONNECTIONS, warmupMs, measureMs });
      const each = (ms: number): number => (ms / result.answered) * 1000;
      const cpuUs = each(server.cpuMs() - before.own);
      results.push({ ...result, cpuUs, databaseUs: each(databaseMs() - before.database) });
      say(`round ${round + 1} ${name}: ${Math.round(result.perSecond)}/s, p99 ${result.p99Ms.toFixed(2)} ms`);
    }
  }
}

/** Ratios to reach. */
interface Goal {
  leastThroughput?: number;
  mostP99?: number;
}

interface Cost {
  what: string;
  unit: string;
  of: (one: Contender) => number[];
}

/** Returns the difference between two servers, as the median of the rounds. */
const beyond = (what: string, values: readonly number[], others: readonly number[]): Figure => ({
  what,
  value: median(values.map((value, round) => value - (others[round] as number))),
  unit: 'µs',
});

function figuresOf([postern, fastify, http, limited, floor]: Contender[]): Figure[] {
  if (postern === undefined || fastify === undefined || http === undefined) return [];
  if (limited === undefined || floor === undefined) return [];
  const perSecond = (one: Contender): number[] => one.results.map((result) => result.perSecond);
  const cpu = (one: Contender): number[] => one.results.map((result) => result.cpuUs);
  const p50 = (one: Contender): number[] => one.results.map((result) => result.p50Ms);
  const p99 = (one: Contender): number[] => one.results.map((result) => result.p99Ms);
  const throughput = (one: Contender, other: Contender, least?: number): Figure => {
    const ratio = medianRatio(perSecond(one), perSecond(other));
    return {
      what: one === postern ? 'durable checks' : 'durable checks, limits counted',
      value: median(perSecond(one)),
      unit: '/s',
      against: { what: other.name, value: median(perSecond(other)), ratio },
      ...(least === undefined ? {} : { target: { text: `≥ ${least}`, met: ratio >= least } }),
    };
  };
  const cost = ({ what, unit, of }: Cost, other: Contender, most?: number): Figure => {
    const ratio = medianRatio(of(postern), of(other));
    return {
      what,
      value: median(of(postern)),
      unit,
      against: { what: other.name, value: median(of(other)), ratio },
      ...(most === undefined ? {} : { target: { text: `≤ ${most}`, met: ratio <= most } }),
    };
  };
  const everything = (other: Contender, goal: Goal = {}): Figure[] => [
    throughput(postern, other, goal.leastThroughput),
    cost({ what: 'p50', unit: 'ms', of: p50 }, other),
    cost({ what: 'p99', unit: 'ms', of: p99 }, other, goal.mostP99),
    cost({ what: 'processor time of a check', unit: 'µs', of: cpu }, other),
  ];
  return [
    ...everything(floor, { leastThroughput: 0.85, mostP99: 1.4 }),
    throughput(limited, floor, 0.75),
    ...everything(fastify),
    ...everything(http),
    beyond('processor time of durability alone: the floor beyond bare Fastify', cpu(floor), cpu(fastify)),
    beyond('processor time of Postern beyond the floor', cpu(postern), cpu(floor)),
  ];
}
