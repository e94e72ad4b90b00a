/**
 * Visitors that try to be another: spellings of tokens, repeated headers, odd parameters of signatures, chains of
 * addresses, stated verification; and what candidates and observed collections make of a false name.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { newSigningKey, type SigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, made, makePolicy, wire } from '../http/given.ts';
import { authorize, ORIGIN, recorded, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({
  clock,
  env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_TRUSTED_PROXIES: '10.0.0.0/8' },
});
after(() => postern[Symbol.asyncDispose]());

const [KEY, OTHER] = [newSigningKey(), newSigningKey()];
/** Publishes keys; the second agent publishes the key of the first too. */
async function publish(keys: readonly SigningKey[]): Promise<string> {
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const AGENT = await publish([KEY]);
const THIEF = await publish([OTHER, KEY]);

const LIMIT = { requests: 1_000, period: 'day', scope: 'requester' };
const POLICY = (
  await makePolicy(postern, [
    { action: 'allow', conditions: { licenseType: 'site', requesterVerified: true }, rateLimit: LIMIT },
    { action: 'deny', conditions: {} },
  ])
).id;
await serve(postern, '/paid', POLICY);
const identities = {
  partner: [{ kind: 'signature', agent: AGENT }],
  thief: [{ kind: 'signature', agent: THIEF }],
  ranged: [{ kind: 'ip', ranges: ['192.0.2.0/24', '2001:db8:1::/48'] }],
};
for (const [id, given] of Object.entries(identities)) {
  await made(postern, '/v1/requesters', { id, userAgents: [`${id}-bot`], identities: given });
}
await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });
await made(postern, '/v1/licenses', { requesterId: 'ranged', type: 'site' });
const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });

const URL_PAID = `${ORIGIN}/paid`;
const NOBODY = [false, null, null];

type Headers = Record<string, string | string[]>;
/** Returns whether it is allowed, its requester, how that was verified; and who was claimed. */
async function who(headers: Headers, path = '/paid'): Promise<unknown[]> {
  const answer = await authorize(postern, path, { headers });
  if (!answer.headers.get('x-postern-decision')) return [answer.headers.get('x-postern-error')];
  const { allowed, requesterId, verified, claimed } = await recorded(postern, answer);
  return [allowed, requesterId, verified, ...(claimed === undefined ? [] : [claimed])];
}

const sign = (key: SigningKey, agent: string, more: Partial<Parameters<typeof signRequest>[1]> = {}): Headers =>
  signRequest(key, { url: URL_PAID, headers: { 'signature-agent': `sig1="${agent}"` }, at: clock.now(), ...more });
await until('the keys of the agents', async () => (await who(sign(KEY, AGENT)))[2] === 'signature');
await until('the keys of the thief', async () => (await who(sign(OTHER, THIEF)))[2] === 'signature');

describe('a token', () => {
  const RIGHT = [true, 'partner', 'token'];
  const REFUSED = ['invalid_token'];
  const forms: [string, string, unknown[]][] = [
    ['in any case of the scheme', `bEARER ${token}`, RIGHT],
    ['after several spaces', `Bearer   ${token}`, RIGHT],
    ['in capitals', `Bearer ${token.toUpperCase()}`, REFUSED],
    ['with more behind it', `Bearer ${token}x`, REFUSED],
    ['cut', `Bearer ${token.slice(0, -1)}`, REFUSED],
    ['twice', `Bearer ${token}, Bearer ${token}`, REFUSED],
    ['with a parameter', `Bearer ${token} realm="x"`, REFUSED],
    ['as a password', `Basic ${Buffer.from(`${token}:`).toString('base64')}`, NOBODY],
    ['without a scheme', token, NOBODY],
    ['after a tab', `Bearer\t${token}`, RIGHT],
  ];
  for (const [how, authorization, expected] of forms) {
    test(how, async () => assert.deepEqual(await who({ authorization }), expected));
  }
  test('proves the requester, whatever name is claimed beside it; a wrong signature takes nothing away', async () => {
    const headers = { ...sign(OTHER, AGENT), authorization: `Bearer ${token}`, 'user-agent': 'ranged-bot' };
    assert.deepEqual(await who({ ...headers, 'x-forwarded-for': '198.51.100.1' }), RIGHT);
  });
});

