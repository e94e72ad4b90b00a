/** Keys on several nodes: no operator is locked out, and a recovery key reaches all nodes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { onPostgres } from './suites.ts';

/** The bound for another node, with what one request takes on a busy machine. */
const ELSEWHERE_MS = 1_000;

interface Cluster extends AsyncDisposable {
  url: string;
  nodes: [TestService, TestService];
  first: Made;
}

interface Made {
  id: string;
  key: string;
}

async function startCluster(): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const start = async (): Promise<TestService> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    return stack.use(await startTestService({ dataDir, env: { POSTERN_DATABASE_URL: url } }));
  };
  const nodes: [TestService, TestService] = [await start(), await start()];
  const { key } = nodes[0];
  const { id } = (await nodes[0].call('GET', '/v1/api-keys')).body.data[0];
  return { url, nodes, first: { id, key }, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const worksOn = async (node: TestService, key: string): Promise<boolean> =>
  (await node.call('GET', '/v1/api-keys', { key })).status === 200;

test('two admins that revoke or rotate each other at once, each on its own node: one key stays, never none', async () => {
  await using cluster = await startCluster();
  const [here, there] = cluster.nodes;
  let holder = cluster.first;
  for (let round = 0; round < 20; round++) {
    const made = await here.call('POST', '/v1/api-keys', { key: holder.key, body: { name: 'k', type: 'secret' } });
    const other: Made = made.body;
    await until('known there', () => worksOn(there, other.key), ELSEWHERE_MS);
    const end = (node: TestService, key: string, id: string, rotate: boolean) =>
      rotate
        ? node.call('POST', `/v1/api-keys/${id}/rotate`, { key, body: { graceSeconds: 0 } })
        : node.call('DELETE', `/v1/api-keys/${id}`, { key });
    const answers = await Promise.all([
      end(here, holder.key, other.id, false),
      end(there, other.key, holder.id, round % 2 === 1),
    ]);
    for (const { status, body } of answers) {
      const refused = ['last_admin_key', 'invalid_api_key', 'api_key_not_found'].includes(body.error?.code);
      assert.ok(status < 300 || refused, JSON.stringify(body));
    }
    const told = answers.flatMap(({ body }) => (body.key === undefined ? [] : [body as Made]));
    // A node may accept a key for a second after the other revoked it: the one that is left works on both.
    holder = await until(
      `round ${round}: a key that still manages keys`,
      async () => {
        for (const one of [holder, other, ...told]) {
          if ((await worksOn(here, one.key)) && (await worksOn(there, one.key))) return one;
        }
        return undefined;
      },
      2 * ELSEWHERE_MS,
    );
  }
});

test('a key made offline works on every node within a second', async () => {
  await using cluster = await startCluster();
  const ran = await command(['keys', 'create', 'Recovery', '--offline'], {
    env: { POSTERN_DATABASE_URL: cluster.url },
  });
  assert.equal(ran.status, 0, ran.stderr);
  for (const node of cluster.nodes) await until('known', () => worksOn(node, ran.stdout.trim()), ELSEWHERE_MS);
});

test('the token of a partner that one node revokes, and a partner that it suspends, end on the other in a second', async () => {
  await using cluster = await startCluster();
  const [here, there] = cluster.nodes;
  const { key } = cluster.first;
  const post = (path: string, body: object = {}) => here.call('POST', path, { key, body });
  await post('/v1/requesters', { id: 'acme', name: 'Acme AI' });
  const tokens = [];
  for (const name of ['first', 'second']) tokens.push((await post('/v1/requesters/acme/tokens', { name })).body);
  const [first, second] = tokens;
  const answered = async (node: TestService, token: string): Promise<string> => {
    const { status, body } = await node.call('GET', '/v1/me', { key: token });
    return status === 200 ? body.requester.id : body.error.code;
  };
  const answers = (token: string, expected: string) =>
    until(expected, async () => (await answered(there, token)) === expected, ELSEWHERE_MS);
  await answers(first.token, 'acme');
  await answers(second.token, 'acme');
  const revoked = await here.call('DELETE', `/v1/requesters/acme/tokens/${first.id}`, { key });
  assert.ok(revoked.status < 300, revoked.text);
  assert.equal(await answered(here, first.token), 'invalid_requester_token');
  await answers(first.token, 'invalid_requester_token');
  assert.equal(await answered(there, second.token), 'acme');
  const suspended = await here.call('PATCH', '/v1/requesters/acme', { key, body: { status: 'suspended' } });
  assert.equal(suspended.status, 200, suspended.text);
  assert.equal(await answered(here, second.token), 'requester_suspended');
  await answers(second.token, 'requester_suspended');
});

await onPostgres(['system/cli/keys-offline']);
