/**
 * A claim that fails spends nothing: the answers to real requesters, and their limits, quotas and usage, are those of a
 * service that receives the same traffic without the forged requests.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { type Random, seeded } from '../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { newSigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { made, makePolicy } from '../http/given.ts';
import { authorize, serve } from './asking.ts';

const REQUESTS = 200;
const SEED = 16;
const START = Date.parse('2026-11-21T09:30:00Z');
const KEY = newSigningKey();
const directory = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [KEY.jwk] }));
});
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
after(() => directory.close());
const AGENT = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
const PARTIES = ['signing', 'ranged', 'holding'] as const;
type Party = (typeof PARTIES)[number];
const PATHS = ['/paid', '/limited'] as const;

interface Site extends AsyncDisposable {
  postern: TestService;
  clock: ReturnType<typeof testClock>;
  licenses: string[];
  token: string;
  revoked: string;
}

async function open(): Promise<Site> {
  const clock = testClock(START);
  const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const limit = (requests: number) => ({ requests, period: 'hour', scope: 'requester' });
  const paid = { action: 'allow', conditions: { licenseType: 'site' }, rateLimit: limit(25) };
  await serve(postern, '/paid', (await makePolicy(postern, [paid, { action: 'deny', conditions: {} }])).id);
  const free = { action: 'allow', conditions: {}, rateLimit: limit(12) };
  await serve(postern, '/limited', (await makePolicy(postern, [free])).id);
  const identities = {
    signing: [{ kind: 'signature', agent: AGENT }],
    ranged: [{ kind: 'ip', ranges: ['192.0.2.0/24'] }],
    holding: [{ kind: 'ip', ranges: ['198.51.100.0/24'] }],
  };
  const tiers = [{ upTo: null, unitPriceMicros: 1 }];
  const quota = { units: 60, onExceed: 'deny' };
  const terms = { currency: 'EUR', timezone: 'Europe/Berlin', period: 'month', unit: 'decision', tiers, quota };
  const licenses: string[] = [];
  for (const id of PARTIES) {
    await made(postern, '/v1/requesters', { id, userAgents: [`${id}-bot`], identities: identities[id] });
    licenses.push((await made(postern, '/v1/licenses', { requesterId: id, type: 'site', terms })).id);
  }
  const { token } = await made(postern, '/v1/requesters/holding/tokens', { name: 'T' });
  const gone = await made(postern, '/v1/requesters/holding/tokens', { name: 'revoked' });
  await postern.call('DELETE', `/v1/requesters/holding/tokens/${gone.id}`);
  await until('the keys of the agent', () => hasKeys(postern, clock));
  return {
    postern,
    clock,
    licenses,
    token,
    revoked: gone.token,
    [Symbol.asyncDispose]: () => postern[Symbol.asyncDispose](),
  };
}

/** Asks without a decision: what is asked of no item is not recorded. */
async function hasKeys(postern: TestService, clock: Site['clock']): Promise<boolean> {
  const headers = signed('/paid', clock.now());
  const visitor = {
    signature: headers.signature,
    signatureInput: headers['signature-input'],
    signatureAgent: headers['signature-agent'],
  };
  const body = { url: 'https://site.example/paid', visitor, dryRun: true };
  return (await postern.call('POST', '/v1/access/check', { body })).body.verified === 'signature';
}

function signed(path: string, at: number, more: { host?: string; key?: typeof KEY } = {}): Record<string, string> {
  const { host = 'site.example', key = KEY } = more;
  const headers = { 'signature-agent': `sig1="${AGENT}"` };
  return signRequest(key, { url: `https://${host}${path}`, headers, parameters: { keyid: KEY.keyId }, at });
}

/** A request that its requester really makes. */
function real(party: Party, path: string, { clock, token }: Site): Record<string, string> {
  if (party === 'signing') return { 'user-agent': 'signing-bot', ...signed(path, clock.now()) };
  if (party === 'ranged') return { 'user-agent': 'ranged-bot', 'x-forwarded-for': '192.0.2.7' };
  return { 'user-agent': 'curl/8', authorization: `Bearer ${token}` };
}

