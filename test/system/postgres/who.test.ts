/** Visitors on several nodes: the same request is judged alike on each, and a revocation reaches all of them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { newSigningKey, signRequest } from '../../../kit/signing.ts';
import { until } from '../../../kit/until.ts';
import { authorize, recorded, serve } from '../../enforce/asking.ts';
import { made, makePolicy } from '../../http/given.ts';

/** The bound for another node, with what one request takes on a busy machine. */
const ELSEWHERE_MS = 1_000;
const KEY = newSigningKey();
const RANGES = '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const published = { status: 200 };
let nodes: TestService[];
let agent: string;
let contentId: string;

/** Publishes keys and ranges. */
async function publish(): Promise<string> {
  const server = createServer(({ url }, response) => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=86400' };
    const text = url === '/ranges' ? RANGES : JSON.stringify({ keys: [KEY.jwk] });
    response.writeHead(published.status, headers).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stack.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

before(async () => {
  agent = await publish();
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const env = { POSTERN_DATABASE_URL: url, POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
  const start = async (): Promise<TestService> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    return stack.use(await startTestService({ dataDir, env }));
  };
  const first = await start();
  const { key } = first;
  const second = await start();
  const call: TestService['call'] = (method, path, options) => second.call(method, path, { key, ...options });
  // What the object has of its own is what `restart` changes.
  nodes = [first, Object.assign(Object.create(second) as TestService, { key, call })];
  const rules = [{ action: 'allow', conditions: { requesterVerified: true } }];
  contentId = (await serve(first, '/page', (await makePolicy(first, rules)).id)).id;
  const register = (id: string, identities: object[]) =>
    made(first, '/v1/requesters', { id, userAgents: [`${id}-bot`], identities });
  await register('signing', [{ kind: 'signature', agent }]);
  await register('listed', [{ kind: 'ip', list: `${agent}/ranges` }]);
  await register('ranged', [{ kind: 'ip', ranges: ['198.51.100.0/24'] }]);
});

const signed = (changed: { url?: string; starts?: number; ends?: number; key?: typeof KEY } = {}) => {
  const { url = 'https://site.example/page', starts = 0, ends = 300, key = KEY } = changed;
  const second = Math.floor(Date.now() / 1000);
  const parameters = { created: second + starts, expires: second + ends };
  const headers = { 'signature-agent': `sig1="${agent}"` };
  return { ...signRequest(key, { url, headers, parameters, at: Date.now() }), 'user-agent': 'signing-bot' };
};
const from = (name: string, address: string) => ({ 'user-agent': `${name}-bot`, 'x-forwarded-for': address });

async function judged(node: TestService, headers: Record<string, string>) {
  const { allowed, requesterId, verified, spoofed, claimed } = await recorded(
    node,
    await authorize(node, '/page', { headers }),
  );
  return [allowed, requesterId, verified, spoofed ?? false, claimed ?? null];
}

/** Compares the judgments of the nodes. */
async function assertAlike(): Promise<void> {
  const cases: [string, Record<string, string>, unknown[]][] = [
    ['a signature', signed(), [true, 'signing', 'signature', false, null]],
    ['a signature by a clock that is fast', signed({ starts: 30 }), [true, 'signing', 'signature', false, null]],
    ['a signature that just ran out', signed({ starts: -90, ends: -30 }), [true, 'signing', 'signature', false, null]],
    ['a signature that ran out', signed({ starts: -900, ends: -600 }), [false, null, null, true, 'signing']],
    ['another site', signed({ url: 'https://x.example/page' }), [false, null, null, true, 'signing']],
    ['an unknown key', signed({ key: newSigningKey() }), [false, 'signing', null, false, null]],
    ['a listed address', from('listed', '192.0.2.7'), [true, 'listed', 'ip', false, null]],
    ['a listed address of IPv6', from('listed', '2001:db8::7'), [true, 'listed', 'ip', false, null]],
    ['an address that is not listed', from('listed', '203.0.113.7'), [false, null, null, true, 'listed']],
    ['an address in a range', from('ranged', '198.51.100.7'), [true, 'ranged', 'ip', false, null]],
    ['an address in no range', from('ranged', '192.0.2.7'), [false, null, null, true, 'ranged']],
  ];
  for (const [what, headers, expected] of cases) {
    for (const [i, node] of nodes.entries()) {
      assert.deepEqual(await judged(node, headers), expected, `${what}, node ${i + 1}`);
    }
  }
}

test('the same request is judged alike on each node, and after a restart without a fetch', async () => {
  for (const node of nodes) {
    await until('the keys', async () => (await judged(node, signed()))[2] === 'signature', 10_000);
    await until('the list', async () => (await judged(node, from('listed', '192.0.2.7')))[2] === 'ip', 10_000);
  }
  await assertAlike();
  await until('kept', async () => (await (nodes[0] as TestService).rowsOf('agent_keys')).length === 1);
  published.status = 500;
  for (const node of nodes) await node.restart();
  await assertAlike();
  published.status = 200;
});

test('a token that was revoked on one node is refused on the other within a second', async () => {
  const [here, there] = nodes as [TestService, TestService];
  const { id, token } = await made(here, '/v1/requesters/signing/tokens', { name: 'T' });
  const authorization = `Bearer ${token}`;
  const asks = {
    authorize: async () => (await authorize(there, '/page', { headers: { authorization } })).status,
    check: async () => {
      const body = { contentId, visitor: { authorization } };
      return (await there.call('POST', '/v1/access/check', { body })).status;
    },
    me: async () => (await there.call('GET', '/v1/me', { key: token })).status,
  };
  for (const [what, ask] of Object.entries(asks)) {
    await until(`${what}: known`, async () => (await ask()) === 200, ELSEWHERE_MS);
  }
  await here.call('DELETE', `/v1/requesters/signing/tokens/${id}`);
  const begun = performance.now();
  const refused = { authorize: 403, check: 400, me: 401 };
  for (const [what, ask] of Object.entries(asks)) {
    const left = Math.max(1, ELSEWHERE_MS - (performance.now() - begun));
    await until(`${what}: refused`, async () => (await ask()) === refused[what as keyof typeof refused], left);
  }
  for (const [what, ask] of Object.entries(asks)) assert.equal(await ask(), refused[what as keyof typeof refused]);
});
