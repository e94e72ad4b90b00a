/**
 * Measures webhooks in three ways. How soon do events reach 47 good receivers of 50, while one refuses connections,
 * one hangs and one streams forever? How many deliveries per second arrive, beside the same requests sent by undici
 * alone? What does a subscription to `access.denied` cost checks that are all denied, in alternating rounds on the
 * same core?
 */
import { join } from 'node:path';
import { Agent, request as send } from 'undici';
import { temporaryFolder } from '../kit/launch.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { checksOf, itemAt } from './inputs.ts';
import { type Loader, type LoadPlan, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { summarizeProfiles } from './profile.ts';
import { type Kind, openReceivers, type Received, type Receivers } from './receivers.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const RECEIVERS = 50;
const BAD: readonly Kind[] = ['dead', 'hanging', 'streaming'];
const GOOD = RECEIVERS - BAD.length;
const CHANGES_A_SECOND = 10;
const DELAY_MOST_MS = 2_000;
/** The service's limit for one endpoint. */
const AT_ONCE = 8;
const ITEMS = 1_000;
const BATCH = 100;
const SLOWER_MOST = 1.1;

export const webhooksPart: Part = {
  name: 'webhooks',
  about: `Deliveries to ${RECEIVERS} receivers, ${BAD.length} of them bad; checks with a subscription to access.denied`,
  async run(options) {
    const deliveries = await measureDeliveries(options);
    const checks = await measureChecks(options);
    return {
      figures: [...deliveries, ...checks.figures],
      notes: [
        'Delay: from the moment an event carries, which is just before its commit, until its receipt.',
        'Deliveries are not pinned; service, receivers and the bare client share all cores.',
        `With checks: ${checks.note}`,
      ],
    };
  },
};

async function measureDeliveries({ quick, profile, say }: PartOptions): Promise<Figure[]> {
  using dir = temporaryFolder();
  const profileDir = profile ? join(dir.path, 'profiles') : undefined;
  await using receivers = await openReceivers(Array.from({ length: RECEIVERS }, (_, i) => BAD[i] ?? 'good'));
  await using postern = await startPostern({
    dataDir: join(dir.path, 'data'),
    env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' },
    profileDir,
  });
  for (const url of receivers.urls) await postern.post('/v1/webhooks', { url, events: ['content.*'] });

  const changes = (quick ? 3 : 20) * CHANGES_A_SECOND;
  for (let i = 0; i < changes; i++) {
    const next = new Promise((resolve) => setTimeout(resolve, 1_000 / CHANGES_A_SECOND));
    await postern.post('/v1/content', itemAt(i, 'steady'));
    await next;
  }
  const steady = await received(receivers, changes * GOOD);
  say(`${steady.count} deliveries in step: p50 ${steady.p50Ms} ms, p99 ${steady.p99Ms} ms`);

  const size = quick ? 100 : 400;
  const rates: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    await receivers.reset();
    const items = Array.from({ length: size }, (_, i) => itemAt(i, `burst-${round}`));
    await postern.post('/v1/content/bulk-upsert', { items });
    const burst = await received(receivers, size * GOOD);
    rates.push((burst.count / burst.tookMs) * 1000);
    bare.push(await bareClient(receivers.urls.slice(BAD.length), size));
    say(`burst: ${Math.round(rates.at(-1) ?? 0)}/s, bare client ${Math.round(bare.at(-1) ?? 0)}/s`);
  }
  if (profileDir !== undefined) {
    await receivers[Symbol.asyncDispose]();
    await postern.stop();
    say(summarizeProfiles(profileDir));
  }
  return [
    {
      what: `delay to a good receiver, p99 (p50 ${steady.p50Ms} ms), ${CHANGES_A_SECOND} changes a second`,
      value: steady.p99Ms,
      unit: 'ms',
      target: { text: `≤ ${DELAY_MOST_MS} ms`, met: steady.p99Ms <= DELAY_MOST_MS },
    },
    {
      what: `deliveries of a burst of ${size} changes to ${GOOD} good receivers`,
      value: median(rates),
      unit: '/s',
      against: { what: 'undici alone', value: median(bare), ratio: medianRatio(rates, bare) },
    },
  ];
}

const RECEIVED_WITHIN_MS = 120_000;

