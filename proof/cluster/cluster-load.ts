/**
 * Clients use up limits through all nodes at once, with single checks and batches, some with an `Idempotency-Key` and
 * some of those through two nodes at the same time. Then the decisions are read from the database and compared with the
 * answers: none is lost or duplicated, outcomes agree, and no window of a limit's length holds more admissions than the
 * limit. Each node's usage report counts exactly these. Quotas of licenses are counted a second time (see quotas).
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import { decodeReason, type Reason } from '../../src/rules/reason.ts';
import {
  type Ask,
  amend,
  QuotaBooks,
  type QuotaHolder,
  quotaItems,
  setQuotaHolders,
  setQuotaItems,
} from '../quotas.ts';
import type { ClusterNode, Nodes } from './nodes.ts';

const CLIENTS = 24;
const BATCH = 100;
const ITEMS = 4;
const REQUESTERS = 10;
/** A node that was stopped does not answer: whether it will have recorded is unknown. */
export const ANSWER_WITHIN_MS = 4_000;

/** Items by number: the limit of the policy each is under. */
const LIMITS = [
  { requests: 40, period: 'second', scope: 'global' },
  { requests: 500, period: 'minute', scope: 'global' },
  { requests: 7, period: 'second', scope: 'requester' },
  { requests: 30_000, period: 'day', scope: 'content' },
] as const;
const LENGTH_MS = { second: 1_000, minute: 60_000 };

/** The answers to each check of a request. */
export interface Asked {
  outcomes: Uint8Array;
  /** The key of a request with an Idempotency-Key. */
  kept?: Kept;
}

/** A request with an Idempotency-Key and its answer, once known: every further answer must be the same text. */
interface Kept {
  single: boolean;
  body: object;
  text: string | null;
}

/** The fields of an answer, beside its outcome, that are compared with the row. */
interface Told {
  id: string;
  reason: Reason | null;
  rateLimit: { remaining: number } | null;
  quota: { units: number; used: number } | null;
}

/** The items, and the holders of quotas. */
export interface Stage {
  /** The ids of items by their number. */
  items: readonly string[];
  holders: readonly QuotaHolder[];
}
/** About how many units a quota includes. */
const UNITS = 1_500;
const UNKNOWN = 0;
const ALLOWED = 1;
const DENIED = 2;

export interface Load {
  asked: readonly Asked[];
  holders: readonly QuotaHolder[];
  figures: { checks: number; acknowledged: number; unknown: number; refused: number; twice: number };
  /** Repeats requests with an Idempotency-Key: those whose answer was lost, and some that were answered. */
  repeat(node: ClusterNode, answered: number): Promise<number>;
  /** Sends another check through this node; returns whether it was answered. */
  decides(node: ClusterNode): Promise<boolean>;
  /** Settles when all clients have ended; rejects with what one of them was not to see. */
  ended: Promise<unknown>;
  stop(): void;
}

