/**
 * Addresses in every form that trusted proxies send, and in none: an address that cannot be read holds every deny rule
 * that names an address and no allow rule that does, makes no claim pass, and is reported.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, check, made, makeKey, makePolicy, wire } from '../http/given.ts';
import { authorize, ORIGIN, recorded, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({
  clock,
  env: { POSTERN_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8, fd00::/8' },
});
after(() => postern[Symbol.asyncDispose]());

const allow = { action: 'allow' };
const POLICIES: Record<string, object[]> = {
  'deny-ip': [{ action: 'deny', conditions: { ip: ['203.0.113.0/24', '2001:db8:9::/48'] } }, allow],
  'deny-not': [{ action: 'deny', conditions: { ipNot: ['203.0.113.0/24', '2001:db8:9::/48'] } }, allow],
  'allow-ip': [{ ...allow, conditions: { ip: ['203.0.113.0/24', '2001:db8:9::/48'] } }],
  'allow-not': [{ ...allow, conditions: { ipNot: ['203.0.113.0/24', '2001:db8:9::/48'] } }],
  'allow-then-deny': [
    { ...allow, conditions: { ip: '0.0.0.0/0' } },
    { action: 'deny', conditions: { ip: '0.0.0.0/0' } },
    allow,
  ],
};
for (const [name, rules] of Object.entries(POLICIES)) {
  await serve(postern, `/${name}`, (await makePolicy(postern, rules)).id);
}
const ask = (path: string, headers: Record<string, string | string[]>) => authorize(postern, path, { headers });
const statuses = async (headers: Record<string, string | string[]>) =>
  Promise.all(Object.keys(POLICIES).map(async (name) => (await ask(`/${name}`, headers)).status));

/** The answers of the policies, in their order. */
const WITHIN = [403, 200, 200, 403];
const OUTSIDE = [200, 403, 403, 200];
const UNREADABLE = [403, 403, 403, 403, 403];
const SILENT = [200, 403, 403, 403, 200];

const forms = (address: string): string[] =>
  address.includes(':')
    ? [address, `[${address}]`, `[${address}]:443`, `"[${address}]:443"`, `"[${address}]"`, `[${address}%eth0]:443`]
    : [
        address,
        `${address}:50123`,
        `"${address}:50123"`,
        `::ffff:${address}`,
        `[::ffff:${address}]:443`,
        ` ${address} `,
      ];

describe('an address decides in every form', () => {
  for (const [addresses, expected] of [
    [['203.0.113.9', '2001:db8:9::9'], WITHIN],
    [['198.51.100.9', '2001:db8:8::9'], OUTSIDE],
  ] as const) {
    for (const form of addresses.flatMap(forms)) {
      test(form, async () => {
        const element = `for="${form.trim().replaceAll('"', '')}"`;
        const ways: Record<string, string | string[]>[] = [
          { 'x-forwarded-for': form },
          { 'x-forwarded-for': `192.0.2.1, ${form}, 10.0.0.7:8080` },
          { 'x-forwarded-for': ['192.0.2.1', form, '[fd00::7]:8080'] },
          { 'x-forwarded-for': `for=192.0.2.1, ${element};proto=https` },
          { forwarded: `for=192.0.2.1;by=_x, ${element};proto=https;by="[fd00::7]:80", for=10.0.0.7` },
          { forwarded: ['for=192.0.2.1', element] },
          { 'x-forwarded-for': form, forwarded: 'for=192.0.2.1' },
        ];
        for (const headers of ways) {
          assert.deepEqual((await statuses(headers)).slice(0, 4), expected, JSON.stringify(headers));
        }
      });
    }
  }

  test('and is kept in one form', async () => {
    for (const [form, ip] of [
      ['203.0.113.9:50123', '203.0.113.9'],
      ['"[2001:db8:9::9]:443"', '2001:db8:9::9'],
      ['for="[::ffff:203.0.113.9]:1"', '203.0.113.9'],
    ] as const) {
      const { context } = await recorded(postern, await ask('/allow-ip', { 'x-forwarded-for': form }));
      assert.deepEqual(context, { ip });
    }
  });
});

