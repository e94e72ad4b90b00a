/** License tokens on two nodes: one key set, one free license, and an end that reaches both within a second. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { assertStatus, made } from '../../http/given.ts';
import { getToken, publishedLicense } from '../../license-server/given.ts';

/** The bound for another node, with what one request takes on a busy machine. */
const ELSEWHERE_MS = 1_000;
const HOST = 'www.example.com';
const resource = `https://${HOST}/*`;

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
let here: TestService;
let there: TestService;
let key: string;
let license: string;
let count = 0;

before(async () => {
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const env = { POSTERN_DATABASE_URL: url, POSTERN_PUBLIC_URL: 'https://access.example' };
  const start = async (): Promise<TestService> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    return stack.use(await startTestService({ dataDir, env }));
  };
  here = await start();
  ({ key } = here);
  there = await start();
  const rules = [{ action: 'allow', conditions: {} }];
  const { id: policyId } = await made(here, '/v1/policies', { name: 'p', rules });
  await made(here, '/v1/collections', { name: 'All', hosts: [HOST], policyId });
  const signals = { public: true, license: true, licenseServer: true };
  assertStatus(await here.call('PUT', `/v1/sites/${HOST}`, { body: { signals } }), 201);
  license = await publishedLicense(here, resource);
});

async function requester() {
  const id = `acme-${++count}`;
  await made(here, '/v1/requesters', { id, name: id });
  const { id: tokenId, token: secret } = await made(here, `/v1/requesters/${id}/tokens`, { name: 't' });
  const answers = await Promise.all(
    [here, there, here, there].map((node) => getToken(node, id, { secret, resource, license })),
  );
  for (const answer of answers) assertStatus(answer, 200);
  return { id, tokenId, tokens: answers.map(({ body }) => body.access_token as string) };
}

const verified = async (node: TestService, token: string) => {
  const body = { url: `https://${HOST}/a`, visitor: { authorization: `License ${token}` } };
  const answer = await node.call('POST', '/v1/access/check', { key, body });
  return answer.body.verified ?? answer.body.error.code;
};
const kids = async (node: TestService) =>
  (await node.call('GET', '/olp/key', { key: null })).body.keys.map(({ kid }: { kid: string }) => kid);
const licensesHeld = async (id: string) => (await here.call('GET', `/v1/licenses?requesterId=${id}`)).body.data;

test('nodes that are asked at once make one key and one free license, and take the tokens of each other', async () => {
  const { id, tokens } = await requester();
  assert.equal((await licensesHeld(id)).length, 1);
  assert.deepEqual(await kids(here), await kids(there));
  for (const token of tokens) {
    assert.deepEqual([await verified(here, token), await verified(there, token)], ['license', 'license']);
  }
});

test('an end on one node is one on the other within a second', async () => {
  const ends = {
    license: async (id: string) => {
      const [{ id: licenseId }] = await licensesHeld(id);
      return here.call('POST', `/v1/licenses/${licenseId}/revoke`);
    },
    'requester token': (id: string, tokenId: string) => here.call('DELETE', `/v1/requesters/${id}/tokens/${tokenId}`),
    requester: (id: string) => here.call('DELETE', `/v1/requesters/${id}`),
    key: () => here.call('POST', '/v1/signing-keys/rotate', { body: { atOnce: true } }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const { id, tokenId, tokens } = await requester();
    const [token = ''] = tokens;
    assert.equal(await verified(there, token), 'license');
    assertStatus(await end(id, tokenId), 200);
    assert.equal(await verified(here, token), 'invalid_token', what);
    await until(what, async () => (await verified(there, token)) === 'invalid_token', ELSEWHERE_MS);
  }
  assert.deepEqual(await kids(here), await kids(there));
});