describe('a signature', () => {
  test('of one agent never speaks for another with the same key', async () => {
    assert.deepEqual(await who(sign(KEY, THIEF)), [false, 'thief', 'signature']);
    const { 'signature-agent': _, ...others } = sign(KEY, THIEF);
    assert.deepEqual(await who({ ...others, 'signature-agent': `sig1="${AGENT}"` }), [...NOBODY, 'partner']);
    const both = `sig1="${THIEF}", sig2="${AGENT}"`;
    assert.deepEqual(await who({ ...others, 'signature-agent': both }), [false, 'thief', 'signature']);
    assert.deepEqual(
      await who(sign(OTHER, AGENT)),
      [...NOBODY, 'partner'].slice(0, 3).concat([]),
      'its key is unknown',
    );
  });

  test('in headers that are sent twice is judged as one list', async () => {
    const {
      signature,
      'signature-input': input,
      'signature-agent': agent,
    } = sign(KEY, AGENT) as Record<string, string>;
    const other = sign(OTHER, THIEF, { label: 'sig2', headers: { 'signature-agent': `sig2="${THIEF}"` } }) as Record<
      string,
      string
    >;
    const twice = {
      signature: [signature, other.signature],
      'signature-input': [input, other['signature-input']],
      'signature-agent': [agent, other['signature-agent']],
    } as Headers;
    const [, id, verified] = await who(twice);
    assert.deepEqual([id, verified], ['partner', 'signature'], 'the first of those that verify');
    // The second member replaces the first: the signature covers another agent than the header says.
    const replaced = { ...twice, signature: signature as string, 'signature-input': input as string };
    const redefined = { ...replaced, 'signature-agent': [agent as string, `sig1="${THIEF}"`] };
    assert.deepEqual(await who(redefined), [...NOBODY, 'thief']);
  });

  const parameters: [string, Record<string, string | number | undefined>, unknown[]][] = [
    ['an end before the epoch', { expires: -1 }, [...NOBODY, 'partner']],
    ['an end in a million years', { expires: 99_999_999_999_999 }, [true, 'partner', 'signature']],
    [
      'parameters that nobody knows',
      { 'x-more': 'é'.normalize('NFD').slice(0, 1), z: 1 },
      [true, 'partner', 'signature'],
    ],
    ['another tag', { tag: 'web-bot-auth ' }, NOBODY],
    ['the tag in capitals', { tag: 'Web-Bot-Auth' }, NOBODY],
  ];
  for (const [what, given, expected] of parameters) {
    test(`with ${what}`, async () => {
      assert.deepEqual(await who(sign(KEY, AGENT, { parameters: given })), expected);
    });
  }

  const rewritten: [string, RegExp, string][] = [
    ['a number as its key id', /keyid="[^"]*"/, 'keyid=7'],
    ['a token as its key id', /keyid="([^"]*)"/, 'keyid=a'],
    ['times of text', /created=(\d+)/, 'created="$1"'],
    ['times that are no integers', /expires=(\d+)/, 'expires=$1.5'],
    ['a time twice, the second from long ago', /$/, ';expires=1'],
    ['a secret as its algorithm', /alg="[^"]*"/, 'alg="hmac-sha256"'],
    ['a component twice', /"@authority"/, '"@authority" "@authority"'],
    ['no component', /\([^)]*\)/, '()'],
    ['the agent of the whole request', /"signature-agent";key="sig1"/, '"signature-agent";req;key="sig1"'],
  ];
  for (const [what, from, to] of rewritten) {
    test(`with ${what}`, async () => {
      const headers = sign(KEY, AGENT);
      const input = (headers['signature-input'] as string).replace(from, to);
      const [allowed, id, verified] = await who({ ...headers, 'signature-input': input });
      assert.deepEqual([allowed, id, verified], NOBODY);
    });
  }

  test('at the edges of sixty seconds', async () => {
    const now = Math.floor(clock.now() / 1000);
    const at = (created: number, expires: number) =>
      who(sign(KEY, AGENT, { parameters: { created: now + created, expires: now + expires } }));
    clock.advance(1000 - (clock.now() % 1000) + 0);
    const RIGHT = [true, 'partner', 'signature'];
    const WRONG = [...NOBODY, 'partner'];
    assert.deepEqual(await at(61, 120), RIGHT);
    assert.deepEqual(await at(62, 120), WRONG);
    assert.deepEqual(await at(-120, -59), RIGHT);
    assert.deepEqual(await at(-120, -60), WRONG);
  });

  test('that is wrong in one of many checks spoils no other, and spends nothing', async () => {
    const visitorOf = (headers: Headers) => ({
      signature: headers.signature,
      signatureInput: headers['signature-input'],
      signatureAgent: headers['signature-agent'],
    });
    const right = { url: URL_PAID, visitor: visitorOf(sign(KEY, AGENT)) };
    const wrong = { url: URL_PAID, visitor: { ...visitorOf(sign(KEY, AGENT)), signature: 'sig1=:AAAA:' } };
    const moved = { url: 'https://x.example/paid', visitor: right.visitor };
    const stated = { ...right, context: { verified: 'token' } };
    const named = { url: URL_PAID, requesterId: 'partner', visitor: wrong.visitor };
    const { body } = await postern.call('POST', '/v1/access/check/batch', {
      body: { checks: [right, wrong, moved, stated, named, right] },
    });
    const seen = body.data.map((one: Record<string, unknown>) =>
      one.error === undefined
        ? [one.allowed, one.requesterId, one.verified, one.claimed]
        : (one.error as { code: string }).code,
    );
    assert.deepEqual(seen, [
      [true, 'partner', 'signature', undefined],
      [...NOBODY, 'partner'],
      'content_not_found',
      'invalid_request',
      [...NOBODY, 'partner'],
      [true, 'partner', 'signature', undefined],
    ]);
    const left = body.data[5].rateLimit.remaining;
    assert.equal(body.data[0].rateLimit.remaining, left + 1);
  });
});