describe('an address that cannot be read', () => {
  const texts = [
    'unknown',
    '_hidden',
    'unix:',
    '203.0.113.9:x',
    '010.0.0.1',
    '[203.0.113.9]',
    '198.51.100.9, ',
    '198.51.100.9, "[2001:db8:8::9"',
    '198.51.100.9, junk, 10.0.0.7',
    'for=unknown',
    'for=198.51.100.9;for=198.51.100.8',
    `198.51.100.9, ${'9'.repeat(2000)}`,
  ];
  for (const text of texts) {
    test(`${text.slice(0, 40)} holds every deny rule that names an address, and no allow rule that does`, async () => {
      assert.deepEqual(await statuses({ 'x-forwarded-for': text }), UNREADABLE);
      if (text.startsWith('for=')) assert.deepEqual(await statuses({ forwarded: text }), UNREADABLE);
    });
  }

  test('silence is something else', async () => {
    for (const headers of [{}, { 'x-forwarded-for': '' }, { forwarded: 'proto=https' }]) {
      assert.deepEqual(await statuses(headers as Record<string, string>), SILENT);
    }
  });

  test('is told with the decision, in its explanation, by its kind', async () => {
    const decision = await recorded(postern, await ask('/deny-ip', { 'x-forwarded-for': 'unknown' }));
    assert.deepEqual([decision.allowed, decision.context, decision.unreadable], [false, {}, ['context.ip']]);
    const { explanation } = await check(postern, {
      url: `${ORIGIN}/deny-ip`,
      context: { ipUnreadable: true },
      explain: true,
      dryRun: true,
    });
    const [{ conditions }] = explanation.rules;
    assert.deepEqual([conditions[0].actual, conditions[0].held], ['unreadable', true]);
  });

  test('is decided alike in a check, a batch, a dry run and a simulation; and not beside an address', async () => {
    const context = { ipUnreadable: true };
    const checks = Object.keys(POLICIES).map((name) => ({ url: `${ORIGIN}/${name}`, context }));
    const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
    assert.ok(body.data.every(({ allowed }: { allowed: boolean }) => !allowed));
    for (const [i, rules] of Object.values(POLICIES).entries()) {
      assert.equal((await check(postern, { ...checks[i], dryRun: true })).allowed, false);
      const answer = await postern.call('POST', '/v1/policies/simulate', {
        body: { policy: { rules, defaultAction: 'deny' }, checks: [checks[i]] },
      });
      assertStatus(answer, 200);
      assert.equal(answer.body.data[0].allowed, false);
    }
    const both = { url: `${ORIGIN}/deny-ip`, context: { ip: '192.0.2.1', ipUnreadable: true } };
    assertError(
      await postern.call('POST', '/v1/access/check', { body: both }),
      'invalid_request',
      'context.ipUnreadable',
    );
  });

  test('is decided again alike, as of then and in an impact preview', async () => {
    const { id } = await makePolicy(postern, [{ action: 'deny', conditions: { ip: '203.0.113.0/24' } }, allow]);
    await serve(postern, '/again', id);
    for (let i = 0; i < 3; i++) assert.equal((await ask('/again', { 'x-forwarded-for': 'unknown' })).status, 403);
    const impact = async (rules: object[]) => {
      const answer = await postern.call('POST', `/v1/policies/${id}/impact`, { body: { policy: { rules } } });
      assertStatus(answer, 200);
      const { unchanged, newlyAllowed, newlyDenied, unknown } = answer.body;
      return JSON.stringify({ unchanged, newlyAllowed, newlyDenied, unknown });
    };
    const same = await impact([{ action: 'deny', conditions: { ip: '203.0.113.0/24' } }, allow]);
    assert.match(same, /"unchanged":3/);
    assert.match(await impact([{ action: 'deny', conditions: { ip: '192.0.2.0/24' } }, allow]), /"unchanged":3/);
    clock.advance(60_000);
    const body = {
      url: `${ORIGIN}/again`,
      context: { ipUnreadable: true },
      dryRun: true,
      asOf: new Date(clock.now() - 1000).toISOString(),
    };
    assert.equal((await check(postern, body)).allowed, false);
  });
});

describe('a claim', async () => {
  const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
  await made(postern, '/v1/requesters', { id: 'ranged', userAgents: ['ranged-bot'], identities });
  await made(postern, '/v1/requesters', {
    id: 'named',
    userAgents: ['named-bot'],
    identities: [{ kind: 'dns', suffixes: ['named.example'] }],
  });
  for (const id of ['ranged', 'named']) await made(postern, '/v1/licenses', { requesterId: id, type: 'site' });
  const rules = [
    { ...allow, conditions: { licenseType: 'site' } },
    { ...allow, conditions: { requesterId: 'ranged' } },
  ];
  await serve(postern, '/claimed', (await makePolicy(postern, rules)).id);
  const who = async (forwarded: string, userAgent: string) => {
    const answer = await ask('/claimed', { 'x-forwarded-for': forwarded, 'user-agent': userAgent });
    const { allowed, requesterId, verified, spoofed = false } = await recorded(postern, answer);
    return [allowed, requesterId, verified, spoofed];
  };

  test('from an address with a port is judged by the address', async () => {
    assert.deepEqual(await who('192.0.2.1:50123', 'ranged-bot/1'), [true, 'ranged', 'ip', false]);
    assert.deepEqual(await who('203.0.113.9:50123', 'ranged-bot/1'), [false, null, null, true]);
  });
  test('from an address that cannot be read stays unproven, and belongs to nobody', async () => {
    for (const agent of ['ranged-bot/1', 'named-bot/1']) {
      assert.deepEqual(await who('192.0.2.1, unknown', agent), [false, null, null, false]);
    }
  });
  test('with a license that was vouched for the one that is claimed, neither', async () => {
    const body = {
      url: `${ORIGIN}/claimed`,
      requesterId: 'ranged',
      license: { type: 'site' },
      context: { userAgent: 'ranged-bot', ipUnreadable: true },
    };
    const { allowed, requesterId } = await check(postern, body);
    assert.deepEqual([allowed, requesterId], [false, null]);
  });
  test('of a requester that the caller names itself stands', async () => {
    const body = { url: `${ORIGIN}/claimed`, requesterId: 'ranged', context: { ipUnreadable: true } };
    const { allowed, requesterId, verified } = await check(postern, body);
    assert.deepEqual([allowed, requesterId, verified], [true, 'ranged', null]);
  });
});

