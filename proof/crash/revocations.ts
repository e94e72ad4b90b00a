/**
 * Access is revoked through one node and tried on the others, under load: keys revoked and expiring, licenses revoked,
 * requesters suspended, rules narrowed, items archived. A request sent to another node a second after the answer is
 * refused.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../kit/answer.ts';
import type { Ask } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { type ClusterNode, startTestCluster } from '../cluster/nodes.ts';

const BOUND_MS = 1_000;
/** An expiry needs no news. What the node's idea of the database's clock may be off by. */
const EXPIRY_BOUND_MS = 50;
const LANES = 12;
const LOADERS = 6;
const WATCHED_MS = 1_300;
const LOOK_EVERY_MS = 25;

/** Settles once the clock has reached a time: a timer may end in the millisecond before. */
async function clockReaches(at: number): Promise<void> {
  while (Date.now() < at) await pause(at - Date.now());
}

type Kind =
  | 'key revoked'
  | 'key expired'
  | 'licence revoked'
  | 'requester suspended'
  | 'policy narrowed'
  | 'item archived';
const KINDS: readonly Kind[] = [
  'key revoked',
  'key expired',
  'licence revoked',
  'requester suspended',
  'policy narrowed',
  'item archived',
];

export async function runRevocations({
  count,
  seed,
  tell = () => {},
}: {
  count: number;
  seed: number;
  tell?: (line: string) => void;
}): Promise<object> {
  const random = seeded(seed);
  await using cluster = await startTestCluster({ clocks: [0, 3_600_000, -3_600_000] });
  const [first] = cluster.nodes as [ClusterNode];
  const must = async (node: ClusterNode, method: string, path: string, body?: object): Promise<Answer['body']> => {
    const reply = await node.running.ask(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };
  const licensed = [{ action: 'allow', conditions: { hasValidLicense: true } }];
  const policy = await must(first, 'POST', '/v1/policies', { name: 'p', rules: licensed });

  /** Time after the revocation at which the last passing request was sent, for each node; below 0: none after it. */
  const delays = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  let done = 0;

  async function one(kind: Kind, n: number, own: Random): Promise<void> {
    const [here, ...others] = cluster.nodes.toSorted(() => own.next() - 0.5) as [ClusterNode, ...ClusterNode[]];
    const requesterId = `r${n}`;
    await must(here, 'POST', '/v1/requesters', { id: requesterId });
    const license = await must(here, 'POST', '/v1/licenses', { requesterId, type: 't' });
    const policyId =
      kind === 'policy narrowed'
        ? (await must(here, 'POST', '/v1/policies', { name: 'q', rules: licensed })).id
        : policy.id;
    const title = `i${n}`;
    const item = { title, type: 'article', source: `https://example.org/${n}`, externalId: title, policyId };
    const content = await must(here, 'POST', '/v1/content', item);
    const expiresAt = kind === 'key expired' ? Date.now() + 1_500 : null;
    const key = await must(here, 'POST', '/v1/api-keys', {
      name: title,
      type: 'secret',
      ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    });
    const asked: Ask = {
      body: { contentId: content.id, requesterId, dryRun: own.chance(0.5) },
      headers: { authorization: `Bearer ${key.key}` },
    };
    const passes = async (node: ClusterNode): Promise<boolean> => {
      const { status, body, text } = await node.running.ask('POST', '/v1/access/check', asked);
      assert.ok([200, 401].includes(status), text);
      return status === 200 && body.allowed;
    };
    // All of it is remembered everywhere.
    for (const node of others) {
      for (let tries = 0; !(await passes(node)); tries++) {
        if (expiresAt !== null && Date.now() > expiresAt - 100) return;
        assert.ok(tries < 100, `it never passed at another node: ${kind}`);
        await pause(20);
      }
    }
    let cutAt = 0;
    const cut: Record<Kind, () => Promise<unknown>> = {
      'key revoked': () => must(here, 'DELETE', `/v1/api-keys/${key.id}`),
      'key expired': () => clockReaches(expiresAt ?? 0),
      'licence revoked': () => must(here, 'POST', `/v1/licenses/${license.id}/revoke`),
      'requester suspended': () => must(here, 'PATCH', `/v1/requesters/${requesterId}`, { status: 'suspended' }),
      'policy narrowed': () => must(here, 'PATCH', `/v1/policies/${policyId}`, { rules: [{ action: 'deny' }] }),
      'item archived': () => must(here, 'PATCH', `/v1/content/${content.id}`, { status: 'archived' }),
    };
    await cut[kind]();
    cutAt = performance.now();
    assert.equal(await passes(here), false, `${kind}: it still passed at the node that answered`);
    await Promise.all(
      others.map(async (node) => {
        let last = -1;
        while (performance.now() - cutAt < WATCHED_MS) {
          const sent = performance.now() - cutAt;
          if (await passes(node)) last = Math.max(last, sent);
          await pause(LOOK_EVERY_MS);
        }
        delays.get(kind)?.push(last);
        const bound = kind === 'key expired' ? EXPIRY_BOUND_MS : BOUND_MS;
        assert.ok(last < bound, `${kind}: a request that was sent ${Math.round(last)} ms after it still passed`);
      }),
    );
    done++;
    if (done % 200 === 0) tell(`${done} of ${count}`);
  }

  let over = false;
  const load = async (): Promise<void> => {
    for (let i = 0; !over; i++) {
      const node = cluster.nodes[i % cluster.nodes.length] as ClusterNode;
      const checks = Array.from({ length: 20 }, () => ({ contentId: 'i0', requesterId: 'load' }));
      await node.running.ask('POST', '/v1/access/check/batch', { body: { checks } });
    }
  };
  const loaders = Array.from({ length: LOADERS }, load);
  let next = 0;
  const lane = async (): Promise<void> => {
    const own = seeded(random.int(0, 2 ** 31));
    for (let n = next++; n < count; n = next++) await one(KINDS[n % KINDS.length] as Kind, n, own);
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    over = true;
    await Promise.allSettled(loaders);
  }
  const figures: Record<string, string | number> = { cuts: done };
  for (const [kind, all] of delays) {
    const passed = all.filter((ms) => ms >= 0).toSorted((a, b) => a - b);
    figures[kind] =
      `${all.length - passed.length} of ${all.length} at once, the latest ${Math.round(passed.at(-1) ?? 0)} ms;`;
  }
  return figures;
}
