/** People on several nodes: sign-in may begin here and end there, and who is suspended is out everywhere. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProvider } from '../../../kit/oidc.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { begin, finish, openLink, passProvider, withSession } from '../../users/trip.ts';
import { onPostgres } from './suites.ts';

interface Cluster extends AsyncDisposable {
  nodes: [TestService, TestService];
  key: string;
}

async function startCluster(env: Record<string, string> = {}): Promise<Cluster> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const start = async (): Promise<TestService> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    return stack.use(await startTestService({ dataDir, env: { ...env, POSTERN_DATABASE_URL: url } }));
  };
  const nodes: [TestService, TestService] = [await start(), await start()];
  return { nodes, key: nodes[0].key, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a link of one node signs in at another, once, and a suspension there ends the session here at once', async () => {
  await using cluster = await startCluster();
  const [here, there] = cluster.nodes;
  const body = { name: 'Ada', role: 'editor' };
  const { path, user } = (await here.call('POST', '/v1/users/links', { key: cluster.key, body })).body;
  const answers = await Promise.all([there, here, there, here].map((node) => openLink(node, path)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const { session = '' } = answers.find(({ status }) => status === 201) ?? {};
  for (const node of cluster.nodes) {
    assert.equal((await withSession(node, session, 'GET /v1/content')).status, 200);
  }
  const suspended = await there.call('POST', `/v1/users/${user.id}/suspend`, { key: cluster.key });
  assert.equal(suspended.status, 200, suspended.text);
  // Sessions and users are read for each request: no node remembers them.
  for (const node of cluster.nodes) {
    assert.equal((await withSession(node, session, 'GET /v1/content')).status, 401);
  }
});

test('a round trip to the provider begins at one node and ends at another, once', async () => {
  await using provider = await startProvider();
  await using cluster = await startCluster(provider.env);
  const [here, there] = cluster.nodes;
  provider.people.set('ada', { name: 'Ada', groups: ['heads'] });
  provider.register(here.url);
  const { url, cookie } = await begin(here);
  const callback = await passProvider(url, 'ada', here.url);
  const { location, session = '' } = await finish(there, callback, cookie);
  assert.equal(location, '/console/content');
  assert.equal((await withSession(here, session, 'GET /v1/api-keys')).status, 200);
  assert.equal((await finish(here, callback, cookie)).session, undefined);
});

await onPostgres(['users/users', 'users/oidc']);
