/** Quotas of licenses: what uses them, which license serves, what is answered and announced. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertStatus, item, made, makePolicy } from './given.ts';

const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
};
const quota = (units: number, more: object = {}) => ({ ...TERMS, quota: { units, onExceed: 'deny', ...more } });
const NOVEMBER = '2026-10-31T23:00:00.000Z';

const licensed = { action: 'allow', conditions: { licenseType: 'commercial' } };
const policy = await makePolicy(postern, [licensed]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));
const second = await made(postern, '/v1/content', item({ policyId: policy.id }));

let count = 0;
async function holder(...licenses: object[]) {
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: `q-${++count}` });
  const held = [];
  for (const one of licenses) {
    held.push(await made(postern, '/v1/licenses', { requesterId, type: 'commercial', ...one }));
    clock.advance(1);
  }
  return { requesterId, licenses: held, id: held[0]?.id as string };
}
async function check(requesterId: string, more: object = {}) {
  const answer = await postern.call('POST', '/v1/access/check', {
    body: { contentId: article.id, requesterId, ...more },
  });
  assertStatus(answer, 200);
  return answer.body;
}
const patch = async (id: string, body: object) => {
  const answer = await postern.call('PATCH', `/v1/licenses/${id}`, { body });
  assertStatus(answer, 200);
  return answer.body;
};
const usageOf = async (id: string) => (await postern.call('GET', `/v1/licenses/${id}/usage`)).body.quota;
const eventsOf = async (id: string, type: string) =>
  (await postern.call('GET', `/v1/events?objectId=${id}&type=${type}&limit=100`)).body.data.map(
    (event: any) => event.data.object,
  );
const told = (decision: any) => [decision.allowed, decision.quota?.used ?? null, decision.quota?.remaining ?? null];

describe('a quota', () => {
  test('denies what is beyond it, tells what is left, and names remedies', async () => {
    const { requesterId, id } = await holder({ terms: quota(2) });
    const first = await check(requesterId);
    assert.deepEqual(first.quota, { units: 2, used: 1, remaining: 1, period: 'month', resetAt: NOVEMBER });
    assert.equal(first.licenseId, id);
    assert.deepEqual(told(await check(requesterId)), [true, 2, 0]);
    const denied = await check(requesterId, { explain: true });
    assert.deepEqual([denied.allowed, denied.reason, denied.licenseId], [false, 'quota_exceeded', id]);
    assert.deepEqual(denied.quota, { units: 2, used: 2, remaining: 0, period: 'month', resetAt: NOVEMBER });
    assert.deepEqual(denied.remedies, [
      { kind: 'wait', until: NOVEMBER },
      { kind: 'amend', licenseId: id },
    ]);
    assert.deepEqual([denied.permissions, denied.rateLimit], [[], null]);
    const { body: logged } = await postern.call('GET', `/v1/access/decisions/${denied.id}`);
    const { explanation: _, remedies: __, ...answered } = denied;
    for (const [field, value] of Object.entries(answered)) assert.deepEqual(logged[field], value, field);
    assert.deepEqual(await usageOf(id), denied.quota);
  });

  test('does not advise to wait for units that come after the license has expired', async () => {
    const expiresAt = '2026-10-20T00:00:00.000Z';
    const { requesterId, id } = await holder({ terms: quota(1), expiresAt });
    assert.equal((await check(requesterId)).allowed, true);
    const denied = await check(requesterId, { explain: true });
    assert.deepEqual([denied.reason, denied.licenseId, denied.quota.resetAt], ['quota_exceeded', id, NOVEMBER]);
    assert.deepEqual(denied.remedies, [{ kind: 'amend', licenseId: id }]);
    // Where another license has units again, the denial names that one.
    const terms = quota(1, { period: 'quarter' });
    const longer = await made(postern, '/v1/licenses', { requesterId, type: 'commercial', terms });
    assert.equal((await check(requesterId)).licenseId, longer.id);
    const later = await check(requesterId, { explain: true });
    assert.deepEqual(
      [later.licenseId, later.remedies[0]],
      [longer.id, { kind: 'wait', until: '2026-12-31T23:00:00.000Z' }],
    );
  });

  test('is peeked at by dry runs and public keys, and used by neither', async () => {
    const { requesterId, id } = await holder({ terms: quota(1) });
    for (let i = 0; i < 2; i++) assert.deepEqual(told(await check(requesterId, { dryRun: true })), [true, 0, 1]);
    await check(requesterId);
    const dry = await check(requesterId, { dryRun: true, explain: true });
    assert.deepEqual([dry.reason, dry.quota.used, dry.remedies.length], ['quota_exceeded', 1, 2]);
    assert.equal((await usageOf(id)).used, 1);
    const past = await check(requesterId, { dryRun: true, asOf: new Date(clock.now()).toISOString() });
    assert.deepEqual([past.allowed, past.quota], [true, null]);
  });

  test('of a batch is used in order, and by dry runs at their place', async () => {
    const { requesterId } = await holder({ terms: quota(2) });
    const checks = [{}, { dryRun: true }, {}, { dryRun: true }, {}].map((more) => ({
      contentId: article.id,
      requesterId,
      ...more,
    }));
    const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
    assert.deepEqual(body.data.map(told), [
      [true, 1, 1],
      [true, 1, 1],
      [true, 2, 0],
      [false, 2, 0],
      [false, 2, 0],
    ]);
  });

  test('begins anew with the period of the time zone', async () => {
    const { requesterId } = await holder({ terms: quota(1, { period: 'day' }) });
    assert.equal((await check(requesterId)).quota.resetAt, '2026-10-05T22:00:00.000Z');
    const { allowed, quota: state } = await check(requesterId);
    assert.equal(allowed, false);
    clock.advance(Date.parse(state.resetAt) - 1 - clock.now());
    assert.equal((await check(requesterId)).allowed, false);
    clock.advance(1);
    assert.deepEqual(told(await check(requesterId)), [true, 1, 0]);
  });

  test('of the whole license never begins anew: only amending helps', async () => {
    const { requesterId, id } = await holder({
      terms: quota(1, { period: 'term' }),
      expiresAt: '2030-01-01T00:00:00Z',
    });
    await check(requesterId);
    clock.advance(400 * 86_400_000);
    const denied = await check(requesterId, { explain: true });
    assert.deepEqual([denied.reason, denied.quota.resetAt], ['quota_exceeded', null]);
    assert.deepEqual(denied.remedies, [{ kind: 'amend', licenseId: id }]);
  });

  test('with `allow` counts and never denies', async () => {
    const { requesterId } = await holder({ terms: quota(1, { onExceed: 'allow' }) });
    assert.deepEqual(told(await check(requesterId)), [true, 1, 0]);
    assert.deepEqual(told(await check(requesterId)), [true, 2, 0]);
  });

  test('counts the purposes that its terms list; others are neither counted nor denied', async () => {
    const { requesterId, id } = await holder({ terms: { ...quota(1), purposes: ['training'] } });
    assert.equal((await check(requesterId, { purpose: 'search' })).quota, null);
    assert.equal((await check(requesterId, { purpose: 'training' })).quota.used, 1);
    assert.equal((await check(requesterId, { purpose: 'training' })).reason, 'quota_exceeded');
    const other = await check(requesterId, { purpose: 'search' });
    assert.deepEqual([other.allowed, other.quota, other.licenseId], [true, null, id]);
  });

  test('of distinct content counts each item once: what was counted stays allowed', async () => {
    const { requesterId, id } = await holder({ terms: { ...quota(1), unit: 'distinct_content' } });
    for (let i = 0; i < 3; i++) assert.deepEqual(told(await check(requesterId)), [true, 1, 0]);
    assert.equal((await check(requesterId, { contentId: second.id })).reason, 'quota_exceeded');
    assert.equal((await check(requesterId, { contentId: second.id, dryRun: true })).reason, 'quota_exceeded');
    assert.deepEqual(told(await check(requesterId)), [true, 1, 0]);
    assert.equal((await usageOf(id)).used, 1);
    const month = Date.parse((await usageOf(id)).resetAt);
    clock.advance(month - clock.now());
    assert.deepEqual(told(await check(requesterId, { contentId: second.id })), [true, 1, 0]);
    assert.equal((await check(requesterId)).allowed, false);
  });

  test('of distinct content knows URLs without an item', async () => {
    await made(postern, '/v1/collections', { name: 'n', hosts: ['news.example'], policyId: policy.id });
    const { requesterId } = await holder({ terms: { ...quota(1), unit: 'distinct_content' } });
    const ask = (path: string) =>
      postern.call('POST', '/v1/access/check', { body: { url: `https://news.example/${path}`, requesterId } });
    for (const [path, allowed] of [
      ['a', true],
      ['a', true],
      ['b', false],
      ['a', true],
    ] as const) {
      assert.equal((await ask(path)).body.allowed, allowed, path);
    }
  });

  test('is spent by no check that is only observed, and denies it as it would', async () => {
    const collection = { name: 'o', hosts: ['observed.example'], policyId: policy.id, mode: 'observe' };
    await made(postern, '/v1/collections', collection);
    const { requesterId, id } = await holder({ terms: quota(1) });
    const observed = () => check(requesterId, { contentId: undefined, url: 'https://observed.example/' });
    for (let i = 0; i < 2; i++) assert.deepEqual(told(await observed()), [true, 0, 1]);
    await check(requesterId);
    const { reason, enforced } = await observed();
    assert.deepEqual([reason, enforced], ['quota_exceeded', false]);
    assert.deepEqual(await eventsOf(id, 'license.quota_exceeded'), []);
  });

  test('of a replayed request is used once', async () => {
    const { requesterId, id } = await holder({ terms: quota(5) });
    const ask = () =>
      postern.call('POST', '/v1/access/check', {
        body: { contentId: article.id, requesterId },
        headers: { 'idempotency-key': 'one' },
      });
    const [first, again] = [await ask(), await ask()];
    assert.deepEqual(again.body, first.body);
    assert.equal(first.body.quota.used, 1);
    assert.equal((await usageOf(id)).used, 1);
  });

  test('survives a restart', async () => {
    const { requesterId } = await holder({ terms: quota(2) });
    await check(requesterId);
    await postern.restart();
    assert.deepEqual(told(await check(requesterId)), [true, 2, 0]);
    assert.equal((await check(requesterId)).allowed, false);
  });
});

describe('a quota and a rate limit on one check', async () => {
  const limited = { ...licensed, rateLimit: { requests: 2, period: 'month' } };
  const contentId = (await made(postern, '/v1/content', item({ policyId: (await makePolicy(postern, [limited])).id })))
    .id;
  test('are used both or neither', async () => {
    const scarce = await holder({ terms: quota(1) });
    const served = await check(scarce.requesterId, { contentId });
    assert.deepEqual([served.rateLimit.remaining, served.quota.remaining], [1, 0]);
    for (let i = 0; i < 3; i++) assert.equal((await check(scarce.requesterId, { contentId })).reason, 'quota_exceeded');
    await patch(scarce.id, { terms: quota(9), effective: 'now' });
    assert.equal((await check(scarce.requesterId, { contentId })).rateLimit.remaining, 0);
    const limitedNow = await check(scarce.requesterId, { contentId });
    assert.deepEqual([limitedNow.reason, limitedNow.quota], ['rate_limit_exceeded', null]);
    assert.equal((await usageOf(scarce.id)).used, 2);
    const dry = await check(scarce.requesterId, { contentId, dryRun: true });
    assert.equal(dry.reason, 'rate_limit_exceeded');
  });
});

describe('several licenses', () => {
  test('serve one after another: the one that runs out first, then the older; used-up ones are passed over', async () => {
    const { requesterId, licenses } = await holder(
      { terms: quota(2) },
      { terms: quota(1) },
      { terms: quota(2), expiresAt: '2040-01-01T00:00:00Z' },
    );
    const [older, younger, ending] = licenses.map(({ id }) => id);
    const checks = Array.from({ length: 4 }, () => ({ contentId: article.id, requesterId }));
    const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
    const served = body.data.map(({ licenseId }: any) => licenseId);
    assert.deepEqual(served, [ending, ending, older, older]);
    const last = await check(requesterId);
    assert.deepEqual([last.licenseId, told(last)], [younger, [true, 1, 0]]);
    const denied = await check(requesterId);
    assert.deepEqual([denied.reason, denied.licenseId], ['quota_exceeded', ending]);
    assert.deepEqual(await eventsOf(older, 'license.quota_exceeded'), []);
    const { body: log } = await postern.call('GET', `/v1/access/decisions?licenseId=${older}`);
    assert.equal(log.totalCount, 2);
  });

  test('one without a quota serves what is left', async () => {
    const { requesterId, licenses } = await holder({ terms: quota(1), expiresAt: '2040-01-01T00:00:00Z' }, {});
    assert.equal((await check(requesterId)).licenseId, licenses[0].id);
    for (let i = 0; i < 2; i++) {
      const { licenseId, quota: state } = await check(requesterId);
      assert.deepEqual([licenseId, state], [licenses[1].id, null]);
    }
  });
});

describe('terms that change', () => {
  test('within a period keep what was used: more units serve again, fewer deny', async () => {
    const { requesterId, id } = await holder({ terms: quota(2) });
    for (let i = 0; i < 3; i++) await check(requesterId);
    await patch(id, { terms: quota(3), effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [true, 3, 0]);
    await patch(id, { terms: quota(1), effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [false, 3, 0]);
  });

  test('a quota that comes within a period counts what the license used before it', async () => {
    const { requesterId, id } = await holder({});
    for (let i = 0; i < 3; i++) await check(requesterId, { purpose: i === 0 ? 'search' : 'training' });
    await patch(id, { terms: { ...quota(3), purposes: ['training'] } });
    assert.deepEqual(told(await check(requesterId, { purpose: 'training' })), [true, 3, 0]);
    assert.equal((await check(requesterId, { purpose: 'training' })).allowed, false);
    await patch(id, { terms: quota(5), effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [true, 5, 0]);
    await patch(id, { terms: { ...quota(2), unit: 'distinct_content' }, effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [true, 1, 1]);
    // Without a quota nothing is counted, until there is one again.
    await patch(id, { terms: TERMS, effective: 'now' });
    assert.deepEqual((await check(requesterId)).quota, null);
    await patch(id, { terms: quota(9), effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [true, 8, 1]);
    assert.equal((await usageOf(id)).used, 8);
  });

  test('what a deleted item used stays used, also when it is counted again', async () => {
    const { requesterId, id } = await holder({ terms: quota(4) });
    const gone = await made(postern, '/v1/content', item({ policyId: policy.id }));
    await check(requesterId, { contentId: gone.id });
    await postern.call('DELETE', `/v1/content/${gone.id}`);
    assert.deepEqual(told(await check(requesterId)), [true, 2, 2]);
    await patch(id, { terms: quota(4, { period: 'year' }), effective: 'now' });
    assert.deepEqual(told(await check(requesterId)), [true, 3, 1]);
  });

  test('of a license that was revoked serve no more', async () => {
    const { requesterId, id } = await holder({ terms: quota(2) });
    await check(requesterId);
    assertStatus(await postern.call('POST', `/v1/licenses/${id}/revoke`), 200);
    assert.deepEqual([(await check(requesterId)).reason, (await check(requesterId)).quota], ['no_license', null]);
  });
});

describe('events', () => {
  test('tell each part of a quota once a period, and that it was exceeded', async () => {
    const { requesterId, id } = await holder({ terms: quota(4, { period: 'day' }) });
    const parts = async () => (await eventsOf(id, 'license.threshold_reached')).map(({ threshold }: any) => threshold);
    for (let i = 0; i < 3; i++) await check(requesterId);
    assert.deepEqual(await parts(), [0.5]);
    await check(requesterId);
    assert.deepEqual((await parts()).toSorted(), [0.5, 0.8, 1]);
    assert.deepEqual(await eventsOf(id, 'license.quota_exceeded'), []);
    for (let i = 0; i < 3; i++) await check(requesterId);
    const [exceeded, ...more] = await eventsOf(id, 'license.quota_exceeded');
    assert.equal(more.length, 0);
    assert.deepEqual(
      [exceeded.object, exceeded.licenseId, exceeded.requesterId, exceeded.quota.used],
      ['license_quota', id, requesterId, 4],
    );
    clock.advance(86_400_000);
    for (let i = 0; i < 5; i++) await check(requesterId);
    assert.equal((await parts()).length, 6);
    assert.equal((await eventsOf(id, 'license.quota_exceeded')).length, 2);
  });

  test('tell the parts of more units again, those that are not reached yet', async () => {
    const { requesterId, id } = await holder({ terms: quota(4) });
    const parts = async () => (await eventsOf(id, 'license.threshold_reached')).map(({ threshold }: any) => threshold);
    for (let i = 0; i < 4; i++) {
      await check(requesterId);
      // Until the count is settled.
      clock.advance(10_000);
    }
    assert.equal((await check(requesterId)).reason, 'quota_exceeded');
    await patch(id, { terms: quota(10), effective: 'now' });
    await check(requesterId);
    assert.deepEqual((await parts()).toSorted(), [0.5, 0.5, 0.8, 1]);
    for (let i = 0; i < 6; i++) await check(requesterId);
    assert.deepEqual((await parts()).toSorted(), [0.5, 0.5, 0.8, 0.8, 1, 1]);
    assert.equal((await eventsOf(id, 'license.quota_exceeded')).length, 2);
    // Fewer units reach no part twice.
    await patch(id, { terms: quota(9), effective: 'now' });
    await check(requesterId);
    assert.equal((await parts()).length, 6);
  });

  test('tell the parts of more units also where the first ones were used up within seconds', async () => {
    const { requesterId, id } = await holder({ terms: quota(4) });
    const parts = async () => (await eventsOf(id, 'license.threshold_reached')).map(({ threshold }: any) => threshold);
    for (let i = 0; i < 4; i++) await check(requesterId);
    assert.equal((await check(requesterId)).reason, 'quota_exceeded');
    await patch(id, { terms: quota(10), effective: 'now' });
    for (let i = 0; i < 6; i++) await check(requesterId);
    assert.equal((await check(requesterId)).reason, 'quota_exceeded');
    assert.deepEqual((await parts()).toSorted(), [0.5, 0.5, 0.8, 0.8, 1, 1]);
    assert.equal((await eventsOf(id, 'license.quota_exceeded')).length, 2);
  });

  test('follow the alerts of the terms; an allowing quota is exceeded by the first unit beyond it', async () => {
    const { requesterId, id } = await holder({ terms: { ...quota(2, { onExceed: 'allow' }), alerts: [1, 1.5] } });
    for (let i = 0; i < 2; i++) await check(requesterId);
    assert.deepEqual(await eventsOf(id, 'license.quota_exceeded'), []);
    await check(requesterId);
    const parts = (await eventsOf(id, 'license.threshold_reached')).map(({ threshold }: any) => threshold);
    assert.deepEqual(parts.toSorted(), [1, 1.5]);
    assert.equal((await eventsOf(id, 'license.quota_exceeded')).length, 1);
  });
});

test('simulated checks see an unused quota', async () => {
  const { requesterId } = await holder({ terms: quota(1) });
  for (let i = 0; i < 2; i++) await check(requesterId);
  const body = { policy: { rules: [licensed] }, checks: [{ contentId: article.id, requesterId }] };
  const answer = await postern.call('POST', '/v1/policies/simulate', { body });
  assertStatus(answer, 200);
  assert.deepEqual(told(answer.body.data[0]), [true, 0, 1]);
});