describe('an address', () => {
  const from = (forwarded: string | string[], userAgent = 'ranged-bot/1') =>
    who({ 'x-forwarded-for': forwarded, 'user-agent': userAgent });
  const RIGHT = [true, 'ranged', 'ip'];
  const FORGED = [...NOBODY, 'ranged'];
  const UNKNOWN = [false, 'ranged', null];
  const chains: [string, string | string[], unknown[]][] = [
    ['of the last hop', '192.0.2.1', RIGHT],
    ['before the last hop is the visitor’s own word', '192.0.2.1, 198.51.100.1', FORGED],
    ['behind trusted proxies', '192.0.2.1, 10.0.0.1, 10.1.1.1', RIGHT],
    ['with a stranger between the proxies', '192.0.2.1, 198.51.100.1, 10.0.0.1', FORGED],
    ['in two headers', ['192.0.2.1', '198.51.100.1'], FORGED],
    ['IPv4 in IPv6', '::ffff:192.0.2.1', RIGHT],
    ['IPv4 in IPv6, in hexadecimal', '::FFFF:C000:201', RIGHT],
    ['IPv4 in a translated range is another', '64:ff9b::c000:201', FORGED],
    ['IPv6 in full', '2001:0db8:0001:0000:0000:0000:0000:0001', RIGHT],
    ['IPv6 with a zone', '2001:db8:1::1%eth0', RIGHT],
    ['with a port', '192.0.2.1:443', RIGHT],
    ['of another, with a port', '192.0.2.1, 198.51.100.1:443', FORGED],
    ['in brackets', '[2001:db8:1::1]', RIGHT],
    ['in brackets, of another', '[2001:db8:2::1]:443', FORGED],
    ['in octal', '0300.0.02.01', NOBODY],
    ['as a number', '3221225985', NOBODY],
    ['empty at the end', '192.0.2.1,', NOBODY],
    ['absent', [], UNKNOWN],
  ];
  for (const [what, chain, expected] of chains) {
    test(what, async () => assert.deepEqual(await from(chain), expected));
  }

  test('names in any spelling of the user agent are the same claim', async () => {
    for (const agent of ['RANGED-BOT', 'Mozilla/5.0 (ranged-bot)', 'ranged-bot thief-bo', 'x;ranged-bot-1.2']) {
      assert.deepEqual(await from('198.51.100.1', agent), FORGED, agent);
    }
    const others = [
      'xranged-bot',
      'ranged-botx',
      'ranged-bot-news',
      'x (+https://bots.example/ranged-bot)',
      'a@ranged-bot',
    ];
    for (const agent of [...others, 'ranged_bot', 'ranged -bot', 'rаnged-bot']) {
      const [allowed, id] = await from('198.51.100.1', Buffer.from(agent).toString('latin1'));
      assert.deepEqual([allowed, id], [false, null], agent);
    }
  });

  test('two user agents in a request: the first is the one', async () => {
    assert.deepEqual(await who({ 'user-agent': ['ranged-bot', 'Mozilla'], 'x-forwarded-for': '198.51.100.1' }), FORGED);
  });
});