async function received(receivers: Receivers, count: number): Promise<Received> {
  const giveUp = performance.now() + RECEIVED_WITHIN_MS;
  for (;;) {
    const report = await receivers.report();
    if (report.count >= count) return report;
    if (performance.now() > giveUp) throw new Error(`only ${report.count} of ${count} deliveries came`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The same number of posts of the same size to the same receivers, with nothing to sign, store or look up. */
async function bareClient(urls: readonly string[], count: number): Promise<number> {
  await using agent = { agent: new Agent(), [Symbol.asyncDispose]: () => agent.agent.destroy() };
  const body = JSON.stringify({ object: 'event', type: 'content.created', data: { object: itemAt(0) } });
  const headers = { 'content-type': 'application/json' };
  const began = performance.now();
  await Promise.all(
    urls.flatMap((url) =>
      Array.from({ length: AT_ONCE }, async () => {
        for (let i = 0; i < count / AT_ONCE; i++) {
          const answer = await send(url, { dispatcher: agent.agent, method: 'POST', headers, body });
          await answer.body.dump();
        }
      }),
    ),
  );
  return ((urls.length * count) / (performance.now() - began)) * 1000;
}

async function measureChecks({ quick, profile, say }: PartOptions): Promise<{ figures: Figure[]; note: string }> {
  using dir = temporaryFolder();
  const cores = splitCores();
  const profileDir = profile ? join(dir.path, 'profiles') : undefined;
  await using receivers = await openReceivers(['good'], cores.load);
  await using postern = await startPostern({
    dataDir: join(dir.path, 'data'),
    core: cores.server,
    env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' },
    profileDir,
  });
  const policyId = await createPolicy(postern, 'Closed', [{ action: 'deny', conditions: { default: true } }]);
  await upsertItems(
    postern,
    Array.from({ length: ITEMS }, (_, i) => itemAt(i)),
    policyId,
  );
  const [url] = receivers.urls;
  const { id } = await postern.post<{ id: string }>('/v1/webhooks', { url, events: ['access.denied'] });

  let turn = 0;
  const checks = checksOf(20_000, () => itemAt(turn++ % ITEMS).externalId);
  const single = checks.map((check) => JSON.stringify(check));
  const batches = Array.from({ length: checks.length / BATCH }, (_, i) =>
    JSON.stringify({ checks: checks.slice(i * BATCH, (i + 1) * BATCH) }),
  );
  await using loader = openLoader(cores.load);
  const bench: Bench = { postern, receivers, loader, id };
  const figures = [
    ...(await alternate(
      bench,
      { quick, say },
      {
        what: 'denied checks',
        size: 1,
        plan: { path: '/v1/access/check', bodies: single, connections: 64 },
      },
    )),
    ...(await alternate(
      bench,
      { quick, say },
      {
        what: `denied checks in batches of ${BATCH}`,
        size: BATCH,
        plan: { path: '/v1/access/check/batch', bodies: batches, connections: 8 },
      },
    )),
  ];
  if (profileDir !== undefined) {
    await postern.stop();
    say(summarizeProfiles(profileDir));
  }
  return { figures, note: cores.note };
}

interface Bench {
  postern: Postern;
  receivers: Receivers;
  loader: Loader;
  /** The webhook. */
  id: string;
}

interface Load {
  what: string;
  /** Checks in one request. */
  size: number;
  plan: Pick<LoadPlan, 'path' | 'bodies' | 'connections'>;
}

/** Measures rounds with and without the subscription, in alternating order. */
async function alternate(
  { postern, receivers, loader, id }: Bench,
  { quick, say }: Pick<PartOptions, 'quick' | 'say'>,
  { what, size, plan }: Load,
): Promise<Figure[]> {
  const rates: Record<string, number[]> = { active: [], disabled: [] };
  const p99s: Record<string, number[]> = { active: [], disabled: [] };
  const cpu: Record<string, number[]> = { active: [], disabled: [] };
  let delivered = 0;
  for (let round = 0; round < (quick ? 2 : 9); round++) {
    for (const status of round % 2 === 0 ? ['disabled', 'active'] : ['active', 'disabled']) {
      await setStatus(postern, id, status);
      await receivers.reset();
      const times = { warmupMs: round === 0 ? 2_000 : 500, measureMs: quick ? 1_000 : 4_000 };
      const cpuBefore = postern.cpuMs();
      const result = await loader.run({ ...plan, port: postern.port, headers: HEADERS, ...times });
      delivered += (await receivers.report()).count;
      rates[status]?.push(result.perSecond * size);
      p99s[status]?.push(result.p99Ms);
      cpu[status]?.push(((postern.cpuMs() - cpuBefore) / (result.answered * size)) * 1000);
      say(`${what}, ${status}: ${Math.round(result.perSecond * size)}/s, p99 ${result.p99Ms.toFixed(1)} ms`);
    }
  }
  say(`${delivered} deliveries meanwhile`);
  return compared(what, rates, p99s, cpu);
}

async function setStatus(postern: Postern, id: string, status: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${postern.port}/v1/webhooks/${id}`, {
    method: 'PATCH',
    headers: HEADERS,
    body: JSON.stringify({ status }),
  });
  if (!response.ok) throw new Error(await response.text());
}

type ByStatus = Record<string, number[]>;

function compared(what: string, rates: ByStatus, p99s: ByStatus, cpu: ByStatus): Figure[] {
  const figure = (name: string, unit: string, { active = [], disabled = [] }: ByStatus, slower: number): Figure => ({
    what: `${what}, ${name}with a subscription`,
    value: median(active),
    unit,
    against: { what: 'without', value: median(disabled), ratio: medianRatio(active, disabled) },
    target: { text: `at most ${SLOWER_MOST} times slower`, met: slower <= SLOWER_MOST },
  });
  const ratio = ({ active = [], disabled = [] }: ByStatus): number => medianRatio(active, disabled);
  return [
    figure('', '/s', rates, 1 / ratio(rates)),
    figure('p99 ', 'ms', p99s, ratio(p99s)),
    figure('processor time of one ', 'µs', cpu, ratio(cpu)),
  ];
}
