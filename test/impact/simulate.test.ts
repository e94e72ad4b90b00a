/** Simulation: what rules that are not stored would decide; nothing is stored, nothing is used up. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { runSeed } from '../../kit/random.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, check, item, made, makeItem, makeKey, makePolicy } from '../http/given.ts';
import { ALL_KEYS, policyArbitrary } from '../oracle/arbitrary.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const simulate = async (policy: object, checks: object[]): Promise<Any[]> =>
  (await made(postern, '/v1/policies/simulate', { policy, checks }, 200)).data;

describe('rules that are not stored', () => {
  test('decide in order, and one that fails is its error', async () => {
    const { id, externalId } = await makeItem(postern, []);
    const rules = [{ action: 'allow', conditions: { purpose: 'reading' }, permissions: ['preview_only'] }];
    const answer = await made(
      postern,
      '/v1/policies/simulate',
      {
        policy: { rules },
        checks: [{ contentId: id, purpose: 'reading' }, { contentId: externalId }, { contentId: 'no' }, { nope: 1 }, 7],
      },
      200,
    );
    assert.deepEqual([answer.object, answer.totalCount, answer.hasMore, answer.nextCursor], ['list', 5, false, null]);
    const [allowed, denied, unknown, wrong, number] = answer.data;
    assert.deepEqual(
      [allowed.allowed, allowed.permissions, allowed.id, allowed.recorded, allowed.policyId, allowed.policyVersion],
      [true, ['preview_only'], null, false, null, null],
    );
    assert.deepEqual([denied.allowed, denied.reason, denied.contentId], [false, 'policy_denied', id]);
    assert.equal(unknown.error.code, 'content_not_found');
    assert.deepEqual([wrong.error.code, wrong.error.param], ['invalid_request', 'contentId']);
    assert.equal(number.error.code, 'invalid_request');
  });
  test('the item’s own policy has no say, its metadata has', async () => {
    const { id } = await makeItem(postern, [{ action: 'deny' }], { metadata: { tier: 1 } });
    await check(postern, { contentId: id });
    const [one] = await simulate({ rules: [{ action: 'allow', conditions: { contentMetadata: { tier: 1 } } }] }, [
      { contentId: id, explain: true },
    ]);
    assert.equal(one.allowed, true);
    assert.deepEqual([one.explanation.policyId, one.explanation.policyVersion], [null, null]);
    assert.equal(one.explanation.rules[0].decided, true);
  });
  test('a limit is shown as unused, and stays so', async () => {
    const { id } = await makeItem(postern, []);
    const rules = [{ action: 'allow', rateLimit: { requests: 2, period: 'day' } }];
    const data = await simulate(
      { rules },
      Array.from({ length: 5 }, () => ({ contentId: id, requesterId: 'r' })),
    );
    for (const one of data) assert.deepEqual([one.allowed, one.rateLimit.remaining, one.rateLimit.limit], [true, 2, 2]);
  });
  test('as of a moment, without dryRun', async () => {
    const { id } = await makeItem(postern, []);
    await made(postern, '/v1/requesters', { id: 'sim' });
    const before = new Date(clock.now()).toISOString();
    clock.advance(1000);
    await made(postern, '/v1/licenses', { requesterId: 'sim', type: 'a' });
    clock.advance(1000);
    const one = { contentId: id, requesterId: 'sim' };
    const [then, now, future, unreached] = await simulate(
      { rules: [{ action: 'allow', conditions: { hasValidLicense: true } }] },
      [
        { ...one, asOf: before },
        one,
        { ...one, asOf: '2100-01-01T00:00:00Z' },
        { ...one, asOf: '2020-01-01T00:00:00Z' },
      ],
    );
    assert.deepEqual([then.allowed, now.allowed], [false, true]);
    assert.deepEqual([future.error.param, unreached.error.param], ['asOf', 'asOf']);
  });
  test('nothing is stored: no decision, no policy, no use of a limit', async () => {
    const { id } = await makeItem(postern, [{ action: 'allow', rateLimit: { requests: 1, period: 'hour' } }]);
    const policies = (await postern.call('GET', '/v1/policies')).body.totalCount;
    const { policyId } = (await postern.call('GET', `/v1/content/${id}`)).body;
    const { rules } = (await postern.call('GET', `/v1/policies/${policyId}`)).body;
    await simulate({ rules }, [{ contentId: id }, { contentId: id, dryRun: false }]);
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 0);
    assert.equal((await postern.call('GET', '/v1/policies')).body.totalCount, policies);
    assert.equal((await check(postern, { contentId: id })).rateLimit.remaining, 0);
  });
  test('bodies that are not right', async () => {
    const ask = (body: object, key?: string) =>
      postern.call('POST', '/v1/policies/simulate', { body, ...(key === undefined ? {} : { key }) });
    const checks = [{ contentId: 'x' }];
    assertError(await ask({ policy: { rules: [] } }), 'invalid_request', 'checks');
    assertError(await ask({ policy: { rules: [] }, checks: [] }), 'invalid_request', 'checks');
    assertError(await ask({ checks }), 'invalid_request', 'policy');
    assertError(
      await ask({ policy: { rules: [{ action: 'alow' }] }, checks }),
      'invalid_request',
      'policy.rules[0].action',
    );
    assertError(
      await ask({ policy: { rules: [{ action: 'allow', conditions: { licenceType: 'a' } }] }, checks }),
      'invalid_request',
      'policy.rules[0].conditions.licenceType',
    );
    const many = Array.from({ length: 1001 }, () => checks[0]);
    assertError(await ask({ policy: { rules: [] }, checks: many }), 'invalid_request', 'checks');
    const key = await makeKey(postern, { type: 'public', permissions: ['policies:read', 'content:read'] });
    assertError(await ask({ policy: { rules: [] }, checks }, key), 'insufficient_permissions');
  });
});

test('simulated rules decide as stored ones do: single, batch and simulation agree', async () => {
  const policies = fc.sample(policyArbitrary(ALL_KEYS), { numRuns: 40, seed: runSeed }) as Any[];
  await made(postern, '/v1/requesters', { id: 'r1', type: 'ai_company', tags: ['a'], metadata: { tier: 'gold' } });
  await made(postern, '/v1/licenses', { requesterId: 'r1', type: 'basic', features: ['x'] });
  await made(postern, '/v1/licenses', { requesterId: 'r1', type: 'enterprise', expiresAt: '2026-11-01T00:00:00Z' });
  const asked = [
    {},
    { requesterId: 'r1' },
    { requesterId: 'r2', purpose: 'training', permission: 'training' },
    {
      requesterId: 'r1',
      purpose: 'search',
      permission: 'preview_only',
      context: { country: 'US', ip: '10.1.2.3', userAgent: 'gptbot' },
    },
    { license: { type: 'enterprise', features: ['x', 'y'] }, context: { country: 'DE' } },
  ];
  for (const [i, { rules, defaultAction }] of policies.entries()) {
    const { id: policyId } = await makePolicy(postern, rules, { defaultAction });
    const { id } = await made(postern, '/v1/content', item({ policyId, tags: ['a', 'b'], type: 'report' }));
    const checks = asked.map((one) => ({ contentId: id, dryRun: true, explain: true, ...one }));
    const batch = (await made(postern, '/v1/access/check/batch', { checks }, 200)).data as Any[];
    const simulated = await simulate({ rules, defaultAction }, checks);
    for (const [k, one] of checks.entries()) {
      const single = await check(postern, one);
      assert.deepEqual(batch[k], single, `seed ${runSeed}, policy ${i}`);
      const stored = { ...single, policyId: null, policyVersion: null };
      stored.explanation = { ...single.explanation, policyId: null, policyVersion: null };
      assert.deepEqual(simulated[k], stored, `seed ${runSeed}, policy ${i}`);
    }
  }
});