describe('a stated verification', () => {
  test('is for keys that are secret, and one of the kinds', async () => {
    const body = { url: URL_PAID, requesterId: 'partner', context: { verified: 'ip' } };
    const ask = (more: object, key?: string) =>
      postern.call('POST', '/v1/access/check', { body: { ...body, ...more }, ...(key === undefined ? {} : { key }) });
    assert.equal((await ask({})).body.allowed, true);
    const publicKey = await made(postern, '/v1/api-keys', { name: 'P', type: 'public', permissions: ['access:check'] });
    assertError(await ask({}, publicKey.key), 'invalid_request', 'context.verified');
    for (const verified of ['IP', 'true', true, '', 'password', ['ip']]) {
      assertStatus(await ask({ context: { verified } }), 400);
    }
    const batch = await postern.call('POST', '/v1/access/check/batch', {
      body: { checks: [body] },
      key: publicKey.key,
    });
    assert.equal(batch.body.data[0].error.param, 'context.verified');
    assertStatus(await ask({ context: { claimed: 'partner' } }), 400);
    assertStatus(await ask({ claimed: 'partner' }), 400);
  });

  test('by an address that a public key makes up leaves no trace, genuine or forged', async () => {
    const { key } = await made(postern, '/v1/api-keys', { name: 'P', type: 'public', permissions: ['access:check'] });
    const log = async () => (await postern.call('GET', '/v1/access/decisions?limit=1')).body.data[0]?.id;
    const before = await log();
    for (const [ip, verified, spoofed] of [
      ['192.0.2.7', 'ip', undefined],
      ['198.51.100.1', undefined, true],
    ]) {
      const context = { ip, userAgent: 'ranged-bot' };
      const { body } = await postern.call('POST', '/v1/access/check', {
        body: { url: URL_PAID, requesterId: 'ranged', context },
        key,
      });
      assert.deepEqual([body.recorded, body.verified ?? undefined, body.spoofed], [false, verified, spoofed]);
    }
    assert.equal(await log(), before);
  });
});

