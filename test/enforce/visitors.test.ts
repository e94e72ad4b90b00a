/**
 * Visitors that prove who they are, by a token or a signature, through `/v1/authorize` and checks. What fails leads to
 * no requester, no license and no limit of the one that was claimed.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { newSigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { assertError, check, made, makePolicy } from '../http/given.ts';
import { assertRefused, authorize, recorded, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

const KEY = newSigningKey();
const directory = createServer((_, response) => {
  const type = 'application/http-message-signatures-directory+json';
  response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ keys: [KEY.jwk] }));
});
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
after(() => directory.close());
const AGENT = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;

const POLICY = (
  await makePolicy(postern, [
    { action: 'allow', conditions: { licenseType: 'site' }, rateLimit: { requests: 1_000, period: 'hour' } },
    { action: 'deny', conditions: {} },
  ])
).id;
const item = await serve(postern, '/paid', POLICY);
await made(postern, '/v1/requesters', {
  id: 'partner',
  userAgents: ['PartnerBot'],
  identities: [{ kind: 'signature', agent: AGENT }],
});
await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });
const makeToken = () => made(postern, '/v1/requesters/partner/tokens', { name: 'T' });

const URL_PAID = 'https://site.example/paid?a=1';
const signed = (changed: Record<string, string> = {}, url = URL_PAID) => ({
  ...signRequest(KEY, { url, headers: { 'signature-agent': `sig1="${AGENT}"` }, at: clock.now() }),
  ...changed,
});
const asks = (headers: Record<string, string>) => authorize(postern, '/paid?a=1', { headers });
const who = async (headers: Record<string, string>) => {
  const answer = await asks(headers);
  const { requesterId, verified, spoofed, claimed, allowed } = await recorded(postern, answer);
  const told = ['requester', 'verified'].map((name) => answer.headers.get(`x-postern-${name}`));
  assert.deepEqual(told, [requesterId ?? '', verified ?? '']);
  return { allowed, requesterId, verified, ...(spoofed === undefined ? {} : { spoofed, claimed }) };
};

describe('remedies', () => {
  test('name the proofs that would turn the denial, of those that the visitor could give', async () => {
    const { id } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
    const asked = async (requesterVerified: unknown) => {
      const rules = [{ action: 'allow', conditions: { requesterId: 'partner', requesterVerified } }];
      await postern.call('PATCH', `/v1/policies/${id}`, { body: { rules } });
      const { id: contentId } = await serve(postern, `/proof-${String(requesterVerified)}`, id);
      const answer = await postern.call('POST', '/v1/access/check', {
        body: { contentId, requesterId: 'partner', explain: true },
      });
      return answer.body.remedies;
    };
    assert.deepEqual(await asked(['signature', 'ip']), [{ kind: 'verification', verified: ['signature'] }]);
    assert.deepEqual(await asked(true), [{ kind: 'verification', verified: ['token', 'signature'] }]);
    assert.deepEqual(await asked(['dns']), []);
  });
});

describe('a token', () => {
  test('makes its visitor that requester, verified', async () => {
    const { token } = await makeToken();
    assert.deepEqual(await who({ authorization: `Bearer ${token}`, 'user-agent': 'curl/8' }), {
      allowed: true,
      requesterId: 'partner',
      verified: 'token',
    });
    const visitor = { authorization: `bearer ${token}` };
    const got = await check(postern, { contentId: item.id, visitor });
    assert.deepEqual([got.requesterId, got.verified, got.allowed], ['partner', 'token', true]);
    assert.ok(!postern.logs.join('\n').includes(token), 'it is never logged');
    assert.ok(!JSON.stringify(await postern.rowsOf('decisions')).includes(token), 'nor recorded');
  });

  test('that is revoked, expired or made up is refused, also where the rest is open', async () => {
    const { id, token } = await makeToken();
    await postern.call('DELETE', `/v1/requesters/partner/tokens/${id}`);
    const madeUp = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;
    for (const one of [token, madeUp, 'svc_rt_']) {
      const headers = { authorization: `Bearer ${one}`, 'user-agent': 'PartnerBot' };
      assertRefused(await asks(headers), 'invalid_token');
      const path = '/v1/authorize?origin=https://site.example&denyStatus=401&unknown=allow';
      assert.equal((await authorize(postern, '/paid', { path, headers })).status, 401);
      const body = { contentId: item.id, visitor: { authorization: `Bearer ${one}` } };
      const answer = await postern.call('POST', '/v1/access/check', { body });
      assertError(answer, 'invalid_token', 'visitor.authorization');
    }
  });

  test('of others is none of ours', async () => {
    const visit = { authorization: 'Bearer eyJhbGciOi', 'user-agent': 'PartnerBot/1' };
    assert.deepEqual(await who(visit), { allowed: true, requesterId: 'partner', verified: null });
  });
});

describe('a signature', () => {
  test('of a registered agent makes its visitor that requester, once its keys are there', async () => {
    await until('the keys of the agent', async () => (await who(signed())).verified === 'signature');
    assert.deepEqual(await who(signed({ 'user-agent': 'Mozilla/5.0' })), {
      allowed: true,
      requesterId: 'partner',
      verified: 'signature',
    });
  });

  test('that is wrong belongs to no requester', async () => {
    await until('the keys of the agent', async () => (await who(signed())).verified === 'signature');
    const wrong = signed({}, 'https://other.example/paid?a=1');
    const visit = { ...wrong, 'user-agent': 'PartnerBot' };
    assert.deepEqual(await who(visit), {
      allowed: false,
      requesterId: null,
      verified: null,
      spoofed: true,
      claimed: 'partner',
    });
  });

  test('of an unregistered agent says nothing', async () => {
    const headers = signed({ 'signature-agent': 'sig1="https://nobody.example"', 'user-agent': 'PartnerBot' });
    assert.deepEqual(await who(headers), { allowed: true, requesterId: 'partner', verified: null });
  });

  test('is verified by checks by URL too, alone and in a batch', async () => {
    await until('the keys of the agent', async () => (await who(signed())).verified === 'signature');
    const { signature, 'signature-input': signatureInput, 'signature-agent': signatureAgent } = signed();
    const visitor = { signature, signatureInput, signatureAgent };
    const right = { url: URL_PAID, visitor };
    const got = await check(postern, right);
    assert.deepEqual([got.requesterId, got.verified, got.contentId], ['partner', 'signature', item.id]);
    const checks = [right, { ...right, url: 'http://site.example:81/paid' }, { ...right, url: 'https://x.example/' }];
    const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
    assert.equal(body.data[0].verified, 'signature');
    assert.equal(body.data[2].error.code, 'content_not_found');
  });

  test('needs no stated verification beside it', async () => {
    const body = { contentId: item.id, visitor: {}, context: { verified: 'token' } };
    assertError(await postern.call('POST', '/v1/access/check', { body }), 'invalid_request', 'visitor');
  });
});

test('a request that nothing answers is counted, by host and segment', async () => {
  const path = '/v1/authorize?origin=https://unregistered.example';
  for (let i = 0; i < 3; i++) {
    await authorize(postern, `/news/${i}`, { path, headers: { 'user-agent': 'GPTBot/1.2' } });
  }
  await postern.call('POST', '/v1/access/check', { body: { url: 'https://unregistered.example/', dryRun: true } });
  await postern.call('POST', '/v1/access/check', { body: { url: 'https://unregistered.example/', requesterId: 'r' } });
  const { body } = await postern.call('GET', '/v1/analytics/unregistered?host=unregistered.example');
  const rows = body.data.map((row: Record<string, unknown>) => [row.path, row.crawler, row.requesterId, row.requests]);
  assert.deepEqual(rows, [
    ['/news', 'GPTBot', null, 3],
    ['/', null, 'r', 1],
  ]);
});

describe('a denial that a signature would turn', () => {
  test('asks for one, and only visitors that can sign', async () => {
    const rules = [{ action: 'allow', conditions: { requesterVerified: ['signature'] } }, { action: 'deny' }];
    await serve(postern, '/signed', (await makePolicy(postern, rules)).id);
    const wanted = async (path: string, headers: Record<string, string>) =>
      (await authorize(postern, path, { headers })).headers.get('accept-signature');
    const text = await wanted('/signed', { 'user-agent': 'PartnerBot/1' });
    assert.match(text ?? '', /^sig1=\("@authority" "signature-agent"\);.*tag="web-bot-auth"$/);
    assert.equal(await wanted('/signed', { 'user-agent': 'Mozilla/5.0' }), null);
    const identities = [
      { kind: 'ip', ranges: ['203.0.113.0/24'] },
      { kind: 'signature', agent: 'https://both.example' },
    ];
    await made(postern, '/v1/requesters', { id: 'both', userAgents: ['BothBot'], identities });
    for (const address of ['203.0.113.5', '198.51.100.9', undefined]) {
      const from: Record<string, string> = address === undefined ? {} : { 'x-forwarded-for': address };
      assert.equal(await wanted('/signed', { 'user-agent': 'BothBot/1', ...from }), text, address ?? 'none');
    }
    const closed = await makePolicy(postern, [{ action: 'deny' }]);
    await serve(postern, '/closed-to-all', closed.id);
    assert.equal(await wanted('/closed-to-all', { 'user-agent': 'PartnerBot/1' }), null);
  });
});

describe('an address', async () => {
  const ranges = ['192.0.2.0/24'];
  await made(postern, '/v1/requesters', {
    id: 'ranged',
    userAgents: ['RangedBot'],
    identities: [{ kind: 'ip', ranges }],
  });
  await made(postern, '/v1/licenses', { requesterId: 'ranged', type: 'site' });
  const from = (ip: string, userAgent = 'RangedBot/1') => who({ 'x-forwarded-for': ip, 'user-agent': userAgent });
  const NOBODY = { allowed: false, requesterId: null, verified: null };

  test('in the ranges of a name verifies it, and one outside is a false claim', async () => {
    assert.deepEqual(await from('192.0.2.7'), { allowed: true, requesterId: 'ranged', verified: 'ip' });
    assert.deepEqual(await from('198.51.100.7'), { ...NOBODY, spoofed: true, claimed: 'ranged' });
    assert.deepEqual(await from('198.51.100.7', 'Other'), NOBODY);
  });

  test('is judged in checks too; a requester that the caller names is not accused', async () => {
    const ask = async (ip: string, more: object) => {
      const got = await check(postern, { contentId: item.id, context: { ip, ...more }, requesterId: 'ranged' });
      return [got.requesterId, got.verified, got.spoofed ?? false];
    };
    assert.deepEqual(await ask('192.0.2.7', {}), ['ranged', 'ip', false]);
    assert.deepEqual(await ask('198.51.100.7', {}), ['ranged', null, false]);
    assert.deepEqual(await ask('198.51.100.7', { userAgent: 'Mozilla' }), ['ranged', null, false]);
    assert.deepEqual(await ask('198.51.100.7', { userAgent: 'RangedBot' }), [null, null, true]);
    // The calling server vouches for it.
    assert.deepEqual(await ask('198.51.100.7', { userAgent: 'RangedBot', verified: 'dns' }), ['ranged', 'dns', false]);
  });

  test('outside the ranges of a name that only the user agent of an anonymous check claims is a false claim', async () => {
    const ask = async (context: object, more = {}) => {
      const got = await check(postern, { contentId: item.id, context, ...more });
      return [got.requesterId, got.verified, got.spoofed ?? false, got.claimed ?? null];
    };
    const userAgent = 'Mozilla/5.0 (compatible; RangedBot/1.0)';
    assert.deepEqual(await ask({ ip: '198.51.100.7', userAgent }), [null, null, true, 'ranged']);
    assert.deepEqual(await ask({ ip: '192.0.2.7', userAgent }), [null, null, false, null]);
    assert.deepEqual(await ask({ userAgent }), [null, null, false, null]);
    assert.deepEqual(await ask({ ip: '198.51.100.7', userAgent: 'Mozilla/5.0' }), [null, null, false, null]);
    // The calling server names the requester, or has verified it.
    assert.deepEqual(await ask({ ip: '198.51.100.7', userAgent }, { requesterId: 'reader' }), [
      'reader',
      null,
      false,
      null,
    ]);
    assert.deepEqual(await ask({ ip: '198.51.100.7', userAgent, verified: 'ip' }), [null, 'ip', false, null]);
  });

  test('uses up no limit of the one that was claimed', async () => {
    const rules = [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day', scope: 'requester' } }];
    const limited = await serve(postern, '/limited', (await makePolicy(postern, rules)).id);
    const ask = (ip: string) => {
      const context = { ip, userAgent: 'RangedBot' };
      return check(postern, { contentId: limited.id, requesterId: 'ranged', context });
    };
    await ask('198.51.100.7');
    assert.equal((await ask('192.0.2.7')).allowed, true);
  });
});
