/**
 * The service is killed at random while records change and webhooks are delivered, to endpoints of every kind. The
 * receiver outlives it. At the end, every committed change has an event that has arrived, and nothing else has.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Answer } from '../../kit/answer.ts';
import { EndedEarly, launch, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { pluck } from '../../kit/pluck.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import {
  answer,
  type Behaviour,
  hang,
  openReceiver,
  type Receiver,
  reset,
  streamForever,
  subscribe,
} from './receiver.ts';
import { cannotTrace, killAtFsync } from './strace.ts';

export interface WebhookKillOptions {
  kills: number;
  seed: number;
  tell?: (line: string) => void;
}

const LOAD_MAX_MS = 500;
const ANSWERS_MAX = 150;
const FSYNCS_MAX = 60;
const START_MAX_MS = 700;
const CLIENTS = 4;
const ARRIVED_WITHIN_MS = 180_000;
const EXPIRES_WITHIN_MS = 3_000;
/** An expiring license is announced soon, without a request. */
const ANNOUNCED_WITHIN_MS = 10_000;
const ENV = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };

const slowly: Behaviour = (response) => void setTimeout(() => response.writeHead(204).end(), Math.random() * 60);
/** Some events it takes at the second attempt only. */
const flaky: Behaviour = (response, attempt, eventId) =>
  void response.writeHead(attempt === 1 && eventId.endsWith('0') ? 503 : 200).end();

/** Endpoints that must receive everything in the end, with their subscriptions. */
const HEALTHY: Record<string, { behaviour: Behaviour; events: string[] }> = {
  quick: { behaviour: answer(200), events: ['*'] },
  slow: { behaviour: slowly, events: ['*'] },
  flaky: { behaviour: flaky, events: ['content.*', 'license.*'] },
};
const SICK: Record<string, Behaviour> = {
  failing: answer(500),
  redirecting: answer(307, { location: '/elsewhere' }),
  hanging: hang,
  streaming: streamForever,
  resetting: reset,
};

interface Event {
  id: string;
  type: string;
  created: string;
  data: { object: { id: string; externalId?: string; title?: string; expiresAt?: string | null } };
}

/** Requests by the mark that their event carries: whether they were answered with success. */
interface Asked {
  created: Map<string, boolean>;
  updated: Map<string, boolean>;
  /** Ids of decisions that were answered. */
  denied: Set<string>;
  /** Marks of edits that were refused. */
  refused: Set<string>;
  items: string[];
  answered: number;
}

export async function runWebhookKills({ kills, seed, tell = () => {} }: WebhookKillOptions): Promise<object> {
  const random = seeded(seed);
  using folder = temporaryFolder();
  await using receiver = await openReceiver();
  receiver.behave('elsewhere', (response) => void response.writeHead(500).end());
  const key = newTestKey();
  const starting = (wrap: readonly string[] = []): Running => launch({ dataDir: folder.path, key, env: ENV, wrap });
  const start = async (): Promise<Running> => {
    const service = starting();
    await service.ready;
    return service;
  };
  const asked: Asked = {
    created: new Map(),
    updated: new Map(),
    denied: new Set(),
    refused: new Set(),
    items: [],
    answered: 0,
  };
  const figures = { kills: 0, startKills: 0, fsyncKills: 0, terminated: 0 };
  const traceable = cannotTrace() === undefined;
  let service = await start();
  try {
    const webhooks = await subscribeAll(receiver, service);
    await setStage(service);
    while (figures.kills < kills) {
      const signal = random.chance(0.04) ? 'SIGTERM' : 'SIGKILL';
      await loadUntilKilled(service, asked, random, figures.kills, signal);
      figures.kills++;
      if (signal === 'SIGTERM') figures.terminated++;
      while (figures.kills < kills && random.chance(0.2)) {
        // Killed before it is ready, or just after: expiries of the time it was down, deliveries of before.
        const early = starting();
        await new Promise((resolve) => setTimeout(resolve, random.int(0, START_MAX_MS)));
        await early.end('SIGKILL');
        figures.kills++;
        figures.startKills++;
      }
      if (figures.kills < kills && traceable && random.chance(0.3)) {
        await loadUntilFsync(starting(killAtFsync(random.int(8, FSYNCS_MAX))), asked, random, figures.kills);
        figures.kills++;
        figures.fsyncKills++;
      }
      service = await start();
      assert.deepEqual(receiver.faults, []);
      if (figures.kills % 20 === 0) tell(`${figures.kills} kills, ${asked.answered} edits answered`);
    }
    const found = await verify(service, receiver, asked, webhooks, folder.path, random);
    return { ...figures, answered: asked.answered, ...found };
  } catch (error) {
    throw new Error(
      `with seed ${seed}, after ${figures.kills} kills: ${(error as Error).message}\n${service.output().slice(-2000)}`,
      { cause: error },
    );
  } finally {
    await service.end('SIGKILL');
  }
}

