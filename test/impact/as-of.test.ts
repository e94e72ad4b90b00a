/**
 * `asOf`: a dry run decides by the policy version, the requester and the licenses of a past time, or says why it
 * cannot.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, check, item, made, makeItem, makeKey, makePolicy } from '../http/given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

/** Returns the time now, and advances the clock. */
function passes(ms = 60_000): string {
  const at = new Date(clock.now()).toISOString();
  clock.advance(ms);
  return at;
}
const licensed = [{ action: 'allow', conditions: { licenseType: 'a' } }];
const edit = async (path: string, body: object): Promise<void> => {
  assertStatus(await postern.call('PATCH', path, { body }), 200, path);
};
const remove = async (path: string): Promise<void> => {
  assertStatus(await postern.call('DELETE', path), 200, path);
};
const reasonAt = async (contentId: string, requesterId: string, asOf: string): Promise<string | null> =>
  (await check(postern, { contentId, requesterId, dryRun: true, asOf })).reason;

describe('licences count as they were', () => {
  test('before it was given, while it was held, after it was revoked', async () => {
    const { id } = await makeItem(postern, licensed);
    await made(postern, '/v1/requesters', { id: 'revoked' });
    const before = passes();
    const license = await made(postern, '/v1/licenses', { requesterId: 'revoked', type: 'a' });
    const held = passes();
    await made(postern, `/v1/licenses/${license.id}/revoke`, undefined, 200);
    const later = passes();
    assert.equal(await reasonAt(id, 'revoked', before), 'no_license');
    assert.equal(await reasonAt(id, 'revoked', held), null);
    assert.equal(await reasonAt(id, 'revoked', later), 'no_license');
    const then = await check(postern, { contentId: id, requesterId: 'revoked', dryRun: true, asOf: held });
    assert.deepEqual([then.licenseId, then.created, then.recorded, then.id], [license.id, held, false, null]);
  });
  test('an edit counts from its `updated` on, to the millisecond', async () => {
    const { id } = await makeItem(postern, licensed);
    await made(postern, '/v1/requesters', { id: 'edited' });
    const license = await made(postern, '/v1/licenses', { requesterId: 'edited', type: 'b' });
    passes();
    const { body } = await postern.call('PATCH', `/v1/licenses/${license.id}`, { body: { type: 'a' } });
    passes();
    const eve = new Date(Date.parse(body.updated) - 1).toISOString();
    assert.equal(await reasonAt(id, 'edited', eve), 'no_license');
    assert.equal(await reasonAt(id, 'edited', body.updated), null);
  });
  test('it expires at its moment', async () => {
    const { id } = await makeItem(postern, licensed);
    await made(postern, '/v1/requesters', { id: 'expired' });
    const expiresAt = new Date(clock.now() + 1000).toISOString();
    await made(postern, '/v1/licenses', { requesterId: 'expired', type: 'a', expiresAt });
    passes();
    const eve = new Date(Date.parse(expiresAt) - 1).toISOString();
    assert.equal(await reasonAt(id, 'expired', eve), null);
    assert.equal(await reasonAt(id, 'expired', expiresAt), 'license_expired');
  });
  test('a deleted one counts as of then; one that went with its requester too; and both after a restart', async () => {
    const time = testClock();
    await using own = await startTestService({ clock: time });
    const { id } = await makeItem(own, licensed);
    const moments: string[] = [];
    const next = (): void => {
      moments.push(new Date(time.now()).toISOString());
      time.advance(60_000);
    };
    await made(own, '/v1/requesters', { id: 'gone' });
    const license = await made(own, '/v1/licenses', { requesterId: 'gone', type: 'a' });
    next();
    await own.call('DELETE', `/v1/licenses/${license.id}`);
    next();
    await made(own, '/v1/licenses', { requesterId: 'gone', type: 'a' });
    next();
    await own.call('DELETE', '/v1/requesters/gone');
    next();
    await made(own, '/v1/requesters', { id: 'gone' });
    next();
    const expected = [null, 'no_license', null, 'no_license', 'no_license'];
    for (const round of ['first', 'restarted']) {
      for (const [i, asOf] of moments.entries()) {
        const answer = await check(own, { contentId: id, requesterId: 'gone', dryRun: true, asOf });
        assert.equal(answer.reason, expected[i], `${round} ${i}`);
      }
      await own.restart();
    }
  });
});

