/**
 * Licenses begin and end at their exact millisecond by the clock alone: on facts in memory, with no edit, no poll and
 * no query in between. The tests change the store behind the service's back to detect queries.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, check, item, made, makePolicy, wire } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const iso = (at: number): string => new Date(at).toISOString();
const advanceTo = (at: number): void => clock.advance(at - clock.now());

/** Creates an item for license holders, and a requester. */
async function licensed(name: string, rules: object[] = [{ action: 'allow', conditions: { hasValidLicense: true } }]) {
  const { id: policyId } = await makePolicy(postern, rules);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  await made(postern, '/v1/requesters', { id: name });
  return { contentId, requesterId: name };
}

/** Changes the store behind the service's back: a decision that queries the store comes out wrong. */
const tamper = (sql: string): Promise<void> => postern.tamper({ sql });

/** Checks in every way there is, and insists on one reason. */
async function reason(one: object): Promise<string | null> {
  const recorded = await check(postern, one);
  const dry = await check(postern, { ...one, dryRun: true });
  const body = { checks: [one, { ...one, dryRun: true, explain: true }] };
  const batch = (await made(postern, '/v1/access/check/batch', body, 200)).data;
  for (const other of [dry, ...batch]) assert.equal(other.reason, recorded.reason);
  return recorded.reason;
}

describe('a licence in memory', () => {
  test('ends at expiresAt, not a millisecond before or after', async () => {
    const one = await licensed('ending');
    const end = clock.now() + 60_000;
    await made(postern, '/v1/licenses', { requesterId: 'ending', type: 'a', expiresAt: iso(end) });
    assert.equal(await reason(one), null);
    await tamper(`update licenses set expires_at = null, expiry_due = null where requester_id = 'ending'`);
    for (const at of [end - 1000, end - 1]) {
      advanceTo(at);
      assert.equal(await reason(one), null, String(at - end));
    }
    for (const at of [end, end + 1, end + 1000]) {
      advanceTo(at);
      assert.equal(await reason(one), 'license_expired', String(at - end));
    }
  });
  test('begins at startsAt, not a millisecond before or after', async () => {
    const one = await licensed('beginning');
    const start = clock.now() + 60_000;
    await made(postern, '/v1/licenses', { requesterId: 'beginning', type: 'a', startsAt: iso(start) });
    assert.equal(await reason(one), 'no_license');
    await tamper(`update licenses set starts_at = ${start + 10 ** 9} where requester_id = 'beginning'`);
    advanceTo(start - 1);
    assert.equal(await reason(one), 'no_license');
    advanceTo(start);
    assert.equal(await reason(one), null);
  });
  test('one ends as the other begins: without a gap, and with each its own id', async () => {
    const one = await licensed('following');
    const turn = clock.now() + 60_000;
    const first = await made(postern, '/v1/licenses', { requesterId: 'following', type: 'a', expiresAt: iso(turn) });
    const second = await made(postern, '/v1/licenses', { requesterId: 'following', type: 'b', startsAt: iso(turn) });
    assert.equal((await check(postern, one)).licenseId, first.id);
    await tamper(`delete from licenses where requester_id = 'following'`);
    advanceTo(turn - 1);
    assert.equal((await check(postern, one)).licenseId, first.id);
    advanceTo(turn);
    assert.equal((await check(postern, one)).licenseId, second.id);
  });
  test('is of no end by `licenseExpiry` at the same millisecond', async () => {
    const limit = clock.now() + 60_000;
    const rules = [{ action: 'allow', conditions: { licenseExpiry: { after: iso(limit) } } }];
    const one = await licensed('limited', rules);
    await made(postern, '/v1/licenses', { requesterId: 'limited', type: 'a', expiresAt: iso(limit) });
    assert.equal(await reason(one), null);
    await tamper(`delete from licenses where requester_id = 'limited'`);
    advanceTo(limit - 1);
    assert.equal(await reason(one), null);
    advanceTo(limit);
    assert.equal(await reason(one), 'license_expired');
  });
});