const other = newSigningKey();
/** Requests in the name of others. Each form fails on its own. */
const FORGED: Record<string, (path: string, site: Site) => Record<string, string>> = {
  'another key': (path, { clock }) => signed(path, clock.now(), { key: other }),
  'another site': (path, { clock }) => signed(path, clock.now(), { host: 'x.example' }),
  expired: (path, { clock }) => signed(path, clock.now() - 600_000),
  unreadable: (path, { clock }) => ({ ...signed(path, clock.now()), 'signature-input': 'sig1=(' }),
  'without the bytes': (path, { clock }) => ({ ...signed(path, clock.now()), signature: '' }),
  'an address outside': () => ({ 'user-agent': 'ranged-bot', 'x-forwarded-for': '203.0.113.9' }),
  'the address of another': () => ({ 'user-agent': 'holding-bot', 'x-forwarded-for': '192.0.2.7' }),
  'a revoked token': (_, { revoked }) => ({ authorization: `Bearer ${revoked}`, 'user-agent': 'curl/8' }),
  'a token that is made up': (_, { token }) => ({ authorization: `Bearer ${token.slice(0, -6)}aaaaaa` }),
};
const FORMS = Object.keys(FORGED);

async function forge(random: Random, site: Site): Promise<void> {
  const form = random.pick(FORMS);
  const path = random.pick(PATHS);
  const headers = { 'user-agent': 'signing-bot', ...FORGED[form]?.(path, site) };
  const answer = await authorize(site.postern, path, { headers });
  assert.equal(answer.headers.get('x-postern-requester') ?? '', '', form);
  assert.equal(answer.headers.get('x-postern-verified') ?? '', '', form);
}

/** Everything that is counted for the real requesters. */
async function counted({ postern, licenses }: Site) {
  const usage = await postern.call('GET', '/v1/analytics/usage?startDate=2026-11-01&endDate=2026-12-31');
  const byRequester = await Promise.all(
    PARTIES.map(async (id) => {
      const query = `startDate=2026-11-01&endDate=2026-12-31&requesterId=${id}`;
      const { summary, byDenialReason } = (await postern.call('GET', `/v1/analytics/usage?${query}`)).body;
      return { id, summary, byDenialReason };
    }),
  );
  const quotas = await Promise.all(
    licenses.map(async (id) => (await postern.call('GET', `/v1/licenses/${id}/usage`)).body.quota),
  );
  return { total: usage.body.summary.totalRequests as number, told: { byRequester, quotas } };
}

test('real requesters are answered and counted as if nobody had used their names', async () => {
  await using quiet = await open();
  await using loud = await open();
  const random = seeded(SEED);
  let forged = 0;
  for (let i = 0; i < REQUESTS; i++) {
    const [party, path] = [random.pick(PARTIES), random.pick(PATHS)];
    const minutes = random.int(0, 3);
    for (const site of [quiet, loud]) site.clock.advance(minutes * 60_000);
    for (; random.chance(0.6); forged++) await forge(random, loud);
    const told = [];
    for (const site of [quiet, loud]) {
      const { status, headers } = await authorize(site.postern, path, { headers: real(party, path, site) });
      const names = ['requester', 'verified', 'allowed', 'reason', 'status'].map((name) => `x-postern-${name}`);
      told.push([
        status,
        ...[...names, 'retry-after', 'ratelimit', 'ratelimit-policy'].map((name) => headers.get(name)),
      ]);
    }
    assert.deepEqual(told[1], told[0], `request ${i}: ${party} ${path}, after ${forged} forged ones`);
    assert.equal(told[0]?.[1], party);
  }
  const [without, beside] = [await counted(quiet), await counted(loud)];
  assert.deepEqual(beside.told, without.told);
  const [{ summary } = { summary: undefined }] = without.told.byRequester;
  assert.ok(summary.allowed > 0 && summary.denied > 0, 'limits were reached');
  assert.equal(without.total, REQUESTS);
  assert.ok(beside.total > REQUESTS + forged / 2, 'what failed is recorded, for nobody');
});