describe('requesters and policies are those of then', () => {
  test('suspended, tagged, unregistered', async () => {
    const { id } = await makeItem(postern, [{ action: 'allow', conditions: { requesterTags: 'gold' } }]);
    const unknown = passes();
    await made(postern, '/v1/requesters', { id: 'changing', tags: ['gold'] });
    const gold = passes();
    await edit('/v1/requesters/changing', { status: 'suspended' });
    const suspended = passes();
    await edit('/v1/requesters/changing', { status: 'active', tags: [] });
    const plain = passes();
    assert.equal(await reasonAt(id, 'changing', unknown), 'policy_denied');
    assert.equal(await reasonAt(id, 'changing', gold), null);
    assert.equal(await reasonAt(id, 'changing', suspended), 'requester_suspended');
    assert.equal(await reasonAt(id, 'changing', plain), 'policy_denied');
  });
  test('before and after an edit of the policy', async () => {
    const { id, policyId } = await makeItem(postern, []);
    const before = passes();
    await edit(`/v1/policies/${policyId}`, { defaultAction: 'allow' });
    const later = passes();
    const first = await check(postern, { contentId: id, dryRun: true, asOf: before, explain: true });
    assert.deepEqual([first.allowed, first.policyVersion, first.explanation.policyVersion], [false, 1, 1]);
    const second = await check(postern, { contentId: id, dryRun: true, asOf: later });
    assert.deepEqual([second.allowed, second.policyVersion], [true, 2]);
  });
  test('conditions on time ask the moment; the limit is not applied', async () => {
    const rules = [
      { action: 'deny', conditions: { time: { after: new Date(clock.now() + 30_000).toISOString() } } },
      { action: 'allow', rateLimit: { requests: 1, period: 'day' } },
    ];
    const { id } = await makeItem(postern, rules);
    await check(postern, { contentId: id });
    const early = passes();
    const late = passes();
    const then = await check(postern, { contentId: id, dryRun: true, asOf: early });
    assert.deepEqual([then.allowed, then.rateLimit], [true, null]);
    assert.equal((await check(postern, { contentId: id, dryRun: true, asOf: late })).allowed, false);
  });
  test('metadata is asked for by an old version only', async () => {
    const rules = [{ action: 'allow', conditions: { contentMetadata: { section: 'a' } } }];
    const { id, policyId } = await makeItem(postern, rules, { metadata: { section: 'a' } });
    const before = passes();
    await edit(`/v1/policies/${policyId}`, { rules: [] });
    await check(postern, { contentId: id });
    passes();
    assert.equal((await check(postern, { contentId: id, dryRun: true, asOf: before })).allowed, true);
  });
});

describe('what cannot be is refused', () => {
  const ask = (body: object, key?: string) =>
    postern.call('POST', '/v1/access/check', { body, ...(key === undefined ? {} : { key }) });
  test('without dryRun, in the future, not a moment', async () => {
    const { id } = await makeItem(postern, []);
    const past = passes();
    assertError(await ask({ contentId: id, asOf: past }), 'invalid_request', 'asOf');
    assertError(await ask({ contentId: id, asOf: past, dryRun: false }), 'invalid_request', 'asOf');
    const future = new Date(clock.now() + 1).toISOString();
    assertError(await ask({ contentId: id, asOf: future, dryRun: true }), 'invalid_request', 'asOf');
    for (const asOf of ['2026-01-01', 'yesterday', '', null, 0]) {
      assertError(await ask({ contentId: id, asOf, dryRun: true }), 'invalid_request', 'asOf');
    }
    const now = new Date(clock.now()).toISOString();
    assertStatus(await ask({ contentId: id, asOf: now, dryRun: true }), 200);
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    assertError(await ask({ contentId: id, asOf: past }, key), 'invalid_request', 'asOf');
  });
  test('before the item was registered, before its policy was created, for an item that is not there', async () => {
    const before = passes();
    const created = await made(postern, '/v1/content', item());
    passes();
    assertError(await ask({ contentId: created.id, asOf: before, dryRun: true }), 'invalid_request', 'asOf');
    const between = passes();
    const { id: policyId } = await makePolicy(postern, []);
    await edit(`/v1/content/${created.id}`, { policyId });
    passes();
    assertError(await ask({ contentId: created.id, asOf: between, dryRun: true }), 'invalid_request', 'asOf');
    assertError(await ask({ contentId: 'no-such', asOf: between, dryRun: true }), 'content_not_found');
  });
  test('in a batch each for itself, beside checks of now', async () => {
    const { id } = await makeItem(postern, licensed);
    await made(postern, '/v1/requesters', { id: 'batch' });
    const early = passes();
    await made(postern, '/v1/licenses', { requesterId: 'batch', type: 'a' });
    passes();
    const one = { contentId: id, requesterId: 'batch' };
    const checks = [
      { ...one, dryRun: true, asOf: early },
      one,
      { ...one, asOf: early },
      { ...one, dryRun: true, asOf: '2020-01-01T00:00:00Z' },
      { ...one, dryRun: true },
    ];
    const { data } = await made(postern, '/v1/access/check/batch', { checks }, 200);
    assert.deepEqual([data[0].allowed, data[0].created], [false, early]);
    assert.deepEqual([data[1].allowed, data[1].recorded], [true, true]);
    assert.equal(data[2].error.param, 'asOf');
    assert.equal(data[3].error.param, 'asOf');
    assert.equal(data[4].allowed, true);
  });
});

test('an edit that is refused leaves no trace in history', async () => {
  const { id } = await makeItem(postern, licensed);
  await made(postern, '/v1/requesters', { id: 'refused' });
  const license = await made(postern, '/v1/licenses', { requesterId: 'refused', type: 'a' });
  passes();
  const bounds = { startsAt: '2030-01-01T00:00:00Z', expiresAt: '2029-01-01T00:00:00Z' };
  assertError(await postern.call('PATCH', `/v1/licenses/${license.id}`, { body: bounds }), 'invalid_request');
  assertError(await postern.call('POST', '/v1/requesters', { body: { id: 'refused' } }), 'requester_exists');
  const then = passes();
  assert.equal(await reasonAt(id, 'refused', then), null);
  await remove('/v1/requesters/refused');
  const gone = passes();
  assert.equal(await reasonAt(id, 'refused', then), null);
  assert.equal(await reasonAt(id, 'refused', gone), 'no_license');
});
