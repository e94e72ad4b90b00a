/** Several nodes on one database, from outside. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startReceiver } from '../../../kit/receiver.ts';
import { type Relay, startRelay } from '../../../kit/relay.ts';
import { type StartOptions, startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { item } from '../../http/given.ts';

/** The contract's bound for another node, with what one request takes on a busy machine. */
const ELSEWHERE_MS = 1_000;
const READY_WITHIN_MS = 5_000;

interface Node extends TestService {
  /** Its way to the database. */
  relay: Relay;
}

interface Cluster extends AsyncDisposable {
  databaseUrl: string;
  nodes: Node[];
  key: string;
}

async function startCluster(
  count: number,
  { env = {}, ...more }: Pick<StartOptions, 'env' | 'housekeepingMayFail'> = {},
): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const server = await testPostgres();
  const database = stack.use(await server.newDatabase());
  const nodes = await Promise.all(
    Array.from({ length: count }, async (): Promise<Node> => {
      const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
      stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
      const relay = stack.use(await startRelay(server.port));
      const url = database.url.replace(String(server.port), String(relay.port));
      const node = await startTestService({ ...more, dataDir, env: { ...env, POSTERN_DATABASE_URL: url } });
      stack.defer(() => node[Symbol.asyncDispose]());
      return Object.assign(node, { relay });
    }),
  );
  const key = nodes.map((node) => node.key).find((text) => text !== '') ?? '';
  const all = stack.move();
  return { databaseUrl: database.url, nodes, key, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const check = (node: Node, key: string, contentId: string) =>
  node.call('POST', '/v1/access/check', { key, body: { contentId, requesterId: 'r' } });

test('nodes that start at once on an empty database: one first key, which works on all of them', async () => {
  await using cluster = await startCluster(3);
  const { nodes, key } = cluster;
  assert.equal(nodes.filter((node) => node.key !== '').length, 1, 'first keys');
  const body = item();
  const answers = await Promise.all(nodes.map((node) => node.call('POST', '/v1/content', { key, body })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409]);
  const checks = await Promise.all(nodes.map((node) => check(node, key, (body as { externalId: string }).externalId)));
  assert.equal(new Set(checks.map((one) => one.body.id)).size, 3);
  for (const node of nodes) {
    const { body: list } = await node.call('GET', '/v1/access/decisions', { key });
    assert.deepEqual(pluck(list.data, 'id').toSorted(), checks.map((one) => one.body.id).toSorted());
    const again = await node.call('GET', `/v1/access/decisions/${checks[0]?.body.id}`, { key });
    assert.equal(again.body.id, checks[0]?.body.id);
  }
});

describe('what one node changed', () => {
  test('acts on the others: keys, policies, content, requesters and licences', async () => {
    await using cluster = await startCluster(2);
    const [here, there] = cluster.nodes as [Node, Node];
    const call = (method: string, path: string, body?: object) => here.call(method, path, { key: cluster.key, body });
    const { id: policyId } = (
      await call('POST', '/v1/policies', {
        name: 'p',
        rules: [{ action: 'allow', conditions: { hasValidLicense: true } }],
      })
    ).body;
    const { id } = (await call('POST', '/v1/content', { ...item(), policyId })).body;
    const reasonIs = (reason: string | null) =>
      until(
        `the reason ${reason}`,
        async () => (await check(there, cluster.key, id)).body.reason === reason,
        ELSEWHERE_MS,
      );
    await reasonIs('no_license');
    await call('POST', '/v1/requesters', { id: 'r' });
    const { id: licenseId } = (await call('POST', '/v1/licenses', { requesterId: 'r', type: 't' })).body;
    await reasonIs(null);
    await call('POST', `/v1/licenses/${licenseId}/revoke`);
    await reasonIs('no_license');
    await call('PATCH', `/v1/policies/${policyId}`, { rules: [{ action: 'allow' }] });
    await reasonIs(null);
    await call('PATCH', '/v1/requesters/r', { status: 'suspended' });
    await reasonIs('requester_suspended');
    await call('PATCH', '/v1/requesters/r', { status: 'active' });
    await reasonIs(null);
    await call('PATCH', `/v1/content/${id}`, { status: 'archived' });
    await reasonIs('content_archived');
    await call('DELETE', `/v1/content/${id}`);
    await until('gone', async () => (await check(there, cluster.key, id)).status === 404, ELSEWHERE_MS);
    const key = (await call('POST', '/v1/api-keys', { name: 'k', type: 'secret' })).body;
    assert.equal((await there.call('GET', '/v1/content', { key: key.key })).status, 200);
    await call('DELETE', `/v1/api-keys/${key.id}`);
    await until(
      'revoked',
      async () => (await there.call('GET', '/v1/content', { key: key.key })).status === 401,
      ELSEWHERE_MS,
    );
  });

  test('collections: the other node decides by them within a second, and lists their items', async () => {
    await using cluster = await startCluster(2);
    const [here, there] = cluster.nodes as [Node, Node];
    const { key } = cluster;
    const write = async (method: string, path: string, body: object) => {
      const answer = await here.call(method, path, { key, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const open = await write('POST', '/v1/policies', { name: 'Open', rules: [{ action: 'allow', conditions: {} }] });
    const { id, externalId } = await write('POST', '/v1/content', item({ source: 'https://example.com/a' }));
    const policyThere = async () => (await check(there, key, externalId)).body.policyId;
    assert.equal(await policyThere(), 'pol_default');
    const body = { name: 'C', hosts: ['example.com'], policyId: open.id };
    const { id: collectionId } = await write('POST', '/v1/collections', body);
    await until('the collection', async () => (await policyThere()) === open.id, ELSEWHERE_MS);
    const { body: list } = await there.call('GET', `/v1/content?collectionId=${collectionId}`, { key });
    assert.deepEqual(pluck(list.data, 'id'), [id]);
    await write('POST', `/v1/policies/${open.id}/make-default`, {});
    await write('PATCH', `/v1/collections/${collectionId}`, { policyId: null });
    const shown = async () => (await there.call('GET', `/v1/content/${id}`, { key })).body.policyId;
    await until('the default policy', async () => (await shown()) === open.id, ELSEWHERE_MS);
    await write('PATCH', `/v1/collections/${collectionId}`, { paths: ['/b'] });
    await until('the paths', async () => (await policyThere()) === 'pol_default', ELSEWHERE_MS);
  });

  test('subscriptions: decisions of every node become events, delivered once', async () => {
    await using cluster = await startCluster(2, { env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const [here, there] = cluster.nodes as [Node, Node];
    await using receiver = await startReceiver();
    const call = (method: string, path: string, body?: object) => here.call(method, path, { key: cluster.key, body });
    const { id } = (await call('POST', '/v1/content', item())).body;
    await call('POST', '/v1/webhooks', { url: receiver.url, events: ['access.denied'] });
    await until('subscribed there', async () => {
      await check(there, cluster.key, id);
      return receiver.received.length > 0;
    });
    const sent: string[] = [];
    for (let i = 0; i < 20; i++) sent.push((await check(cluster.nodes[i % 2] as Node, cluster.key, id)).body.id);
    const arrived = () => receiver.received.map(({ event }) => event.data.object.id);
    await until('all', () => sent.every((one) => arrived().includes(one)));
    assert.equal(new Set(arrived()).size, arrived().length, 'none twice while no node fails');
  });
});

describe('edits of one item through several nodes', () => {
  test('with If-Match no update is lost: as many as were told so', async () => {
    await using cluster = await startCluster(3);
    const { nodes, key } = cluster;
    const { id } = await madeBy(nodes[0] as Node, key, '/v1/content', { ...item(), metadata: { n: 0 } });
    let told = 0;
    let refused = 0;
    const writer = async (node: Node): Promise<void> => {
      for (let i = 0; i < 15; i++) {
        const { body, headers } = await node.call('GET', `/v1/content/${id}`, { key });
        const answer = await node.call('PATCH', `/v1/content/${id}`, {
          key,
          headers: { 'if-match': headers.get('etag') ?? '' },
          body: { metadata: { n: body.metadata.n + 1 } },
        });
        assert.ok([200, 412].includes(answer.status), answer.text);
        if (answer.status === 200) told++;
        else refused++;
      }
    };
    await Promise.all([...nodes, ...nodes].map(writer));
    const { body } = await (nodes[1] as Node).call('GET', `/v1/content/${id}`, { key });
    assert.equal(body.metadata.n, told);
    assert.ok(refused > 0, 'they met');
  });

  test('without If-Match edits of different fields are all there', async () => {
    await using cluster = await startCluster(3);
    const { nodes, key } = cluster;
    const { id } = await madeBy(nodes[0] as Node, key, '/v1/content', item());
    const writer = async (node: Node, n: number): Promise<void> => {
      for (let i = 1; i <= 15; i++) {
        const answer = await node.call('PATCH', `/v1/content/${id}`, { key, body: { metadata: { [`w${n}`]: i } } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.metadata[`w${n}`], i);
      }
    };
    const writers = [...nodes, ...nodes, ...nodes];
    await Promise.all(writers.map(writer));
    const { body } = await (nodes[2] as Node).call('GET', `/v1/content/${id}`, { key });
    for (const n of writers.keys()) assert.equal(body.metadata[`w${n}`], 15);
  });
});

const LOSES_DATABASE = { housekeepingMayFail: true };

describe('a node that loses the database', () => {
  test('answers 503 with Retry-After, is not ready after 5 s, and is back within 5 s', async () => {
    await using cluster = await startCluster(2, LOSES_DATABASE);
    const [here, there] = cluster.nodes as [Node, Node];
    const { id: policyId } = await madeBy(here, cluster.key, '/v1/policies', {
      name: 'p',
      rules: [{ action: 'allow' }],
    });
    const { id } = await madeBy(here, cluster.key, '/v1/content', { ...item(), policyId });
    const { key, id: keyId } = await madeBy(here, cluster.key, '/v1/api-keys', { name: 'k', type: 'secret' });
    assert.equal((await check(there, key, id)).status, 200);
    for (const way of ['cut', 'silence'] as const) {
      there.relay[way]();
      const lostAt = performance.now();
      while (performance.now() - lostAt < 6_000) {
        const asked = performance.now();
        const answer = await check(there, key, id);
        assert.equal(answer.status, 503, answer.text);
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
        assert.ok(performance.now() - asked < READY_WITHIN_MS, `${way}: ${performance.now() - asked} ms for an answer`);
        // What is remembered does not help anybody either: reading with a key that may be revoked by now.
        if (asked - lostAt > ELSEWHERE_MS) {
          assert.equal((await there.call('GET', '/v1/content', { key })).status, 503);
          assert.equal(
            (await there.call('POST', '/v1/access/check', { key, body: { contentId: id, dryRun: true } })).status,
            503,
          );
        }
      }
      assert.equal((await there.call('GET', '/readyz', { key: null })).status, 503);
      assert.equal((await there.call('GET', '/livez', { key: null })).status, 200);
      there.relay.open();
      await until(
        'ready',
        async () => (await there.call('GET', '/readyz', { key: null })).status === 200,
        READY_WITHIN_MS,
      );
      await until('deciding', async () => (await check(there, key, id)).status === 200, READY_WITHIN_MS);
    }
    there.relay.cut();
    assert.equal((await here.call('DELETE', `/v1/api-keys/${keyId}`, { key: cluster.key })).status, 200);
    there.relay.open();
    await until(
      'revoked while this node was apart',
      async () => (await check(there, key, id)).status === 401,
      ELSEWHERE_MS,
    );
  });

  test('stops as well as any other', async () => {
    await using cluster = await startCluster(1, LOSES_DATABASE);
    const [node] = cluster.nodes as [Node];
    assert.equal((await node.call('GET', '/v1/content', { key: cluster.key })).status, 200);
    node.relay.cut();
    await node.service.close();
  });

  test('goes on at another address when the old one falls silent', async () => {
    await using cluster = await startCluster(1, LOSES_DATABASE);
    const [node] = cluster.nodes as [Node];
    const { id } = await madeBy(node, cluster.key, '/v1/content', item());
    assert.equal((await check(node, cluster.key, id)).status, 200);
    node.relay.silence();
    const waiting = check(node, cluster.key, id);
    node.relay.open();
    await until('deciding', async () => (await check(node, cluster.key, id)).status === 200, READY_WITHIN_MS);
    assert.equal((await waiting).status, 503, 'what was under way is refused, not kept waiting');
    // The columns have a connection of their own, which no answer will ever come on.
    const usage = () => node.call('GET', '/v1/analytics/usage', { key: cluster.key });
    await until('reporting', async () => (await usage()).status === 200, READY_WITHIN_MS);
    assert.equal((await usage()).body.summary.totalRequests, 2);
  });
});

const madeBy = async (node: Node, key: string, path: string, body: object) => {
  const answer = await node.call('POST', path, { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
