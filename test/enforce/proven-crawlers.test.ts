/**
 * Rules that let in a crawler let in that crawler alone: not a partner with a token of its own, not a proof that is
 * stated without a requester, not an address that cannot be read. What lint advises closes the rule to all of them.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { newSigningKey, signRequest } from '../../kit/signing.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, check, made, makeKey, makePolicy } from '../http/given.ts';
import { authorize, ORIGIN, recorded, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
const KEY = newSigningKey();
const directory = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [KEY.jwk] }));
});
await new Promise<void>((listening) => directory.listen(0, '127.0.0.1', listening));
after(() => directory.close());
const AGENT = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;

await made(postern, '/v1/requesters', {
  id: 'google',
  userAgents: ['Googlebot'],
  identities: [
    { kind: 'ip', ranges: ['192.0.2.0/24'] },
    { kind: 'signature', agent: AGENT },
  ],
});
await made(postern, '/v1/requesters', {
  id: 'partner',
  userAgents: ['PartnerBot'],
  identities: [{ kind: 'ip', ranges: ['198.51.100.0/24'] }],
});
const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });
await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'other' });

type Headers = Record<string, string>;
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1)';
const VISITS: Record<string, Headers> = {
  genuine: { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '192.0.2.1:443' },
  forged: { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '203.0.113.9' },
  silent: { 'user-agent': GOOGLEBOT },
  unreadable: { 'user-agent': GOOGLEBOT, 'x-forwarded-for': 'unknown' },
  token: { 'user-agent': GOOGLEBOT, 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${token}` },
  'token from its own address': {
    'user-agent': GOOGLEBOT,
    'x-forwarded-for': '198.51.100.9',
    authorization: `Bearer ${token}`,
  },
  'both names from the address of the partner': {
    'user-agent': 'PartnerBot/1 Googlebot',
    'x-forwarded-for': '198.51.100.9',
  },
};
const PARTNERS = Object.keys(VISITS).filter((name) => name !== 'genuine');

let count = 0;
async function served(rules: object[]): Promise<string> {
  const path = `/${++count}`;
  await serve(postern, path, (await makePolicy(postern, rules)).id);
  return path;
}
const statusOf = async (path: string, headers: Headers) => (await authorize(postern, path, { headers })).status;
const allowing = (conditions: object) => [{ action: 'allow', conditions }];

describe('crawlerVerified', () => {
  test('lets in the crawler that is proven, and no other visitor', async () => {
    const path = await served(allowing({ crawler: 'Googlebot', crawlerVerified: true }));
    assert.equal(await statusOf(path, VISITS.genuine as Headers), 200);
    for (const name of PARTNERS) assert.equal(await statusOf(path, VISITS[name] as Headers), 403, name);
    const proven = await recorded(postern, await authorize(postern, path, { headers: VISITS.genuine as Headers }));
    assert.equal((proven.context as { crawlerVerified: boolean }).crawlerVerified, true);
  });

  test('a partner with a token at the address of the crawler comes from the crawler', async () => {
    const path = await served(allowing({ crawlerVerified: true }));
    const headers = { ...VISITS.genuine, authorization: `Bearer ${token}` };
    const { allowed, requesterId, verified } = await recorded(postern, await authorize(postern, path, { headers }));
    assert.deepEqual([allowed, requesterId, verified], [true, 'partner', 'token']);
  });

  test('by a signature of its own agent', async () => {
    const path = await served(allowing({ crawler: 'Googlebot', crawlerVerified: true }));
    const signed = (userAgent: string) => ({
      ...signRequest(KEY, {
        url: `${ORIGIN}${path}`,
        headers: { 'signature-agent': `sig1="${AGENT}"` },
        at: clock.now(),
      }),
      'user-agent': userAgent,
    });
    await until('the keys of the agent', async () => (await statusOf(path, signed(GOOGLEBOT))) === 200);
    const other = await served(allowing({ crawlerVerified: true }));
    const headers = signRequest(KEY, {
      url: `${ORIGIN}${other}`,
      headers: { 'signature-agent': `sig1="${AGENT}"` },
      at: clock.now(),
    });
    assert.equal(
      await statusOf(other, { ...headers, 'user-agent': 'GPTBot/1.2' }),
      403,
      'the agent of another crawler',
    );
    assert.equal(await statusOf(other, { ...headers, 'user-agent': 'Firefox' }), 403, 'no crawler is named');
  });

  test('where no crawler is named, neither value holds, in no rule', async () => {
    for (const value of [true, false]) {
      const deny = await served([{ action: 'deny', conditions: { crawlerVerified: value } }, { action: 'allow' }]);
      const allow = await served(allowing({ crawlerVerified: value }));
      for (const headers of [{}, { 'user-agent': '' }, { 'user-agent': 'Firefox' }] as Headers[]) {
        assert.deepEqual([await statusOf(deny, headers), await statusOf(allow, headers)], [200, 403]);
      }
    }
    const open = await served([{ action: 'deny', conditions: { crawlerVerified: false } }, { action: 'allow' }]);
    assert.equal(await statusOf(open, VISITS.token as Headers), 403);
  });

  test('is stated by secret keys, for the crawler that is named alone', async () => {
    const url = ORIGIN + (await served(allowing({ crawlerVerified: true })));
    const ask = async (context: object) => (await check(postern, { url, context })).allowed;
    assert.equal(await ask({ userAgent: GOOGLEBOT, crawlerVerified: true }), true);
    assert.equal(await ask({ userAgent: GOOGLEBOT, crawlerVerified: true, ip: '203.0.113.9' }), true);
    assert.equal(await ask({ userAgent: GOOGLEBOT, crawlerVerified: false, ip: '192.0.2.1' }), false);
    assert.equal(await ask({ userAgent: 'Firefox', crawlerVerified: true }), false);
    assert.equal(await ask({ crawlerVerified: true }), false);
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const body = { url, context: { userAgent: GOOGLEBOT, crawlerVerified: true } };
    assertError(
      await postern.call('POST', '/v1/access/check', { body, key }),
      'invalid_request',
      'context.crawlerVerified',
    );
  });

  test('is decided again alike by other rules', async () => {
    const { id } = await makePolicy(postern, [{ action: 'allow' }]);
    await serve(postern, '/again', id);
    for (const name of ['genuine', 'forged', 'token']) await statusOf('/again', VISITS[name] as Headers);
    const rules = [{ action: 'deny', conditions: { crawlerVerified: false } }, { action: 'allow' }];
    const { body } = await postern.call('POST', `/v1/policies/${id}/impact`, { body: { policy: { rules } } });
    assert.deepEqual([body.decisions, body.unchanged, body.allowToDeny], [3, 1, 2]);
  });
});

test('requesterVerified holds for a requester only', async () => {
  const url = ORIGIN + (await served(allowing({ requesterVerified: true })));
  const ask = (body: object) => check(postern, { url, ...body });
  for (const verified of ['token', 'signature', 'ip', 'dns']) {
    const nobody = await ask({ context: { verified } });
    assert.deepEqual([nobody.allowed, nobody.requesterId], [false, null]);
    assert.equal((await ask({ requesterId: 'partner', context: { verified } })).allowed, true);
  }
});

test('a proven crawler is no proven requester', async () => {
  const context = { userAgent: GOOGLEBOT, crawlerVerified: true, verified: 'ip' };
  for (const [value, holds] of [
    [true, false],
    [['ip', 'dns'], false],
    [false, true],
  ] as const) {
    const conditions = { crawlerVerified: true, requesterVerified: value };
    const allow = ORIGIN + (await served(allowing(conditions)));
    const deny = ORIGIN + (await served([{ action: 'deny', conditions }, { action: 'allow' }]));
    const allowed = await Promise.all([allow, deny].map((url) => check(postern, { url, context })));
    assert.deepEqual(
      allowed.map((one) => [one.allowed, one.requesterId]),
      [
        [holds, null],
        [!holds, null],
      ],
      String(value),
    );
  }
});

test('an empty user agent is silence in every condition', async () => {
  for (const [key, value] of Object.entries({
    userAgent: 'x',
    crawler: 'GPTBot',
    crawlerOperator: 'OpenAI',
    crawlerPurpose: 'training',
  })) {
    const allow = await served(allowing({ [`${key}Not`]: value }));
    const deny = await served([{ action: 'deny', conditions: { [`${key}Not`]: value } }, { action: 'allow' }]);
    for (const headers of [{}, { 'user-agent': '' }, { 'user-agent': '  ' }] as Headers[]) {
      assert.deepEqual([await statusOf(allow, headers), await statusOf(deny, headers)], [403, 403], key);
    }
    for (const context of [{}, { userAgent: '' }]) {
      assert.equal((await check(postern, { url: ORIGIN + allow, context })).allowed, false);
    }
  }
});

describe('what lint advises', () => {
  const cases: [object, string][] = [
    [{ crawler: 'Googlebot' }, 'crawlerVerified'],
    [{ crawlerOperator: 'Google' }, 'crawlerVerified'],
    [{ crawlerPurpose: ['index', 'search'] }, 'crawlerVerified'],
    [{ crawler: 'Googlebot', requesterVerified: true }, 'crawlerVerified'],
    [{ crawler: 'Googlebot', requesterVerified: ['token', 'ip'] }, 'crawlerVerified'],
    [{ requesterId: 'google' }, 'requesterVerified'],
    [{ requesterId: ['google'], crawlerNot: 'GPTBot' }, 'requesterVerified'],
  ];
  for (const [conditions, key] of cases) {
    test(`about ${JSON.stringify(conditions)} opens nothing to a partner`, async () => {
      const rules = allowing(conditions);
      const answer = await postern.call('POST', '/v1/policies/lint', { body: { rules, defaultAction: 'deny' } });
      assertStatus(answer, 200);
      const [warning] = answer.body.warnings ?? answer.body.data;
      assert.equal(warning.code, 'identities_not_required');
      assert.match(warning.message, new RegExp(`(Add|Require) \`${key}: true\``));
      const { requesterVerified: _, ...rest } = conditions as Record<string, unknown>;
      const advised = allowing({ ...(/instead/.test(warning.message) ? rest : conditions), [key]: true });
      const again = await postern.call('POST', '/v1/policies/lint', {
        body: { rules: advised, defaultAction: 'deny' },
      });
      assert.deepEqual(again.body.warnings ?? again.body.data, []);
      const path = await served(advised);
      assert.equal(await statusOf(path, VISITS.genuine as Headers), 200);
      for (const name of PARTNERS) assert.equal(await statusOf(path, VISITS[name] as Headers), 403, name);
    });
  }
});