test('a vouched licence ends at its expiresAt, asked again and again', async () => {
  const { contentId } = await licensed('vouched');
  const end = clock.now() + 60_000;
  const one = { contentId, requesterId: 'vouched', license: { type: 'a', expiresAt: iso(end) } };
  assert.equal(await reason(one), null);
  advanceTo(end - 1);
  assert.equal(await reason(one), null);
  advanceTo(end);
  assert.equal(await reason(one), 'license_expired');
  const offset = { ...one, license: { type: 'a', expiresAt: iso(end + 3_600_000).replace('Z', '+01:00') } };
  assert.equal(await reason(offset), 'license_expired');
});

test('the condition `time` turns at its very moment', async () => {
  const turn = clock.now() + 60_000;
  const rules = [{ action: 'allow', conditions: { time: { after: iso(turn), before: iso(turn + 1000) } } }];
  const one = await licensed('timed', rules);
  assert.equal(await reason(one), 'policy_denied');
  for (const [at, expected] of [
    [turn - 1, 'policy_denied'],
    [turn, null],
    [turn + 999, null],
    [turn + 1000, 'policy_denied'],
  ] as const) {
    advanceTo(at);
    assert.equal(await reason(one), expected, String(at - turn));
  }
});

test('`valid` of a licence turns with it, and an edit of the end acts at once', async () => {
  const one = await licensed('edited');
  const end = clock.now() + 60_000;
  const { id } = await made(postern, '/v1/licenses', { requesterId: 'edited', type: 'a', expiresAt: iso(end) });
  const valid = async (): Promise<boolean> => (await postern.call('GET', `/v1/licenses/${id}`)).body.valid;
  advanceTo(end - 1);
  assert.deepEqual([await valid(), await reason(one)], [true, null]);
  advanceTo(end);
  assert.deepEqual([await valid(), await reason(one)], [false, 'license_expired']);
  await postern.call('PATCH', `/v1/licenses/${id}`, { body: { expiresAt: iso(end + 1000) } });
  assert.deepEqual([await valid(), await reason(one)], [true, null]);
  advanceTo(end + 1000);
  assert.deepEqual([await valid(), await reason(one)], [false, 'license_expired']);
});

test('the ETag of a license is another as soon as it begins or ends; revoking takes If-Match', async () => {
  await made(postern, '/v1/requesters', { id: 'tagged' });
  const [startsAt, expiresAt] = [iso(clock.now() + 1_000), iso(clock.now() + 2_000)];
  const { id } = await made(postern, '/v1/licenses', { requesterId: 'tagged', type: 'x', startsAt, expiresAt });
  const path = `/v1/licenses/${id}`;
  let headers: Record<string, string> = {};
  for (const valid of [false, true, false]) {
    const read = await postern.call('GET', path, { headers });
    assertStatus(read, 200);
    assert.equal(read.body.valid, valid);
    headers = { 'if-none-match': read.headers.get('etag') ?? '' };
    assertStatus(await wire(postern, 'GET', path, { headers }), 304);
    clock.advance(1_000);
  }
  const stale = { 'if-match': '"stale"' };
  assertError(await postern.call('POST', `${path}/revoke`, { headers: stale }), 'precondition_failed');
  assert.equal((await postern.call('GET', path)).body.status, 'active');
  const fresh = { 'if-match': headers['if-none-match'] as string };
  assertStatus(await postern.call('POST', `${path}/revoke`, { headers: fresh }), 200);
});

test('a requester that is registered again has another ETag', async () => {
  const path = '/v1/requesters/again';
  await made(postern, '/v1/requesters', { id: 'again' });
  const before = (await postern.call('GET', path)).headers.get('etag');
  clock.advance(1);
  assertStatus(await postern.call('DELETE', path), 200);
  await made(postern, '/v1/requesters', { id: 'again' });
  assert.notEqual((await postern.call('GET', path)).headers.get('etag'), before);
});