/** Every answer is 200, or 503 with when to come back, or none. */
export function startLoad(cluster: Nodes, { items, holders }: Stage, random: Random): Load {
  const asked: Asked[] = [];
  const figures = { checks: 0, acknowledged: 0, unknown: 0, refused: 0, twice: 0 };
  /** The number of checks that were sent for a holder. */
  const askedOf = new Map<string, number>();
  let over = false;

  async function client(own: Random): Promise<void> {
    while (!over) {
      const alive = cluster.alive();
      const node = alive[own.int(0, alive.length - 1)];
      if (node === undefined) {
        await pause(20);
        continue;
      }
      // Some of them come together around the edge of a second.
      if (own.chance(0.2)) await pause(Math.max(0, 997 - (Date.now() % 1000)));
      const index = submit(own, own.chance(0.3) ? 1 : BATCH, own.chance(0.4));
      // The same request in flight through two nodes, as when a client retries too soon.
      const { kept } = asked[index] as Asked;
      const others = kept !== undefined && own.chance(0.5) ? [own.pick(alive)] : [];
      figures.twice += others.length;
      const answered = await Promise.all([node, ...others].map((one) => send(one, index)));
      if (!answered.includes(true)) await pause(20);
    }
  }

  const bodies = new Map<number, object>();

  function pick(own: Random): { contentId: string; requesterId: string } {
    if (own.chance(0.6)) {
      return { contentId: items[own.int(0, ITEMS - 1)] as string, requesterId: `r${own.int(0, REQUESTERS - 1)}` };
    }
    const { requesterId } = own.pick(holders);
    askedOf.set(requesterId, (askedOf.get(requesterId) ?? 0) + 1);
    return { contentId: own.pick(quotaItems), requesterId };
  }

  /** Changes the terms of some, again and again. */
  async function amendAll(own: Random): Promise<void> {
    const changing = holders.filter(({ licenses }) => licenses[0]?.isAmended === true);
    while (!over) {
      await pause(own.int(200, 2_000));
      const [node, holder] = [cluster.alive().at(own.int(0, 1)), own.pick(changing)];
      if (node === undefined) continue;
      // In doubt, the next edit is of the same terms or later ones.
      await amend(askOf(node), holder, askedOf.get(holder.requesterId) ?? 0, own).catch(ignoreLost);
    }
  }

  /** A request by its number, before it is sent. */
  function submit(own: Random, size: number, isKept: boolean): number {
    const index = asked.length;
    const wanted = Array.from({ length: size }, (_, i) => ({ ...pick(own), purpose: `t${index}.${i}` }));
    const single = size === 1;
    const body = (single ? wanted[0] : { checks: wanted }) as object;
    if (!isKept) bodies.set(index, body);
    asked.push({ outcomes: new Uint8Array(size), ...(isKept ? { kept: { single, body, text: null } } : {}) });
    figures.checks += size;
    return index;
  }

  /** Returns whether the node answered. */
  async function send(node: ClusterNode, index: number): Promise<boolean> {
    const { outcomes, kept } = asked[index] as Asked;
    const size = outcomes.length;
    const path = size === 1 ? '/v1/access/check' : '/v1/access/check/batch';
    const given = kept === undefined ? { body: bodies.get(index) } : { body: kept.body, idempotencyKey: `k${index}` };
    bodies.delete(index);
    let reply: Awaited<ReturnType<typeof node.running.ask>>;
    try {
      const answer = node.running.ask('POST', path, given);
      answer.catch(() => {});
      reply = await Promise.race([answer, pause(ANSWER_WITHIN_MS, undefined, { ref: false }).then(gaveUp)]);
    } catch {
      if (kept?.text == null) figures.unknown += size;
      return false;
    }
    if (reply.status === 503 || (kept !== undefined && reply.status === 409)) {
      if (reply.status === 409) assert.equal(reply.body.error.code, 'idempotency_key_in_use', reply.text);
      assert.ok(reply.headers.get('retry-after') !== null, `a ${reply.status} says when to come back`);
      figures.refused += size;
      return false;
    }
    assert.equal(reply.status, 200, reply.text);
    if (kept?.text != null) {
      assert.equal(reply.text, kept.text, `request ${index} was answered in two ways`);
      return true;
    }
    if (kept !== undefined) kept.text = reply.text;
    for (const [i, decision] of (size === 1 ? [reply.body] : reply.body.data).entries()) {
      // One that was refused in the middle of the batch: nothing of it was recorded.
      if (decision.error !== undefined) {
        assert.equal(decision.error.code, 'service_unavailable', JSON.stringify(decision));
        continue;
      }
      assert.equal(decision.recorded, true);
      outcomes[i] = decision.allowed ? ALLOWED : DENIED;
      figures.acknowledged++;
    }
    return true;
  }

  async function repeat(node: ClusterNode, answered: number): Promise<number> {
    const all = [...asked.entries()].flatMap(([index, { kept }]) => (kept === undefined ? [] : [{ index, kept }]));
    const lost = all.filter(({ kept }) => kept.text === null);
    const known = all.filter(({ kept }) => kept.text !== null).toSorted(() => random.next() - 0.5);
    const repeated = [...lost, ...known.slice(0, answered)];
    for (const { index } of repeated) {
      const again = () => send(node, index);
      await until(`an answer to request ${index}`, again, ANSWER_WITHIN_MS * 3);
    }
    return repeated.length;
  }

  const clients = Array.from({ length: CLIENTS }, () => client(seeded(random.int(0, 2 ** 31))));
  clients.push(amendAll(seeded(random.int(0, 2 ** 31))));
  return {
    asked,
    holders,
    figures,
    decides: (node) => send(node, submit(random, 1, false)),
    repeat,
    ended: Promise.all(clients),
    stop() {
      over = true;
    },
  };
}

