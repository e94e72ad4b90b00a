/** Attributes of the calling server: they decide, they are kept with the decision, and silence widens nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, check, item, made, makeItem, makeKey, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const admin = { 'subject.role': 'admin', 'resource.level': 3, 'action.soft': true };
const ask = (contentId: string, attributes?: object, more: object = {}) =>
  check(postern, { contentId, ...more, ...(attributes === undefined ? {} : { context: { attributes } }) });

test('a rule on attributes holds for what is stated, of the same type, and all of it', async () => {
  const { id } = await makeItem(postern, [
    { action: 'allow', conditions: { attributes: { 'subject.role': ['editor', 'admin'], 'resource.level': 3 } } },
  ]);
  assert.equal((await ask(id, admin)).allowed, true);
  for (const [name, value] of [
    ['subject.role', 'Admin'],
    ['subject.role', true],
    ['resource.level', '3'],
    ['resource.level', 3.5],
  ] as const) {
    assert.equal((await ask(id, { ...admin, [name]: value })).allowed, false, `${name} ${value}`);
  }
  assert.equal((await ask(id, { 'subject.role': 'admin' })).allowed, false);
  assert.equal((await ask(id, {})).allowed, false);
  assert.equal((await ask(id)).allowed, false);
});

test('silence follows the rule for missing facts', async () => {
  const onAttributes = async (action: string, key: string, defaultAction: string) => {
    const { id } = await makeItem(
      postern,
      [{ action, conditions: { [key]: { 'subject.role': 'admin' } } }],
      {},
      { defaultAction },
    );
    const decided = [{ 'subject.role': 'admin' }, { 'subject.role': 'guest' }, { 'subject.age': 7 }, undefined];
    return Promise.all(decided.map(async (attributes) => (await ask(id, attributes)).allowed));
  };
  assert.deepEqual(await onAttributes('deny', 'attributes', 'allow'), [false, true, true, true]);
  assert.deepEqual(await onAttributes('deny', 'attributesNot', 'allow'), [true, false, false, false]);
  assert.deepEqual(await onAttributes('allow', 'attributes', 'deny'), [true, false, false, false]);
  assert.deepEqual(await onAttributes('allow', 'attributesNot', 'deny'), [false, true, false, false]);
  const rules = [{ action: 'deny', conditions: { attributes: { 'subject.role': 'banned' } } }];
  const { warnings } = await made(postern, '/v1/policies/lint', { rules, defaultAction: 'allow' }, 200);
  assert.deepEqual(
    warnings.map(({ code, param }: { code: string; param: string }) => [code, param]),
    [['deny_evaded_by_silence', 'rules[0].conditions.attributes']],
  );
});

test('the decision keeps them: it is explained by the keys that a rule names, and decided again', async () => {
  const rule = (role: string) => ({ action: 'allow', conditions: { attributes: { 'subject.role': role } } });
  const { id: policyId } = await makePolicy(postern, [rule('admin')]);
  const { id } = await made(postern, '/v1/content', item({ policyId }));
  const decision = await ask(id, admin, { requesterId: 'stated', explain: true });
  const [{ conditions }] = decision.explanation.rules;
  assert.deepEqual(conditions, [
    { key: 'attributes', expected: { 'subject.role': 'admin' }, actual: { 'subject.role': 'admin' }, held: true },
  ]);
  await ask(id, { 'subject.role': 'guest' }, { requesterId: 'stated' });
  const logged = await postern.call('GET', `/v1/access/decisions/${decision.id}`);
  assert.deepEqual(logged.body.context, { attributes: admin });
  const impact = await made(postern, `/v1/policies/${policyId}/impact`, { policy: { rules: [rule('guest')] } }, 200);
  assert.deepEqual([impact.denyToAllow, impact.allowToDeny], [1, 1]);

  const publicKey = await makeKey(postern, { type: 'public', permissions: ['access:check', 'analytics:read'] });
  const seen = await postern.call('GET', `/v1/access/decisions/${decision.id}`, { key: publicKey });
  assert.equal(seen.body.context, null);
  await made(postern, '/v1/requesters', { id: 'stated' });
  assertStatus(await postern.call('POST', '/v1/requesters/stated/erase', { body: { confirm: 'stated' } }), 200);
  await until('the attributes are erased', async () => {
    const { text } = await postern.call('GET', `/v1/access/decisions/${decision.id}`);
    return !text.includes('subject.role');
  });
});

test('a public key cannot state attributes, and others cannot state too much', async () => {
  const { id: contentId } = await makeItem(postern, [{ action: 'allow' }]);
  const body = { contentId, context: { attributes: admin } };
  const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
  assertError(await postern.call('POST', '/v1/access/check', { key, body }), 'invalid_request', 'context.attributes');
  const texts = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`subject.${i}`, text]));
  await ask(contentId, texts(32, 'x'.repeat(256)));
  for (const attributes of [
    texts(33, 'x'),
    texts(1, 'x'.repeat(257)),
    { role: 'admin' },
    { 'subject.': 'admin' },
    { 'subject.role': null },
    { 'subject.role': ['admin'] },
    { [`subject.${'x'.repeat(93)}`]: 1 },
  ]) {
    const refused = await postern.call('POST', '/v1/access/check', { body: { contentId, context: { attributes } } });
    assertError(refused, 'invalid_request');
  }
});
