/** The terms of licenses: what is accepted, their versions, and when an edit takes effect. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, made } from './given.ts';

const NOW = '2026-10-30T12:00:00.000Z';
const clock = testClock(Date.parse(NOW));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const tiers = [
  { upTo: 1000, unitPriceMicros: 20_000 },
  { upTo: null, unitPriceMicros: 15_000 },
];
const TERMS = { currency: 'EUR', timezone: 'Europe/Berlin', period: 'month', unit: 'decision', tiers };
/** The end of October in Berlin, after clocks went back. */
const NOVEMBER = '2026-10-31T23:00:00.000Z';

let count = 0;
const newLicense = async (more: object = {}) => {
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: `holder-${++count}` });
  return made(postern, '/v1/licenses', { requesterId, type: 'commercial', ...more });
};
const patch = (id: string, body: object) => postern.call('PATCH', `/v1/licenses/${id}`, { body });
const edited = async (id: string, body: object) => {
  const answer = await patch(id, body);
  assertStatus(answer, 200);
  return answer.body;
};
const versionsOf = async (id: string) => (await postern.call('GET', `/v1/licenses/${id}/terms`)).body;

test('a license without terms has none, and no versions of them', async () => {
  const license = await newLicense();
  assert.deepEqual([license.terms, license.termsVersion, license.termsEffectiveAt], [null, null, null]);
  assert.deepEqual(await versionsOf(license.id), {
    object: 'list',
    data: [],
    hasMore: false,
    totalCount: 0,
    nextCursor: null,
  });
  assertError(await postern.call('GET', '/v1/licenses/lic_0/terms'), 'license_not_found');
});

test('terms are echoed as they were sent', async () => {
  const terms = {
    tiers,
    unit: 'distinct_content',
    period: 'quarter',
    timezone: 'Europe/Berlin',
    currency: 'JPY',
    reference: 'Contract 12 (äöü)',
    purposes: ['training', 'search'],
    minimumMicros: 0,
    flatMicros: 5_000_000,
    quota: { units: 10, period: 'term', onExceed: 'allow' },
    alerts: [0.5, 0.8, 1],
  };
  const license = await newLicense({ terms });
  assert.deepEqual(license.terms, terms);
  assert.deepEqual([license.termsVersion, license.termsEffectiveAt], [1, license.created]);
  assert.deepEqual((await postern.call('GET', `/v1/licenses/${license.id}`)).body, license);
});

describe('an edit', () => {
  test('takes effect at the next period', async () => {
    const { id } = await newLicense({ terms: TERMS });
    const next = { ...TERMS, flatMicros: 1_000_000 };
    const license = await edited(id, { terms: next });
    assert.deepEqual([license.terms, license.termsVersion, license.termsEffectiveAt], [next, 2, NOVEMBER]);
    const { data } = await versionsOf(id);
    assert.deepEqual(
      data.map((one: any) => [one.version, one.state, one.effectiveFrom, one.effectiveTo]),
      [
        [2, 'pending', NOVEMBER, null],
        [1, 'current', license.created, NOVEMBER],
      ],
    );
  });

  test('counts for the whole running period with `effective: now`, and replaces what was to come', async () => {
    const { id, created } = await newLicense({ terms: TERMS });
    await edited(id, { terms: { ...TERMS, flatMicros: 10_000 } });
    const license = await edited(id, { terms: { ...TERMS, flatMicros: 20_000 }, effective: 'now' });
    // The period began with the terms.
    assert.equal(license.termsEffectiveAt, created);
    const { data } = await versionsOf(id);
    assert.deepEqual(
      data.map((one: any) => [one.version, one.state]),
      [
        [3, 'current'],
        [2, 'replaced'],
        [1, 'replaced'],
      ],
    );
  });

  test('of what is to come can be brought forward', async () => {
    const { id } = await newLicense({ terms: TERMS });
    const next = { ...TERMS, flatMicros: 10_000 };
    await edited(id, { terms: next });
    assert.equal((await edited(id, { terms: next })).termsVersion, 2);
    const license = await edited(id, { terms: next, effective: 'now' });
    assert.deepEqual([license.termsVersion, license.termsEffectiveAt], [3, license.created]);
  });

  test('of the currency, time zone or period waits for the next period', async () => {
    const { id } = await newLicense({ terms: TERMS });
    for (const [field, value] of [
      ['currency', 'USD'],
      ['timezone', 'UTC'],
      ['period', 'year'],
    ] as const) {
      const terms = { ...TERMS, [field]: value };
      assertError(await patch(id, { terms, effective: 'now' }), 'invalid_request', `terms.${field}`);
      assertStatus(await patch(id, { terms }), 200);
    }
  });

  test('of a license without terms takes effect at once; ending terms waits', async () => {
    const { id } = await newLicense();
    assert.equal((await edited(id, { terms: TERMS })).termsEffectiveAt, NOW);
    const ended = await edited(id, { terms: null });
    assert.deepEqual([ended.terms, ended.termsVersion, ended.termsEffectiveAt], [null, 2, NOVEMBER]);
    const at = await edited(id, { terms: null, effective: 'now' });
    assert.deepEqual([at.termsVersion, at.termsEffectiveAt], [3, NOW]);
  });

  test('of other fields keeps the terms', async () => {
    const { id } = await newLicense({ terms: TERMS });
    const license = await edited(id, { features: ['x'] });
    assert.deepEqual([license.terms, license.termsVersion], [TERMS, 1]);
  });
});