export const askOf =
  (node: ClusterNode): Ask =>
  (method, path, body) =>
    node.running.ask(method, path, body === undefined ? {} : { body });

/** Answers that never came are no fault; wrong ones are. */
function ignoreLost(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error;
}

function gaveUp(): never {
  throw new Error('gave up waiting');
}

/** `withinMs` may be over: then it has to be ready now. */
export async function isReady(node: ClusterNode, withinMs: number): Promise<void> {
  await until(
    `node ${node.index} is ready`,
    async () => {
      if (node.stopped) return 200;
      return node.running.ask('GET', '/readyz').then(
        ({ status }) => status,
        () => 0,
      );
    },
    withinMs,
    (status) => status === 200 || node.stopped,
  );
}

export async function setStage(cluster: Nodes): Promise<Stage> {
  const [node] = cluster.nodes as [ClusterNode];
  const items: string[] = [];
  for (const [i, rateLimit] of LIMITS.entries()) {
    const policy = await node.running.ask('POST', '/v1/policies', {
      body: { name: `p${i}`, rules: [{ action: 'allow', rateLimit }] },
    });
    assert.equal(policy.status, 201, policy.text);
    const item = { title: `i${i}`, type: 'article', source: `https://example.org/${i}`, externalId: `i${i}` };
    const content = await node.running.ask('POST', '/v1/content', { body: { ...item, policyId: policy.body.id } });
    assert.equal(content.status, 201, content.text);
    items.push(content.body.id);
  }
  await setQuotaItems(askOf(node));
  const holders = await setQuotaHolders(askOf(node), { name: 'holder', units: UNITS, changing: true });
  return { items, holders };
}

const ROWS_AT_ONCE = 20_000;

/** Every row once, against what was answered; admissions of each limit against its number. */
export async function readBooks(cluster: Nodes, databaseUrl: string, load: Load) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const quotas = new QuotaBooks();
    quotas.add(load.holders);
    const figures = await compareBooks(client, load.asked, quotas);
    return { ...figures, ...(await compareQuotas(cluster, client, { quotas, holders: load.holders })) };
  } finally {
    // Left open it would end this process when its database goes, and hide what was found.
    await client.end();
  }
}

async function compareQuotas(
  cluster: Nodes,
  client: Client,
  { quotas, holders }: { quotas: QuotaBooks; holders: readonly QuotaHolder[] },
) {
  const { rows } = await client.query(
    `select e.object_id, e.kind, d.object from events e left join change_data d on d.id = e.id
     where e.kind in ('license.threshold_reached', 'license.quota_exceeded')`,
  );
  const notices = rows.map(({ object_id, kind, object }) => ({
    licenseId: object_id as string,
    kind: kind as string,
    threshold: JSON.parse(object).threshold ?? null,
  }));
  for (const node of cluster.nodes) await quotas.peek(askOf(node), holders);
  const [node] = cluster.nodes as [ClusterNode];
  const licenses = await quotas.compare(askOf(node), notices, holders);
  return { quotas: licenses, quotaRows: quotas.rows, quotaUses: quotas.allowed, notices: notices.length };
}

