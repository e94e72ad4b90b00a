/** Explanations of one request are bounded: beyond the bound a refusal, and nothing is recorded. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { allowAll, assertError, assertStatus, made, makeItem, makeKey } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const times = (count: number, one: object) => Array.from({ length: count }, () => one);
const list = (count: number, length: number) => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'x'));
const batch = (checks: object[], key = postern.key) =>
  postern.call('POST', '/v1/access/check/batch', { body: { checks }, key });
const recorded = async (id: string) =>
  (await postern.call('GET', `/v1/access/decisions?contentId=${id}&limit=1`)).body.totalCount;

/** About 900 KB of rules that do not hold. */
const long = times(15, { action: 'allow', conditions: { userAgent: list(1000, 58) } });

describe('long rules', () => {
  test('a batch of 800 is refused, in little memory and with nothing recorded', async () => {
    const { id } = await makeItem(postern, long);
    const before = process.memoryUsage().rss;
    for (const more of [{}, { dryRun: true }]) {
      const answer = await batch(times(800, { contentId: id, explain: true, ...more }));
      assertError(answer, 'invalid_request', 'checks');
    }
    assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
    assert.equal(await recorded(id), 0);
  });
  test('fewer are answered, and all of them without explain', async () => {
    const { id } = await makeItem(postern, long);
    const { body } = await batch(times(10, { contentId: id, explain: true }));
    assert.equal(body.data[9].explanation.rules[14].conditions[0].expected.length, 1000);
    assertStatus(await batch(times(800, { contentId: id })), 200);
    const one = await postern.call('POST', '/v1/access/check', { body: { contentId: id, explain: true } });
    assertStatus(one, 200);
  });
  test('simulations too', async () => {
    const { id } = await makeItem(postern, [allowAll]);
    const ask = (count: number) =>
      postern.call('POST', '/v1/policies/simulate', {
        body: { policy: { rules: long }, checks: times(count, { contentId: id, explain: true }) },
      });
    assertError(await ask(800), 'invalid_request', 'checks');
    assertStatus(await ask(10), 200);
  });
});

test('what the check met counts: licenses that each condition lists', async () => {
  await made(postern, '/v1/requesters', { id: 'many' });
  const features = list(50, 64);
  for (let i = 0; i < 20; i++) await made(postern, '/v1/licenses', { requesterId: 'many', type: `t${i}`, features });
  const { id } = await makeItem(postern, times(20, { action: 'allow', conditions: { licenseFeatures: ['none'] } }));
  const one = { contentId: id, requesterId: 'many', explain: true };
  assertError(await batch(times(100, one)), 'invalid_request', 'checks');
  assertStatus(await batch(times(5, one)), 200);
});

test('remedies are bounded by the decisions it takes to find them, for keys without rules too', async () => {
  const rules = times(50, { action: 'allow', conditions: { licenseType: list(100, 5), country: 'XX' } });
  const needy = times(50, { action: 'allow', conditions: { licenseType: list(100, 5), licenseTypeNot: list(100, 5) } });
  const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
  for (const some of [rules, needy, times(20, { action: 'allow', conditions: { licenseType: list(1000, 5) } })]) {
    const { id } = await makeItem(postern, some);
    const one = await postern.call('POST', '/v1/access/check', { body: { contentId: id, explain: true }, key });
    assertStatus(one, 200);
    const answer = await batch(times(1000, { contentId: id, explain: true }), key);
    if (answer.status !== 200) assertError(answer, 'invalid_request', 'checks');
  }
});

test('1,000 explained checks under rules of everyday size are answered', async () => {
  const rules = [
    ...times(8, { action: 'allow', conditions: { licenseType: ['research', 'news'], purpose: 'training' } }),
    { action: 'deny', conditions: { country: ['XX', 'YY'] } },
    { action: 'deny', conditions: { default: true }, message: 'Write to us.' },
  ];
  const { id } = await makeItem(postern, rules);
  const { status, body } = await batch(times(1000, { contentId: id, purpose: 'training', explain: true }));
  assert.equal(status, 200);
  assert.equal(body.data[999].explanation.rules.length, 10);
  assert.equal(await recorded(id), 1000);
});
