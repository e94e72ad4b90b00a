/** Periods that are not whole: what counts in them, in full or by days, is the same wherever it is shown. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, item, made, makePolicy } from './given.ts';

const clock = testClock(Date.parse('2026-10-28T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 100_000 }],
  minimumMicros: 31_000_000,
  flatMicros: 6_200_000,
  quota: { units: 30, onExceed: 'deny' },
};

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));
async function holder(terms: object, more: object = {}): Promise<Any> {
  const { id: requesterId } = await made(postern, '/v1/requesters', { name: 'Acme' });
  return made(postern, '/v1/licenses', { requesterId, type: 'commercial', terms, ...more });
}
const statementOf = async ({ id }: Any, period = '2026-10') =>
  (await postern.call('GET', `/v1/statements?period=${period}&licenseId=${id}`)).body.data[0];
const usageOf = async ({ id }: Any) => (await postern.call('GET', `/v1/licenses/${id}/usage`)).body;
const as = async (id: string, accept: string) =>
  (await postern.call('GET', `/v1/statements/${id}`, { headers: { accept } })).text;
const ask = (requesterId: string) =>
  postern.call('POST', '/v1/access/check', { body: { contentId: article.id, requesterId } });

describe('a first period of four days', () => {
  test('counts in full by default, and everything says so', async () => {
    const license = await holder(TERMS);
    const statement = await statementOf(license);
    const partial = {
      days: 4,
      of: 31,
      prorated: false,
      minimumMicros: 31_000_000,
      flatMicros: 6_200_000,
      quotaUnits: 30,
    };
    assert.deepEqual(statement.partialPeriod, partial);
    assert.equal(statement.total.amount, '37.20');
    const usage = await usageOf(license);
    assert.deepEqual([usage.partialPeriod, usage.quota.units, usage.amount.amount], [partial, 30, '37.20']);
    assert.match(await as(statement.id, 'text/html'), /4 of 31 days: the minimum, the fee and the quota count in full/);
    assert.match(await as(statement.id, 'text/csv'), /,4,31,false\r?\n/);
    const list = await postern.call('GET', `/v1/statements?period=2026-10&licenseId=${license.id}`, {
      headers: { accept: 'text/csv' },
    });
    assert.match(list.text, /,4,31,false\r?\n/);
  });

  test('counts by days with `prorate`: money half to even, units up, and no more are admitted', async () => {
    const license = await holder({ ...TERMS, prorate: true });
    // 30 * 4 / 31 = 3.87
    for (let i = 1; i <= 4; i++) {
      const { body } = await ask(license.requesterId);
      assert.deepEqual([body.allowed, body.quota.units, body.quota.remaining], [true, 4, 4 - i]);
    }
    const denied = await ask(license.requesterId);
    assert.equal(denied.body.reason, 'quota_exceeded');
    const statement = await statementOf(license);
    const partial = { days: 4, of: 31, prorated: true, minimumMicros: 4_000_000, flatMicros: 800_000, quotaUnits: 4 };
    assert.deepEqual(statement.partialPeriod, partial);
    assert.deepEqual(
      statement.lines.map(({ kind, amount }: Any) => [kind, amount]),
      [
        ['usage', '0.40'],
        ['true_up', '3.60'],
        ['flat', '0.80'],
      ],
    );
    const usage = await usageOf(license);
    assert.deepEqual([usage.partialPeriod, usage.quota.used, usage.quota.units], [partial, 4, 4]);
    assert.ok(usage.alerts.every(({ reached }: Any) => reached));
    assert.match(await as(statement.id, 'text/html'), /4 of 31 days: .* count by these days/);
    const { token } = await made(postern, `/v1/requesters/${license.requesterId}/tokens`, { name: 't' });
    const own = await postern.call('GET', '/v1/me/statements?period=2026-10', { key: token });
    assert.deepEqual(own.body.data[0].partialPeriod, partial);
    const me = await postern.call('GET', `/v1/me/licenses/${license.id}/usage`, { key: token });
    assert.deepEqual(me.body.partialPeriod, partial);
  });

  test('a quota by day, week or term, prices and tiers are never prorated', async () => {
    for (const period of ['day', 'week', 'term']) {
      const license = await holder({ ...TERMS, prorate: true, quota: { units: 30, period, onExceed: 'deny' } });
      assert.equal((await ask(license.requesterId)).body.quota.units, 30, period);
      const statement = await statementOf(license);
      assert.deepEqual([statement.partialPeriod.quotaUnits, statement.lines[0].amount], [null, '0.10']);
    }
  });
});

describe('the first bill of a license that is still to be created', () => {
  const preview = async (body: object) => (await postern.call('POST', '/v1/statements/preview', { body })).body;

  test('is the first statement of the license', async () => {
    for (const [terms, dates] of [
      [TERMS, {}],
      [{ ...TERMS, prorate: true }, {}],
      [{ ...TERMS, prorate: true, period: 'quarter', timezone: 'UTC' }, {}],
      [{ ...TERMS, prorate: true }, { expiresAt: '2026-10-30T22:00:00Z' }],
    ] as const) {
      const first = await preview({ terms, ...dates });
      const license = await holder(terms, dates);
      const statement = await statementOf(license, first.period);
      for (const field of ['lines', 'total', 'partialPeriod']) assert.deepEqual(first[field], statement[field], field);
      assert.deepEqual([first.object, first.units], ['first_bill', 0]);
      assert.equal(first.from, license.created);
      assert.equal(first.to, license.expiresAt ?? statement.to);
    }
    const later = await preview({ terms: { ...TERMS, prorate: true }, startsAt: '2027-02-27T23:00:00Z' });
    assert.deepEqual([later.period, later.partialPeriod.days, later.total.amount], ['2027-02', 1, '1.33']);
  });

  test('prices units by their tiers', async () => {
    const tiers = [
      { upTo: 100, unitPriceMicros: 100_000 },
      { upTo: null, unitPriceMicros: 15_000 },
    ];
    const { lines, total, units } = await preview({ terms: { ...TERMS, tiers, minimumMicros: 0 }, units: 101 });
    assert.deepEqual(
      lines.map((line: Any) => [line.kind, line.tier, line.units, line.amount]),
      [
        ['usage', 1, 100, '10.00'],
        ['usage', 2, 1, '0.02'],
        ['flat', null, null, '6.20'],
      ],
    );
    assert.deepEqual([total, units], [{ amount: '16.22', amountMicros: 16_220_000 }, 101]);
  });

  test('is refused for what no license could be', async () => {
    for (const [body, param] of [
      [{}, 'terms'],
      [{ terms: { ...TERMS, flatMicros: 1 } }, 'terms.flatMicros'],
      [{ terms: TERMS, startsAt: '2026-12-01T00:00:00Z', expiresAt: '2026-11-01T00:00:00Z' }, 'expiresAt'],
      [{ terms: TERMS, expiresAt: '2026-10-01T00:00:00Z' }, 'expiresAt'],
      [{ terms: TERMS, units: -1 }, 'units'],
      [{ terms: TERMS, units: 1_000_000_000_001 }, 'units'],
    ] as const) {
      assertError(await postern.call('POST', '/v1/statements/preview', { body }), 'invalid_request', param);
    }
    const most = { terms: { ...TERMS, tiers: [{ upTo: null, unitPriceMicros: 1e12 }] }, units: 1e12 };
    assert.equal((await preview(most)).total.amountMicros, null);
  });
});

test('the dates of a license count as those of its terms; a whole period has no part', async () => {
  const license = await holder(
    { ...TERMS, prorate: true },
    { startsAt: '2026-11-10T23:30:00Z', expiresAt: '2026-12-20T22:59:59Z' },
  );
  clock.advance(Date.parse('2027-01-05T00:00:00Z') - clock.now());
  const [november, december] = [await statementOf(license, '2026-11'), await statementOf(license, '2026-12')];
  // By days of Berlin: from the 11th at 00:30, until the 20th at 23:59:59.
  assert.deepEqual([november.partialPeriod.days, november.partialPeriod.of], [20, 30]);
  assert.deepEqual([december.partialPeriod.days, december.partialPeriod.of], [20, 31]);
  assert.equal(november.total.amount, '24.80');
  // 31 * 20 / 31 = 20.00; 6.20 * 20 / 31 = 4.00
  assert.equal(december.total.amount, '24.00');
  const final = (await postern.call('POST', `/v1/statements/${november.id}/finalize`)).body;
  // A final statement keeps its part, and later dates correct nothing.
  const body = { startsAt: null, expiresAt: null };
  assertStatus(await postern.call('PATCH', `/v1/licenses/${license.id}`, { body }), 200);
  assert.deepEqual((await postern.call('GET', `/v1/statements/${november.id}`)).body, final);
  const whole = await statementOf(license, '2026-12');
  assert.equal(whole.partialPeriod, null);
  assert.deepEqual(
    whole.lines.map(({ kind, amount }: Any) => [kind, amount]),
    [
      ['true_up', '31.00'],
      ['flat', '6.20'],
    ],
  );
});

test('amounts of a line must be whole minor units; stored terms are judged only when they change', async () => {
  const odd = { ...TERMS, currency: 'JPY', minimumMicros: 2_500_000, flatMicros: 0 };
  const { id: requesterId } = await made(postern, '/v1/requesters', { name: 'Odd' });
  const create = (terms: object) => postern.call('POST', '/v1/licenses', { body: { requesterId, type: 'x', terms } });
  assertError(await create(odd), 'invalid_request', 'terms.minimumMicros');
  assertError(await create({ ...TERMS, flatMicros: 1 }), 'invalid_request', 'terms.flatMicros');
  assertError(await create({ ...TERMS, purposes: ['*'] }), 'invalid_request', 'terms.purposes');
  // A price is no amount of a line.
  assertStatus(await create({ ...TERMS, tiers: [{ upTo: null, unitPriceMicros: 1 }] }), 201);
  const license: Any = (await create({ ...odd, minimumMicros: 2_000_000 })).body;
  const stored = JSON.stringify(odd);
  await postern.tamper(
    { sql: 'update licenses set terms = $1 where id = $2', params: [stored, license.id] },
    { sql: 'update license_terms set terms = $1 where license_id = $2', params: [stored, license.id] },
  );
  const patch = (body: object) => postern.call('PATCH', `/v1/licenses/${license.id}`, { body });
  assertStatus(await patch({ type: 'y' }), 200);
  assertStatus(await patch({ terms: odd, type: 'z' }), 200);
  const changed = { ...odd, tiers: [{ upTo: null, unitPriceMicros: 5 }] };
  assertError(await patch({ terms: changed }), 'invalid_request', 'terms.minimumMicros');
  assertStatus(await patch({ terms: { ...changed, minimumMicros: 3_000_000 } }), 200);
  assertStatus(await patch({ terms: null }), 200);
});

test('a purpose `*` would be one line with several others: it is refused', async () => {
  const { requesterId } = await holder(TERMS);
  const body = { contentId: article.id, requesterId, purpose: '*' };
  assertError(await postern.call('POST', '/v1/access/check', { body }), 'invalid_request', 'purpose');
  const path = '/v1/authorize?purpose=*&origin=https://example.com';
  assertError(
    await postern.call('GET', path, { key: null, headers: { 'x-postern-key': postern.key } }),
    'invalid_request',
    'purpose',
  );
  assertStatus(await postern.call('POST', '/v1/access/check', { body: { ...body, purpose: '**' } }), 200);
});
