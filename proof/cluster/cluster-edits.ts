/**
 * Edits that meet on several nodes. The same request with the same `Idempotency-Key` goes through two nodes at once,
 * for every kind of edit: it has one effect, and each answer is that answer or says that the key is in use. Upserts of
 * a new item through all nodes create it once and edit it otherwise; none is refused.
 */
import assert from 'node:assert/strict';
import type { Answer } from '../../kit/answer.ts';
import { query } from '../../kit/postgres.ts';
import { seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { type ClusterNode, startTestCluster } from './nodes.ts';

const NODES = 3;
const ANSWERED_WITHIN_MS = 10_000;
const UPSERTS_AT_ONCE = 6;

interface Request {
  method: string;
  path: string;
  body?: object;
}

type Must = (request: Request) => Promise<Answer['body']>;

const post = (path: string, body?: object): Request => ({
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
});
const patch = (path: string, body: object): Request => ({ method: 'PATCH', path, body });

const itemOf = (name: string) => ({
  externalId: name,
  title: name,
  type: 'article',
  source: `https://example.org/${name}`,
});
const policyOf = (name: string) => ({ name, rules: [{ action: 'allow' }] });
const keyOf = (name: string) => ({ name, type: 'secret', permissions: ['content:read'] });
const webhookOf = (name: string) => ({ url: `https://example.org/${name}`, events: ['content.created'] });

/** Every kind of edit that takes an Idempotency-Key: what is there before, and the request. `name` is its own. */
const KINDS: Record<string, (must: Must, name: string) => Promise<Request>> = {
  'content created': async (_, name) => post('/v1/content', itemOf(name)),
  'content edited': async (must, name) =>
    patch(`/v1/content/${(await must(post('/v1/content', itemOf(name)))).id}`, { title: 'other' }),
  'content upserted, new': async (_, name) => post('/v1/content/upsert', itemOf(name)),
  'content upserted, there': async (must, name) => {
    await must(post('/v1/content', itemOf(name)));
    return post('/v1/content/upsert', { ...itemOf(name), title: 'other' });
  },
  'content upserted in bulk': async (_, name) =>
    post('/v1/content/bulk-upsert', { items: [1, 2, 3].map((n) => itemOf(`${name}.${n}`)) }),
  'content deleted in bulk': async (must, name) => {
    await must(post('/v1/content', itemOf(name)));
    return post('/v1/content/bulk-delete', { ids: [name] });
  },
  'policy created': async (_, name) => post('/v1/policies', policyOf(name)),
  'policy edited': async (must, name) =>
    patch(`/v1/policies/${(await must(post('/v1/policies', policyOf(name)))).id}`, { rules: [] }),
  'policy rolled back': async (must, name) => {
    const { id } = await must(post('/v1/policies', policyOf(name)));
    await must(patch(`/v1/policies/${id}`, { rules: [] }));
    return post(`/v1/policies/${id}/rollback`, { version: 1 });
  },
  'policy made the default': async (must, name) =>
    post(`/v1/policies/${(await must(post('/v1/policies', policyOf(name)))).id}/make-default`),
  'requester created': async (_, name) => post('/v1/requesters', { id: name }),
  'requester edited': async (must, name) => {
    await must(post('/v1/requesters', { id: name }));
    return patch(`/v1/requesters/${name}`, { name: 'other' });
  },
  'licence created': async (must, name) => {
    await must(post('/v1/requesters', { id: name }));
    return post('/v1/licenses', { requesterId: name, type: 't' });
  },
  'licence edited': async (must, name) => {
    await must(post('/v1/requesters', { id: name }));
    return patch(`/v1/licenses/${(await must(post('/v1/licenses', { requesterId: name, type: 't' }))).id}`, {
      type: 'u',
    });
  },
  'licence revoked': async (must, name) => {
    await must(post('/v1/requesters', { id: name }));
    return post(`/v1/licenses/${(await must(post('/v1/licenses', { requesterId: name, type: 't' }))).id}/revoke`);
  },
  'key created': async (_, name) => post('/v1/api-keys', keyOf(name)),
  'key rotated': async (must, name) =>
    post(`/v1/api-keys/${(await must(post('/v1/api-keys', keyOf(name)))).id}/rotate`, { graceSeconds: 60 }),
  'webhook created': async (_, name) => post('/v1/webhooks', webhookOf(name)),
  'webhook edited': async (must, name) =>
    patch(`/v1/webhooks/${(await must(post('/v1/webhooks', webhookOf(name)))).id}`, { description: 'other' }),
  'secret replaced': async (must, name) =>
    post(`/v1/webhooks/${(await must(post('/v1/webhooks', webhookOf(name)))).id}/rotate-secret`),
};

interface Options {
  rounds: number;
  seed: number;
  tell?: (line: string) => void;
}

export async function runClusterEdits({ rounds, seed, tell = () => {} }: Options): Promise<object> {
  const random = seeded(seed);
  await using cluster = await startTestCluster({ clocks: Array.from({ length: NODES }, () => 0) });
  const [first] = cluster.nodes as [ClusterNode];
  const must: Must = async ({ method, path, body }) => {
    const reply = await first.running.ask(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };
  const changes = async (): Promise<number> =>
    Number((await query<{ n: string }>(cluster.databaseUrl, 'select count(*) as n from changes'))[0]?.n);
  const figures = { rounds: 0, replayed: 0, inUse: 0, upserts: 0 };

  async function twice(kind: string, prepare: (typeof KINDS)[string], n: number): Promise<void> {
    // What one of them changes when it is alone.
    const alone = await prepare(must, `alone${n}`);
    const before = await changes();
    const { status: wanted } = await first.running.ask(alone.method, alone.path, { body: alone.body });
    const own = (await changes()) - before;
    assert.ok(wanted < 300 && own > 0, `${kind} alone: ${wanted}, ${own} changes`);

    const { method, path, body } = await prepare(must, `twice${n}`);
    const since = await changes();
    const nodes = cluster.nodes.toSorted(() => random.next() - 0.5).slice(0, 2);
    const ask = (node: ClusterNode) => node.running.ask(method, path, { body, idempotencyKey: `k${n}` });
    const isIn = (reply: Answer): boolean => {
      if (reply.status !== 409) return true;
      assert.equal(reply.body.error.code, 'idempotency_key_in_use', `${kind}: ${reply.text}`);
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
      figures.inUse++;
      return false;
    };
    const answers = (await Promise.all(nodes.map(ask))).filter(isIn);
    assert.ok(answers.length > 0, `${kind}: both say that the other is at it`);
    for (const node of cluster.nodes) {
      answers.push(await until(`${kind}: an answer`, () => ask(node), ANSWERED_WITHIN_MS, isIn));
    }
    const [answer] = answers as [Answer];
    for (const { status, text, headers } of answers) {
      assert.deepEqual([status, text], [wanted, answer.text], `${kind}: answered in two ways`);
      if (headers.get('idempotent-replayed') === 'true') figures.replayed++;
    }
    assert.equal((await changes()) - since, own, `${kind}: more than one effect`);
  }

  async function upserts(n: number): Promise<void> {
    const name = `up${n}`;
    const since = await changes();
    const replies = await Promise.all(
      Array.from({ length: UPSERTS_AT_ONCE }, (_, i) => {
        const { running } = cluster.nodes[i % NODES] as ClusterNode;
        return running.ask('POST', '/v1/content/upsert', { body: { ...itemOf(name), metadata: { [`w${i}`]: i } } });
      }),
    );
    const told = replies.map(({ status, text }) => `${status} ${status < 300 ? '' : text}`.trim()).toSorted();
    assert.deepEqual(told, [...Array.from({ length: UPSERTS_AT_ONCE - 1 }, () => '200'), '201'], 'upserts of one item');
    const { body } = await first.running.ask('GET', `/v1/content/${name}`);
    const all = Object.fromEntries(replies.map((_, i) => [`w${i}`, i]));
    assert.deepEqual(body.metadata, all, 'each upsert is in the item');
    assert.equal((await changes()) - since, UPSERTS_AT_ONCE);
    figures.upserts++;
  }

  try {
    const kinds = Object.entries(KINDS);
    for (let n = 0; n < rounds; n++) {
      const [kind, prepare] = kinds[n % kinds.length] as [string, (typeof KINDS)[string]];
      await twice(kind, prepare, n);
      await upserts(n);
      figures.rounds++;
      if ((n + 1) % 100 === 0) tell(`${n + 1} of ${rounds}`);
    }
  } catch (error) {
    throw new Error(`with seed ${seed}: ${(error as Error).message}`, { cause: error });
  }
  return figures;
}