test('revoked licenses and those of a deleted requester have no terms any more', async () => {
  const { id, requesterId } = await newLicense({ terms: TERMS });
  clock.advance(1);
  const revoked = await postern.call('POST', `/v1/licenses/${id}/revoke`);
  assertStatus(revoked, 200);
  assert.deepEqual(revoked.body.terms, TERMS);
  const { data } = await versionsOf(id);
  assert.deepEqual([data[0].terms, data[0].state, data[0].effectiveFrom], [null, 'current', revoked.body.updated]);
  assertError(await patch(id, { terms: { ...TERMS, flatMicros: 10_000 } }), 'invalid_request', 'terms');
  const { id: second } = await made(postern, '/v1/licenses', { requesterId, type: 'a', terms: TERMS });
  await postern.call('DELETE', `/v1/requesters/${requesterId}`);
  const rows = (await postern.rowsOf('license_terms')) as { license_id: string; version: number; terms: unknown }[];
  const ends = rows.filter((row) => [id, second].includes(row.license_id) && row.terms === null);
  assert.deepEqual(
    ends.map((row) => [row.license_id, Number(row.version)]).toSorted(),
    [
      [id, 2],
      [second, 2],
    ].toSorted(),
  );
});

test('an end of terms is past once there are terms again', async () => {
  const { id } = await newLicense({ terms: TERMS });
  clock.advance(1000);
  const { termsEffectiveAt: ended } = await edited(id, { terms: null, effective: 'now' });
  clock.advance(1000);
  const { termsEffectiveAt: again } = await edited(id, { terms: TERMS });
  const { data } = await versionsOf(id);
  assert.deepEqual(
    data.map((one: any) => [one.version, one.state, one.effectiveFrom, one.effectiveTo]),
    [
      [3, 'current', again, null],
      [2, 'past', ended, again],
      [1, 'past', data[2].created, ended],
    ],
  );
});

test('pages of versions', async () => {
  const { id } = await newLicense({ terms: TERMS });
  for (let i = 1; i <= 4; i++) await edited(id, { terms: { ...TERMS, flatMicros: i * 10_000 } });
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `/v1/licenses/${id}/terms?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await postern.call('GET', path);
    assert.equal(body.totalCount, 5);
    seen.push(...body.data.map(({ version }: { version: number }) => version));
    cursor = body.nextCursor;
  }
  assert.deepEqual(seen, [5, 4, 3, 2, 1]);
});

const WRONG: [string, object][] = [
  ['terms.currency', { currency: 'eur' }],
  ['terms.currency', { currency: 'XXX' }],
  ['terms.timezone', { timezone: 'Berlin' }],
  ['terms.timezone', { timezone: '+01:00' }],
  ['terms.period', { period: 'week' }],
  ['terms.unit', { unit: 'byte' }],
  ['terms.purposes', { purposes: [] }],
  ['terms.purposes', { purposes: ['a', 'a'] }],
  ['terms.tiers', { tiers: [] }],
  ['terms.tiers[0].upTo', { tiers: [{ upTo: 1, unitPriceMicros: 1 }] }],
  ['terms.tiers[1].upTo', { tiers: [5, 5, null].map((upTo) => ({ upTo, unitPriceMicros: 1 })) }],
  ['terms.tiers[0].unitPriceMicros', { tiers: [{ upTo: null, unitPriceMicros: 0.5 }] }],
  ['terms.tiers[0].unitPriceMicros', { tiers: [{ upTo: null, unitPriceMicros: -1 }] }],
  ['terms.minimumMicros', { minimumMicros: 2 ** 53 - 1 }],
  ['terms.quota.units', { quota: { units: 0, onExceed: 'allow' } }],
  ['terms.quota.onExceed', { quota: { units: 1 } }],
  ['terms.alerts', { alerts: [0.5] }],
  ['terms.alerts[0]', { alerts: [0], quota: { units: 1, onExceed: 'allow' } }],
  ['terms.price', { price: 1 }],
];
for (const [param, fields] of WRONG) {
  test(`refused: ${JSON.stringify(fields)}`, async () => {
    const { id, requesterId } = await newLicense();
    const terms = { ...TERMS, ...fields };
    const create = await postern.call('POST', '/v1/licenses', { body: { requesterId, type: 'a', terms } });
    assertError(create, 'invalid_request', param);
    assertError(await patch(id, { terms }), 'invalid_request', param);
  });
}

test('`effective` without terms, or of a new license, is refused', async () => {
  const { id, requesterId } = await newLicense();
  assertError(await patch(id, { effective: 'now' }), 'invalid_request', 'effective');
  const body = { requesterId, type: 'a', terms: TERMS, effective: 'now' };
  assertError(await postern.call('POST', '/v1/licenses', { body }), 'invalid_request', 'effective');
});

test('periods are those of the time zone', async () => {
  clock.advance(Date.parse(NOVEMBER) - clock.now());
  const { id } = await newLicense({ terms: TERMS });
  clock.advance(1);
  const license = await edited(id, { terms: { ...TERMS, flatMicros: 10_000 } });
  assert.equal(license.termsEffectiveAt, '2026-11-30T23:00:00.000Z');
});