describe('keys with allowedIps', () => {
  const from = async (allowed: string, headers: Record<string, string>) => {
    const key = await makeKey(postern, { allowedIps: [allowed] });
    return wire(postern, 'GET', '/v1/content', { headers: { authorization: `Bearer ${key}`, ...headers } });
  };
  test('work from an address in every form', async () => {
    for (const form of ['203.0.113.9', '2001:db8:9::9'].flatMap(forms)) {
      const allowed = form.includes('2001') ? '2001:db8:9::9' : '203.0.113.9';
      assertStatus(await from(allowed, { 'x-forwarded-for': form }), 200, form);
      assertStatus(await from(allowed, { forwarded: `for="${form.trim().replaceAll('"', '')}"` }), 200, form);
      assertError(await from('192.0.2.1', { 'x-forwarded-for': `192.0.2.1, ${form}` }), 'ip_not_allowed');
    }
  });
  test('are refused with what the proxy sent and what to do', async () => {
    const answer = await from('203.0.113.9', { 'x-forwarded-for': '203.0.113.9, a"b' });
    assertError(answer, 'ip_not_allowed');
    assert.match(answer.body.error.message, /a trusted proxy sent "a\\"b", which is no address\. Configure the proxy/);
    const long = await from('203.0.113.9', { 'x-forwarded-for': 'x'.repeat(5000) });
    assert.ok(long.body.error.message.length < 300);
  });
});

test('it is told: in the metrics, in what needs attention, and once an hour in the log, without the address', async () => {
  const total = async (): Promise<number> => {
    const { text } = await wire(postern, 'GET', '/metrics');
    return Number(/^postern_unreadable_addresses_total (\d+)$/m.exec(text)?.[1]);
  };
  const told = async () => (await postern.call('GET', '/v1/attention')).body.data;
  const logged = () => postern.logs.filter((line) => line.includes('cannot be read'));
  clock.advance(2 * 86_400_000);
  const [before, lines] = [await total(), logged().length];
  assert.ok(before > 0);
  assert.deepEqual(await told(), []);
  for (let i = 0; i < 5; i++) await ask('/deny-ip', { 'x-forwarded-for': `203.0.113.${i}:80x` });
  assert.equal(await total(), before + 5);
  assert.equal(logged().length, lines + 1);
  assert.match(logged().at(-1) ?? '', /"form":"0\.0\.0\.0:0x"/);
  assert.ok(postern.logs.every((line) => !line.includes('203.0.113.')));
  const [item] = await told();
  assert.deepEqual([item.kind, item.severity], ['unreadable_address', 'high']);
  assert.match(item.message, /^Your proxy sent 5 addresses that cannot be read, such as "0\.0\.0\.0:0x"/);
  const reader = await makeKey(postern, { permissions: ['analytics:read'] });
  assert.deepEqual((await postern.call('GET', '/v1/attention', { key: reader })).body.data, []);
  clock.advance(3_600_001);
  await ask('/deny-ip', { 'x-forwarded-for': 'unknown' });
  assert.equal(logged().length, lines + 2);
  clock.advance(86_400_001);
  assert.deepEqual(await told(), []);
});

test('the privacy settings keep that it could not be read, and nothing else', async () => {
  await using own = await startTestService({ env: { POSTERN_IP_PRECISION: 'none' } });
  const { id } = await makePolicy(own, POLICIES['deny-ip'] ?? []);
  await serve(own, '/private', id);
  const answer = await authorize(own, '/private', { headers: { 'x-forwarded-for': '203.0.113.9x' } });
  const { context, unreadable, reduced } = await recorded(own, answer);
  assert.deepEqual([answer.status, context, unreadable, reduced], [403, {}, ['context.ip'], undefined]);
});
