/**
 * `maxAge`: a client may cache an answer only where the operator allows it, and never past the time at which the same
 * check could change without an edit.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { check, made, makeItem } from '../http/given.ts';
import { authorize } from './asking.ts';

const clock = testClock(Date.parse('2026-11-21T09:30:00Z'));
const postern = await startTestService({ clock, env: { POSTERN_DECISION_MAX_AGE: '60' } });
after(() => postern[Symbol.asyncDispose]());

const maxAgeOf = async (rules: unknown[], more: object = {}): Promise<unknown> => {
  const { id } = await makeItem(postern, rules);
  return (await check(postern, { contentId: id, ...more })).maxAge;
};
const allow = (conditions: object, more: object = {}) => ({ action: 'allow', conditions, ...more });

test('allows and denials may be used again for as long as the operator says', async () => {
  assert.equal(await maxAgeOf([allow({})]), 60);
  assert.equal(await maxAgeOf([]), 60);
  const { id } = await makeItem(postern, [allow({})]);
  const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks: [{ contentId: id }] } });
  assert.equal(body.data[0].maxAge, 60);
  const { headers } = await authorize(postern, null, {
    path: `/v1/authorize/${(await makeItem(postern, [allow({})])).externalId}`,
  });
  assert.equal(headers.get('x-postern-max-age'), '60');
});

test('not where a limit counts, before and after it is used up', async () => {
  const { id } = await makeItem(postern, [allow({}, { rateLimit: { requests: 1, period: 'hour' } })]);
  for (const allowed of [true, false]) {
    const decision = await check(postern, { contentId: id });
    assert.deepEqual([decision.allowed, decision.maxAge], [allowed, undefined]);
  }
});

test('not where some rule asks for the time', async () => {
  assert.equal(await maxAgeOf([allow({ time: { from: '09:00', to: '17:00' } })]), undefined);
  assert.equal(await maxAgeOf([allow({}), allow({ licenseExpiry: { after: 'now' } })]), undefined);
});

test('not past the moment at which a licence begins or ends', async () => {
  const requesterId = (await made(postern, '/v1/requesters', {})).id;
  const rules = [allow({ hasValidLicense: true })];
  const license = { requesterId, type: 'x' };
  assert.equal(await maxAgeOf(rules, { requesterId }), 60);
  await made(postern, '/v1/licenses', { ...license, expiresAt: '2026-11-21T09:40:00Z' });
  assert.equal(await maxAgeOf(rules, { requesterId }), 60);
  await made(postern, '/v1/licenses', { ...license, startsAt: '2026-11-21T09:30:40Z' });
  assert.equal(await maxAgeOf(rules, { requesterId }), 40);
  await made(postern, '/v1/licenses', { ...license, expiresAt: '2026-11-21T09:30:20.900Z' });
  assert.equal(await maxAgeOf(rules, { requesterId }), 20);
  const vouched = { type: 'x', expiresAt: '2026-11-21T09:30:05Z' };
  assert.equal(await maxAgeOf(rules, { requesterId, license: vouched }), 5);
  clock.advance(20_500);
  assert.equal(await maxAgeOf(rules, { requesterId }), undefined);
});

test('not for a dry run, and nowhere without the setting', async () => {
  assert.equal(await maxAgeOf([allow({})], { dryRun: true }), undefined);
  await using other = await startTestService();
  const { id } = await makeItem(other, [allow({})]);
  assert.ok(!('maxAge' in (await check(other, { contentId: id }))));
});