async function subscribeAll(receiver: Receiver, service: Running): Promise<Map<string, string>> {
  const webhooks = new Map<string, string>();
  for (const [name, { behaviour, events }] of Object.entries(HEALTHY)) {
    receiver.behave(name, behaviour);
    webhooks.set(name, await subscribe(receiver, service.ask, name, events));
  }
  for (const [name, behaviour] of Object.entries(SICK)) {
    receiver.behave(name, behaviour);
    await subscribe(receiver, service.ask, name, ['*']);
  }
  return webhooks;
}

async function setStage(service: Running): Promise<void> {
  await succeed(service.ask('POST', '/v1/requesters', { body: { id: 'holder' } }));
  const body = { name: 'closed', rules: [], defaultAction: 'deny' };
  const policy = await succeed(service.ask('POST', '/v1/policies', { body }));
  await succeed(service.ask('POST', '/v1/content', { body: { ...article('closed'), policyId: policy.body.id } }));
}

async function succeed(asking: Promise<Answer>): Promise<Answer> {
  const reply = await asking;
  assert.ok(reply.status < 300, reply.text);
  return reply;
}

const article = (externalId: string, title = externalId) => ({
  externalId,
  title,
  type: 'article',
  source: 'https://example.com/a',
});

async function loadUntilKilled(
  service: Running,
  asked: Asked,
  random: Random,
  round: number,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  let over = false;
  const running = Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const own = seeded(random.int(0, 2 ** 31));
      for (let n = 0; !over; n++) if (!(await act(service, asked, own, `${round}.${i}.${n}`))) return;
    }),
  );
  // Half of the kills at a random time, half at an answer, just after a commit.
  const moment = random.chance(0.5)
    ? new Promise((resolve) => setTimeout(resolve, random.int(0, LOAD_MAX_MS)))
    : answers(asked, random.int(1, ANSWERS_MAX), () => over);
  await Promise.race([moment, running]);
  over = true;
  const end = await service.end(signal);
  await running;
  if (signal === 'SIGTERM' && end.code !== 0) throw new Error(`SIGTERM ended it with ${end.code ?? end.signal}`);
}

/** Works with a service that ends itself at one of its fsyncs: between the transactions, wherever they are. */
async function loadUntilFsync(service: Running, asked: Asked, random: Random, round: number): Promise<void> {
  const mark = `fsync ${round}`;
  try {
    await service.ready;
    for (let n = 0; await act(service, asked, random, `${mark}.${n}`); n++);
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error;
  } finally {
    await service.end('SIGKILL');
  }
}

/** Settles in the turn in which so many more requests have been answered. */
async function answers(asked: Asked, count: number, over: () => boolean): Promise<void> {
  const goal = asked.answered + count;
  while (asked.answered < goal && !over()) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends a request; returns false when the connection broke. */
async function act(service: Running, asked: Asked, random: Random, mark: string): Promise<boolean> {
  const ask = async (method: string, path: string, body: unknown, status: number): Promise<Answer | undefined> => {
    let reply: Answer;
    try {
      reply = await service.ask(method, path, { body });
    } catch {
      return undefined;
    }
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    asked.answered++;
    return reply;
  };
  const kind = random.next();
  if (kind < 0.35 || asked.items.length === 0) {
    asked.created.set(mark, false);
    if ((await ask('POST', '/v1/content', article(mark), 201)) === undefined) return false;
    asked.created.set(mark, true);
    asked.items.push(mark);
  } else if (kind < 0.6) {
    asked.updated.set(mark, false);
    const path = `/v1/content/${random.pick(asked.items)}`;
    if ((await ask('PATCH', path, { title: mark }, 200)) === undefined) return false;
    asked.updated.set(mark, true);
  } else if (kind < 0.75) {
    const body = {
      requesterId: 'holder',
      type: mark,
      expiresAt: new Date(Date.now() + random.int(50, EXPIRES_WITHIN_MS)).toISOString(),
    };
    if ((await ask('POST', '/v1/licenses', body, 201)) === undefined) return false;
  } else if (kind < 0.85) {
    const reply = await ask('POST', '/v1/access/check', { contentId: 'closed', purpose: mark }, 200);
    if (reply === undefined) return false;
    asked.denied.add(reply.body.id as string);
  } else {
    // Refused at the last step, in the transaction or before it: it must have no event.
    asked.refused.add(mark);
    const again = { ...article(random.pick(asked.items)), title: mark };
    return (await ask('POST', '/v1/content', again, 409)) !== undefined;
  }
  return true;
}

async function verify(
  service: Running,
  receiver: Receiver,
  asked: Asked,
  webhooks: Map<string, string>,
  dataDir: string,
  random: Random,
): Promise<object> {
  const count = async (type: string): Promise<number> =>
    (await succeed(service.ask('GET', `/v1/events?limit=1&type=${type}`))).body.totalCount;
  const given = await count('license.created');
  await until(
    'every licence that ran out is announced',
    () => count('license.expired'),
    EXPIRES_WITHIN_MS + ANNOUNCED_WITHIN_MS,
    (announced) => announced >= given,
  );
  const events = await listEvents(service);
  checkCommitted(events, asked);
  checkItems(dataDir, events, asked);

  const wanted = (name: string): Event[] => {
    const { events: patterns = [] } = HEALTHY[name] ?? {};
    return events.filter(({ type }) => patterns.some((one) => one === '*' || type.startsWith(one.slice(0, -1))));
  };
  const missing = (name: string): string[] =>
    wanted(name).flatMap(({ id, type }) => (receiver.taken(name).has(id) ? [] : `${id} ${type}`));
  for (const name of Object.keys(HEALTHY)) {
    await until(`everything arrives at ${name}`, async () => missing(name).slice(0, 5), ARRIVED_WITHIN_MS, isEmpty);
    const known = new Set(wanted(name).map(({ id }) => id));
    assert.deepEqual(
      [...receiver.taken(name)].filter((id) => !known.has(id)),
      [],
      `${name} heard of something else`,
    );
  }
  const known = new Map(events.map((event) => [event.id, event]));
  for (const [id, body] of receiver.bodies) assert.deepEqual(JSON.parse(body), known.get(id), `body of ${id}`);
  assert.deepEqual(receiver.arrivals('elsewhere'), [], 'a redirect was followed');
  assert.deepEqual(receiver.faults, []);
  await checkDeliveries(service, webhooks, wanted, random);

  const arrivals = Object.keys(HEALTHY).map((name) => receiver.arrivals(name).length);
  const taken = Object.keys(HEALTHY).map((name) => receiver.taken(name).size);
  const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);
  return { events: events.length, deliveries: sum(taken), sentAgain: sum(arrivals) - sum(taken) };
}

