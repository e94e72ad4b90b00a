/** Rules about where a check asks and who is asking, and limits for each collection. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, check, item, made, makeKey, makePolicy } from './given.ts';

const postern = await startTestService({ clock: testClock() });
after(() => postern[Symbol.asyncDispose]());

const collection = (body: object) => made(postern, '/v1/collections', { name: 'C', ...body });
const AGENT = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)';

describe('conditions', () => {
  test('on host and path decide about URLs and items, in every spelling', async () => {
    const { id } = await makePolicy(postern, [
      { action: 'deny', conditions: { host: 'www.place.example', path: ['/premium/', '/*.pdf$', '/search?q='] } },
      { action: 'allow', conditions: { hostNot: '*.closed.place.example' } },
    ]);
    await collection({ hosts: ['*.place.example'], policyId: id });
    const allowed = async (url: string) => (await check(postern, { url })).allowed;
    for (const url of [
      'https://www.place.example/premium/a',
      'HTTP://WWW.PLACE.EXAMPLE:80/%70remium/?x=1',
      'https://www.place.example/a/b.pdf?utm=1',
      'https://www.place.example/search?q=x',
      'https://www.place.example/search/?p=1&q=x',
      'https://www.place.example/premium',
      'https://www.place.example/premium/index.html',
      'https://x.closed.place.example/',
    ]) {
      assert.equal(await allowed(url), false, url);
    }
    for (const path of ['/', '/premiums', '/Premium/', '/a.pdf/', '/search?p=x']) {
      assert.equal(await allowed(`https://www.place.example${path}`), true, path);
    }
    const source = 'https://www.place.example/%70remium/x';
    await made(postern, '/v1/content', item({ externalId: 'premium', source }));
    assert.equal((await check(postern, { contentId: 'premium' })).allowed, false);
    assertStatus(
      await postern.call('PATCH', '/v1/content/premium', { body: { source: 'https://www.place.example/free' } }),
      200,
    );
    assert.equal((await check(postern, { contentId: 'premium' })).allowed, true);
  });

  test('on collections, crawlers and verification', async () => {
    const { id: policyId } = await makePolicy(postern, []);
    const news = await collection({ hosts: ['who.example'], paths: ['/news/'], policyId });
    await collection({ hosts: ['who.example'], policyId });
    const rules = [
      { action: 'deny', conditions: { crawlerPurpose: 'training', requesterVerified: false } },
      { action: 'allow', conditions: { crawler: ['GPTBot', 'Googlebot'], collection: news.id } },
      { action: 'allow', conditions: { crawlerOperatorNot: ['OpenAI'] } },
    ];
    assertStatus(await postern.call('PATCH', `/v1/policies/${policyId}`, { body: { rules } }), 200);
    const ruleAt = async (path: string, context: object) => {
      const { matchedRule } = await check(postern, { url: `https://who.example${path}`, requesterId: 'r', context });
      return matchedRule?.index ?? null;
    };
    assert.equal(await ruleAt('/news/a', { userAgent: AGENT }), 0);
    assert.equal(await ruleAt('/news/a', { userAgent: AGENT, verified: 'ip' }), 1);
    assert.equal(await ruleAt('/a', { userAgent: AGENT, verified: 'ip' }), null);
    assert.equal(await ruleAt('/a', { userAgent: 'Mozilla/5.0 Firefox/140.0' }), 2);
    // The operator of `curl` is not known, and nothing is without a user agent.
    assert.equal(await ruleAt('/a', { userAgent: 'curl/8' }), null);
    assert.equal(await ruleAt('/a', {}), null);
  });

  test('are refused with what was meant', async () => {
    const rules = [{ action: 'deny', conditions: { crawler: 'gptbot' } }];
    const answer = await postern.call('POST', '/v1/policies', { body: { name: 'p', rules } });
    assertError(answer, 'invalid_request', 'rules[0].conditions.crawler');
    assert.match(answer.body.error.message, /\(nearest: GPTBot\)/);
  });

  test('explain the address of an item only to keys that may read content', async () => {
    const { id: policyId } = await makePolicy(postern, [
      { action: 'allow', conditions: { host: 'a.example', path: '/' } },
    ]);
    await collection({ hosts: ['told.example'], policyId });
    const source = 'https://told.example/secret';
    await made(postern, '/v1/content', item({ externalId: 'told', source }));
    const key = await makeKey(postern, { permissions: ['access:check', 'policies:read'] });
    const met = async (asked: object, as?: string) => {
      const body = { ...asked, explain: true };
      const { body: got } = await postern.call('POST', '/v1/access/check', { body, ...(as && { key: as }) });
      return got.explanation.rules[0].conditions.map(
        ({ actual, withheld }: Record<string, unknown>) => actual ?? withheld,
      );
    };
    assert.deepEqual(await met({ contentId: 'told' }), ['told.example', '/secret']);
    assert.deepEqual(await met({ contentId: 'told' }, key), ['content:read', 'content:read']);
    assert.deepEqual(await met({ url: source }, key), ['told.example', '/secret']);
  });
});

test('a limit of scope collection: each collection its own, all else together', async () => {
  await using own = await startTestService({ clock: testClock() });
  const rateLimit = { requests: 2, period: 'day', scope: 'collection' };
  const { id: policyId } = await makePolicy(own, [{ action: 'allow', rateLimit }]);
  for (const name of ['one', 'two']) {
    await made(own, '/v1/collections', { name, hosts: [`${name}.example`], policyId });
  }
  const inOne = await made(own, '/v1/content', item({ source: 'https://one.example/item' }));
  const alone = await made(own, '/v1/content', item({ source: 'https://three.example/a', policyId }));
  const other = await made(own, '/v1/content', item({ source: 'https://three.example/b', policyId }));
  const left = async (asked: object) => (await check(own, asked)).rateLimit.remaining;
  assert.equal(await left({ url: 'https://one.example/a', requesterId: 'a' }), 1);
  assert.equal(await left({ contentId: inOne.id, requesterId: 'b' }), 0);
  const refused = await check(own, { url: 'https://one.example/c' });
  assert.deepEqual([refused.allowed, refused.reason], [false, 'rate_limit_exceeded']);
  assert.equal(await left({ url: 'https://two.example/a' }), 1);
  assert.equal(await left({ contentId: alone.id }), 1);
  assert.equal(await left({ contentId: other.id }), 0);
  assert.equal((await check(own, { contentId: alone.id })).reason, 'rate_limit_exceeded');
  // At once, never one too many.
  const checks = Array.from({ length: 10 }, (_, i) => ({ url: `https://two.example/${i}` }));
  const answers = await Promise.all(checks.map((one) => check(own, one)));
  assert.equal(answers.filter(({ allowed }) => allowed).length, 1);
});