describe('a false name', () => {
  test('has no requester for a candidate either, and none where it is only observed', async () => {
    const policy = await makePolicy(postern, [
      { action: 'allow', conditions: { requesterId: 'ranged' } },
      { action: 'deny', conditions: {} },
    ]);
    const candidate = { rules: [{ action: 'allow', conditions: { hasValidLicense: true } }], defaultAction: 'deny' };
    assertStatus(await postern.call('PUT', `/v1/policies/${policy.id}/candidate`, { body: candidate }), 201);
    await made(postern, '/v1/collections', {
      name: 'Observed',
      hosts: ['observed.example'],
      policyId: policy.id,
      mode: 'observe',
    });
    const path = '/v1/authorize?origin=https://observed.example';
    const ask = (address: string) =>
      authorize(postern, '/a', { path, headers: { 'user-agent': 'ranged-bot', 'x-forwarded-for': address } });
    const forged = await ask('198.51.100.1');
    assert.deepEqual(
      [forged.status, forged.headers.get('x-postern-would'), forged.headers.get('x-postern-requester')],
      [200, 'deny', ''],
    );
    const real = await ask('192.0.2.1');
    assert.deepEqual([real.headers.get('x-postern-would'), real.headers.get('x-postern-requester')], ['', 'ranged']);
    const { body } = await postern.call('GET', `/v1/policies/${policy.id}/candidate`);
    assert.deepEqual([body.decisions, body.agreements, body.newlyAllowed], [2, 2, 0]);
    const found = await recorded(postern, forged);
    assert.deepEqual(
      [found.enforced, found.requesterId, found.claimed, found.licenseId],
      [false, null, 'ranged', null],
    );
  });

  test('takes away the license that was vouched for the one that was claimed', async () => {
    const rules = [{ action: 'allow', conditions: { licenseType: 'gold' } }];
    const { id: policyId } = await makePolicy(postern, rules);
    await made(postern, '/v1/collections', { name: 'Gold', hosts: ['gold.example'], policyId });
    const url = 'https://gold.example/a';
    const license = { type: 'gold' };
    const signed = (forUrl: string) => {
      const headers = sign(KEY, AGENT, { url: forUrl });
      const { signature, 'signature-input': signatureInput, 'signature-agent': signatureAgent } = headers;
      return { url, license, visitor: { signature, signatureInput, signatureAgent } };
    };
    const from = (ip: string) => ({ url, license, requesterId: 'ranged', context: { ip, userAgent: 'ranged-bot' } });
    const { body } = await postern.call('POST', '/v1/access/check/batch', {
      body: { checks: [from('192.0.2.1'), from('198.51.100.1'), signed(url), signed(URL_PAID)] },
    });
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [one.allowed, one.reason, one.claimed]),
      [
        [true, null, undefined],
        [false, 'no_license', 'ranged'],
        [true, null, undefined],
        [false, 'no_license', 'partner'],
      ],
    );
  });

  test('is the same decision as a URL, an item, a dry run', async () => {
    const context = { ip: '198.51.100.1', userAgent: 'ranged-bot' };
    const [{ id }] = (await postern.call('GET', `/v1/content?q=${encodeURIComponent('/paid')}`)).body.data;
    for (const body of [
      { url: URL_PAID, context, requesterId: 'ranged' },
      { contentId: id, context, requesterId: 'ranged' },
      { contentId: id, context, requesterId: 'ranged', dryRun: true },
      { contentId: id, context, requesterId: 'ranged', license: { type: 'site' } },
    ]) {
      const { body: got } = await postern.call('POST', '/v1/access/check', { body });
      assert.deepEqual([got.allowed, got.requesterId, got.verified, got.claimed], [...NOBODY, 'ranged']);
    }
  });
});

test('a requester that the visitor names in a header of its own is nobody’s word', async () => {
  const answer = await wire(postern, 'GET', '/v1/authorize?origin=https://site.example', {
    headers: { 'x-postern-key': postern.key, 'x-original-uri': '/paid', 'x-requester': 'partner' },
  });
  assert.equal(answer.headers.get('x-postern-requester'), '');
});