const isEmpty = (list: unknown[]): boolean => list.length === 0;

async function listEvents(service: Running): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await succeed(service.ask('GET', `/v1/events?limit=100${cursor}`));
    events.push(...(body.data as Event[]));
    if (!body.hasMore) return events;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** An answered request has one event, a refused one none, a broken one at most one. */
function checkCommitted(events: Event[], { created, updated, denied, refused }: Asked): void {
  const marks = (kind: string, of: (object: Event['data']['object']) => string | undefined): string[] =>
    events.filter(({ type }) => type === kind).map(({ data }) => of(data.object) ?? '');
  const compare = (what: string, found: string[], sent: Map<string, boolean>): void => {
    assert.equal(new Set(found).size, found.length, `${what}: an event twice`);
    const there = new Set(found);
    for (const [mark, answered] of sent) if (answered) assert.ok(there.has(mark), `${what} ${mark} has no event`);
    for (const mark of found) assert.ok(sent.has(mark), `${what} ${mark}: nobody asked for it`);
  };
  const others = (mark: string | undefined): boolean => mark !== 'closed';
  compare('created', marks('content.created', ({ externalId }) => externalId).filter(others), created);
  compare(
    'updated',
    marks('content.updated', ({ title }) => title),
    updated,
  );
  for (const { data } of events) assert.ok(!refused.has(data.object.title ?? ''), 'an event of a refused edit');
  const announced = marks('access.denied', ({ id }) => id);
  assert.equal(new Set(announced).size, announced.length, 'a decision announced twice');
  for (const id of denied) assert.ok(announced.includes(id), `decision ${id} has no event`);
  const expired = marks('license.expired', ({ id }) => id).toSorted();
  assert.deepEqual(expired, marks('license.created', ({ id }) => id).toSorted(), 'each expiry once');
}

/** An item is there exactly when it has an event, edited as often as it has events. */
function checkItems(dataDir: string, events: Event[], { created }: Asked): void {
  const edits = new Map<string, number>();
  for (const { type, data } of events) {
    const { externalId = '' } = data.object;
    if (type.startsWith('content.')) edits.set(externalId, (edits.get(externalId) ?? 0) + 1);
  }
  using file = new DatabaseSync(join(dataDir, 'postern.db'), { readOnly: true });
  const rows = file.prepare('select external_id, revision from content').all();
  const revisions = new Map(rows.map((row) => [row.external_id, row.revision]));
  for (const mark of created.keys()) assert.equal(edits.get(mark), revisions.get(mark), `events of item ${mark}`);
}

/** An event is one delivery to a webhook, over all restarts. */
async function checkDeliveries(
  service: Running,
  webhooks: Map<string, string>,
  wanted: (name: string) => Event[],
  random: Random,
): Promise<void> {
  for (const [name, id] of webhooks) {
    for (let i = 0; i < 30; i++) {
      const event = random.pick(wanted(name));
      const { data } = await until(
        `the delivery of ${event.id} to ${name} is settled`,
        async () => (await succeed(service.ask('GET', `/v1/webhooks/${id}/deliveries?eventId=${event.id}`))).body,
        ARRIVED_WITHIN_MS,
        (found) => found.data.every(({ status }: { status: string }) => status !== 'pending'),
      );
      assert.deepEqual(pluck(data, 'status'), ['succeeded'], `deliveries of ${event.id} to ${name}`);
    }
  }
}
