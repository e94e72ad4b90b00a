/** Keys of agents survive a restart: the first signed request is judged as the last one before it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { newSigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { allowAll, made, makePolicy } from '../http/given.ts';
import { authorize, serve } from './asking.ts';

const DAY_MS = 86_400_000;
const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

const KEYS = [newSigningKey(), newSigningKey('rsa-pss-sha512')] as const;
const published = { status: 200, requests: 0, keys: KEYS.map(({ jwk }) => ({ ...jwk, nbf: 1, exp: 4e9 })) };
const directory = createServer((_, response) => {
  published.requests++;
  const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=86400' };
  response.writeHead(published.status, headers).end(JSON.stringify({ keys: published.keys }));
});
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
after(() => directory.close());
const AGENT = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;

const { id: policyId } = await makePolicy(postern, [allowAll]);
await serve(postern, '/page', policyId);
const register = () =>
  made(postern, '/v1/requesters', { id: 'partner', identities: [{ kind: 'signature', agent: AGENT }] });

async function verified(key: (typeof KEYS)[number]): Promise<string | null> {
  const url = 'https://site.example/page';
  const headers = signRequest(key, { url, headers: { 'signature-agent': `sig1="${AGENT}"` }, at: clock.now() });
  return (await authorize(postern, '/page', { headers })).headers.get('x-postern-verified');
}
const kept = async () => (await postern.rowsOf('agent_keys')) as { agent: string }[];

test('a restart has the keys before its first request, and without a fetch', async () => {
  await register();
  for (const key of KEYS) await until('verified', async () => (await verified(key)) === 'signature');
  await until('kept', async () => (await kept()).length === 1);
  const before = published.requests;
  published.status = 500;
  await postern.restart();
  for (const key of KEYS) assert.equal(await verified(key), 'signature');
  assert.equal(published.requests, before, 'young keys are not fetched again');
  assert.equal(await verified(newSigningKey()), '', 'an unknown key');
});

test('keys whose lifetime ended while Postern was down count again once they are fetched', async () => {
  await postern.service.close();
  clock.advance(DAY_MS);
  published.status = 200;
  published.keys = published.keys.slice(0, 1);
  await postern.restart();
  await until('fetched', async () => (await verified(KEYS[0])) === 'signature');
  assert.equal(await verified(KEYS[1]), '', 'it was withdrawn');
});

test('keys that could not be refreshed for a week are forgotten', async () => {
  await postern.service.close();
  published.status = 500;
  clock.advance(8 * DAY_MS);
  await postern.restart();
  assert.equal(await verified(KEYS[0]), '');
  assert.deepEqual(await kept(), []);
});

test('keys of an agent that no requester has any more are forgotten', async () => {
  published.status = 200;
  await until('fetched', async () => (await verified(KEYS[0])) === 'signature', 30_000);
  await until('kept', async () => (await kept()).length === 1);
  await postern.call('DELETE', '/v1/requesters/partner');
  await until('forgotten', async () => (await kept()).length === 0);
});