async function compareBooks(client: Client, asked: readonly Asked[], quotas: QuotaBooks) {
  const admitted = new Map<string, number[]>();
  const seen = asked.map(({ outcomes }) => new Uint8Array(outcomes.length));
  let rows = 0;
  let allowed = 0;
  let unknownKept = 0;
  let overAdmitted = 0;
  for (let after = '0'; ; ) {
    const { rows: page } = await client.query(
      `select d.seq, d.at, d.requester_id, d.license_id, d.reason, d.limit_remaining, d.quota, d.purpose, c.external_id as item
       from decisions d join content c on c.no = d.content_no where d.seq > $1 order by d.seq limit ${ROWS_AT_ONCE}`,
      [after],
    );
    for (const row of page) {
      rows++;
      const [, index, i] = /^t(\d+)\.(\d+)$/.exec(row.purpose) as unknown as [string, string, string];
      const times = seen[Number(index)] as Uint8Array;
      assert.equal(++(times[Number(i)] as number), 1, `check ${index}.${i} is there twice`);
      times[Number(i)] = 1;
      const outcome = row.reason === 0 ? ALLOWED : DENIED;
      const told = asked[Number(index)]?.outcomes[Number(i)];
      if (told === UNKNOWN) unknownKept++;
      else assert.equal(outcome, told, `check ${index}.${i} was answered otherwise than it is recorded`);
      assertKept(asked[Number(index)]?.kept, Number(i), row);
      quotas.take({
        seq: Number(row.seq),
        at: Number(row.at),
        reason: row.reason,
        requesterId: row.requester_id,
        licenseId: row.license_id,
        item: row.item,
        quota: row.quota,
      });
      if (outcome === DENIED) continue;
      allowed++;
      if (!row.item.startsWith('i')) continue;
      const number = Number(row.item.slice(1));
      const key = LIMITS[number]?.scope === 'requester' ? `${number} ${row.requester_id}` : String(number);
      const log = admitted.get(key) ?? [];
      admitted.set(key, log);
      log.push(Number(row.at));
    }
    if (page.length < ROWS_AT_ONCE) break;
    after = page.at(-1).seq;
  }
  for (const [index, { outcomes }] of asked.entries()) {
    for (const [i, told] of outcomes.entries()) {
      if (told !== UNKNOWN) assert.equal(seen[index]?.[i], 1, `the acknowledged check ${index}.${i} is lost`);
    }
  }
  for (const [key, times] of admitted) {
    const { requests, period } = LIMITS[Number(key.split(' ')[0])] as (typeof LIMITS)[number];
    times.sort((a, b) => a - b);
    for (let i = requests; i < times.length; i++) {
      const first = times[i - requests] as number;
      const last = times[i] as number;
      const within =
        period === 'day'
          ? Math.floor(first / 86_400_000) === Math.floor(last / 86_400_000)
          : last - first <= LENGTH_MS[period];
      if (within) overAdmitted++;
    }
  }
  assert.equal(overAdmitted, 0, `${overAdmitted} admissions too many`);
  return { rows, allowed, unknownKept, limits: admitted.size };
}

interface StoredRow {
  seq: string;
  reason: number;
  limit_remaining: string | null;
  quota: string | null;
}

/** The answer that is kept says of each check what its row says: one decision, in both. */
function assertKept(kept: Kept | undefined, i: number, row: StoredRow) {
  if (kept?.text == null) return;
  const body = JSON.parse(kept.text);
  const { id, reason, rateLimit, quota } = (kept.single ? body : body.data[i]) as Told;
  const [units, used] = JSON.parse(row.quota ?? '[]') as number[];
  const left = row.limit_remaining === null ? undefined : Number(row.limit_remaining);
  const inRow = [Number(row.seq), decodeReason(row.reason), left, units, used];
  assert.deepEqual(
    [parseDecisionId(id)?.seq, reason, rateLimit?.remaining, quota?.units, quota?.used],
    inRow,
    `${id} was answered otherwise than it is recorded`,
  );
}

/** Each node counts what is in the database, to the unit. */
export async function assertUsage(cluster: Nodes, rows: number, allowed: number): Promise<void> {
  for (const node of cluster.nodes) {
    const { body, text } = await until(
      'a usage report',
      () => node.running.ask('GET', '/v1/analytics/usage?period=all'),
      60_000,
      ({ status }) => status === 200,
    );
    assert.deepEqual([body.summary.totalRequests, body.summary.allowed], [rows, allowed], text.slice(0, 500));
  }
}
