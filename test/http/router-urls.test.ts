/**
 * Checks by callers whose router ignores more than the site says: `urls` of a check. Items, collections and rules are
 * found in each spelling that the router takes for one page, and no spelling opens what the one that was asked for
 * closes.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { allowAll, assertError, assertStatus, item, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const OPEN = (await makePolicy(postern, [allowAll])).id;
const ALSO_OPEN = (await makePolicy(postern, [allowAll])).id;
const SHUT = (await makePolicy(postern, [{ action: 'deny' }])).id;
const LOOSE = { case: 'ignored', finalSlash: 'ignored' } as const;

const collection = (host: string, path: string, policyId: string) =>
  made(postern, '/v1/collections', { name: path, hosts: [host], paths: [path], policyId });
const place = (source: string, policyId: string | null, externalId = source) =>
  made(postern, '/v1/content', { ...item(), externalId, source, ...(policyId === null ? {} : { policyId }) });
const ask = (url: string, urls: object | undefined = LOOSE, more: object = {}) =>
  postern.call('POST', '/v1/access/check', { body: { url, urls, ...more } });

/** Asserts the decision about a URL; `ambiguous` stands for none. */
async function assertAnswer(url: string, answer: boolean | 'ambiguous', urls?: object): Promise<void> {
  const { status, body } = await ask(url, urls);
  const [one] = (await made200('/v1/access/check/batch', { checks: [{ url, urls: urls ?? LOOSE }] })).data;
  const dry = await ask(url, urls, { dryRun: true, asOf: new Date().toISOString() });
  if (answer === 'ambiguous') {
    assert.equal(status, 400, url);
    assert.deepEqual([body.error.code, one.error.code, dry.body.error.code], Array(3).fill('ambiguous_content'), url);
    return;
  }
  assert.equal(status, 200, `${url} ${JSON.stringify(body)}`);
  assert.deepEqual([body.allowed, one.allowed, dry.body.allowed], [answer, answer, answer], url);
}
async function made200(path: string, body: object) {
  const answer = await postern.call('POST', path, { body });
  assertStatus(answer, 200);
  return answer.body;
}

describe('by the looser rules', () => {
  test('a collection is found in another case, also where another one has the whole site', async () => {
    const host = 'patterns.example';
    await collection(host, '/', OPEN);
    await collection(host, '/Premium/', SHUT);
    await collection(host, '/*/Private$', SHUT);
    for (const path of ['/Premium/7', '/premium/7', '/PREMIUM/7/', '/%70remium/7', '/premiu%4D/7', '/premium']) {
      await assertAnswer(`https://${host}${path}`, false);
    }
    for (const path of ['/a/private', '/A/PRIVATE/', '/a/b/Private'])
      await assertAnswer(`https://${host}${path}`, false);
    for (const path of ['/', '/premiums', '/news']) await assertAnswer(`https://${host}${path}`, true);
    assert.equal((await ask(`https://${host}/premium/7`, undefined)).body.allowed, false);
    assert.equal(
      (await postern.call('POST', '/v1/access/check', { body: { url: `https://${host}/premium/7` } })).body.allowed,
      true,
    );
  });

  test('a rule of an open policy denies in another case', async () => {
    const host = 'rules.example';
    const rules = [{ action: 'deny', conditions: { path: ['/Premium/', '/*.PDF$'] } }, allowAll];
    await collection(host, '/', (await makePolicy(postern, rules)).id);
    for (const path of ['/premium/7', '/PREMIUM', '/a.pdf', '/A.Pdf'])
      await assertAnswer(`https://${host}${path}`, false);
    await assertAnswer(`https://${host}/news`, true);
  });

  test('a rule of a closed policy opens no other spelling, and one that excludes paths opens no more', async () => {
    const host = 'closed.example';
    const rules = [
      { action: 'allow', conditions: { path: '/Free/' } },
      { action: 'allow', conditions: { pathNot: ['/Premium/', '/free/'] } },
    ];
    await collection(host, '/', (await makePolicy(postern, rules.slice(0, 1))).id);
    await assertAnswer(`https://${host}/Free/1`, true);
    await assertAnswer(`https://${host}/free/1`, false);
    await collection(host, '/x', (await makePolicy(postern, rules.slice(1))).id);
    await assertAnswer(`https://${host}/xy`, true);
    const not = 'not.example';
    await collection(not, '/', (await makePolicy(postern, rules.slice(1))).id);
    for (const path of ['/premium/1', '/FREE/', '/free/1']) await assertAnswer(`https://${not}${path}`, false);
    await assertAnswer(`https://${not}/news`, true);
  });

  test('an item is found in another case, by its source and by an externalId that is its path', async () => {
    const host = 'items.example';
    await collection(host, '/', OPEN);
    const shut = await place(`https://${host}/Premium/7`, SHUT);
    await made(postern, '/v1/content', {
      ...item(),
      externalId: 'Papers/A',
      source: 'https://else.example/x',
      policyId: SHUT,
    });
    for (const path of ['/premium/7', '/Premium/7', '/PREMIUM/7/', '/premium/7?a=b']) {
      const { body } = await ask(`https://${host}${path}`);
      assert.deepEqual([body.allowed, body.contentId], [false, shut.id], path);
      await assertAnswer(`https://${host}${path}`, false);
    }
    for (const path of ['/papers/a', '/PAPERS/A']) await assertAnswer(`https://${host}${path}`, false);
    await assertAnswer(`https://${host}/premium/8`, true);
  });

  test('an item that nothing else has is found, and allowed if it is open', async () => {
    const open = await place('https://alone.example/News/7', OPEN);
    const { body } = await ask('https://alone.example/news/7/');
    assert.deepEqual([body.allowed, body.contentId, body.url], [true, open.id, 'alone.example/news/7/']);
    assertError(await ask('https://alone.example/news/8'), 'content_not_found');
  });

  test('an item is found anew after it moved, was archived or deleted', async () => {
    const host = 'edits.example';
    await collection(host, '/', OPEN);
    const one = await place(`https://${host}/One`, SHUT);
    await assertAnswer(`https://${host}/one`, false);
    await assertAnswer(`https://${host}/two`, true);
    assertStatus(
      await postern.call('PATCH', `/v1/content/${one.id}`, { body: { source: `https://${host}/TWO` } }),
      200,
    );
    await assertAnswer(`https://${host}/one`, true);
    await assertAnswer(`https://${host}/two`, false);
    assertStatus(await postern.call('DELETE', `/v1/content/${one.id}`), 200);
    assert.equal((await ask(`https://${host}/two`)).body.allowed, true);
    const past = await ask(`https://${host}/two`, LOOSE, { dryRun: true, asOf: new Date().toISOString() });
    assert.equal(past.body.allowed, true);
  });

  test('an item is in the collection of another case', async () => {
    const host = 'placed.example';
    const tied = await collection(host, '/members/', OPEN);
    await collection(host, '/Members/', SHUT);
    await place(`https://${host}/members/1`, null);
    await place(`https://${host}/members/own`, OPEN);
    await assertAnswer(`https://${host}/members/1`, false);
    await assertAnswer(`https://${host}/members/own`, true);
    assert.equal((await ask(`https://${host}/members/own`)).body.collectionId, tied.id);
    await place(`https://${host}/Papers/1`, null);
    await collection(host, '/PAPERS/', SHUT);
    for (const path of ['/papers/1', '/Papers/1']) await assertAnswer(`https://${host}${path}`, false);
  });
});

test('of two collections that differ by case alone, the one that denies counts in every spelling', async () => {
  for (const [host, first, second] of [
    ['tied-a.example', OPEN, SHUT],
    ['tied-b.example', SHUT, OPEN],
  ] as const) {
    await collection(host, '/premium/', first);
    await collection(host, '/Premium/', second);
    for (const path of ['/premium/7', '/Premium/7', '/PREMIUM/7']) await assertAnswer(`https://${host}${path}`, false);
  }
});

test('two items of two policies that become one file are ambiguous', async () => {
  const host = 'two.example';
  await place(`https://${host}/Premium/7`, SHUT);
  await place(`https://${host}/premium/7`, OPEN);
  await place(`https://${host}/s/aB`, OPEN);
  await place(`https://${host}/s/Ab`, OPEN);
  for (const path of ['/Premium/7', '/premium/7', '/PREMIUM/7'])
    await assertAnswer(`https://${host}${path}`, 'ambiguous');
  const own = await ask(`https://${host}/s/Ab`);
  assert.deepEqual([own.body.allowed, own.body.externalId], [true, `https://${host}/s/Ab`]);
  await assertAnswer(`https://${host}/s/AB`, 'ambiguous');
  await place(`https://${host}/t/a`, OPEN);
  await place(`https://${host}/t/A`, ALSO_OPEN);
  await assertAnswer(`https://${host}/t/a`, 'ambiguous');
});

test('an item that is open opens no other spelling that its collection closes', async () => {
  const host = 'ids.example';
  await collection(host, '/articles/', SHUT);
  await place(`https://${host}/articles/AbC`, OPEN);
  await assertAnswer(`https://${host}/articles/AbC`, true);
  await assertAnswer(`https://${host}/articles/aBc`, false);
});

test('the final slash, where the site tells them apart', async () => {
  const host = 'slash.example';
  const urls = { case: 'sensitive', finalSlash: 'significant', index: [] };
  assertStatus(await postern.call('PUT', `/v1/sites/${host}`, { body: { urls } }), 201);
  await collection(host, '/', OPEN);
  await collection(host, '/shut$', SHUT);
  await place(`https://${host}/item/`, SHUT);
  await assertAnswer(`https://${host}/shut/`, false, { finalSlash: 'ignored' });
  await assertAnswer(`https://${host}/item`, false, { finalSlash: 'ignored' });
  await assertAnswer(`https://${host}/Shut/`, true, { finalSlash: 'ignored' });
  await assertAnswer(`https://${host}/shut/`, true, { case: 'ignored' });
  await assertAnswer(`https://${host}/SHUT`, false, { case: 'ignored' });
  await assertAnswer(`https://${host}/SHUT/`, false);
});

test('one check is one decision and one unit, on the terms of the stricter spelling', async () => {
  const host = 'terms.example';
  const limited = {
    action: 'allow',
    conditions: { path: '/Premium/' },
    rateLimit: { requests: 2, period: 'day', scope: 'global' },
  };
  await collection(host, '/', (await makePolicy(postern, [limited, allowAll])).id);
  const answers = [];
  for (const path of ['/premium/7', '/Premium/7', '/PREMIUM/7'])
    answers.push((await ask(`https://${host}${path}`)).body);
  assert.deepEqual(
    answers.map(({ allowed, rateLimit }) => [allowed, rateLimit.remaining]),
    [
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
  const { body } = await postern.call('GET', `/v1/access/decisions?limit=3`);
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    answers.map(({ id }) => id).toReversed(),
  );
  for (const one of body.data) assert.deepEqual(one.urls, LOOSE);
});

test('a limit of the spelling that was asked for is not lost in another one', async () => {
  const host = 'limits.example';
  const rateLimit = { requests: 5, period: 'day', scope: 'global' };
  const rules = [
    { action: 'allow', conditions: { path: '/Free/' } },
    { action: 'allow', rateLimit },
  ];
  await collection(host, '/', (await makePolicy(postern, rules)).id);
  for (const [path, remaining] of [
    ['/free/1', 4],
    ['/Free/1', undefined],
  ] as const) {
    const { body } = await ask(`https://${host}${path}`);
    assert.deepEqual([body.allowed, body.rateLimit?.remaining], [true, remaining], path);
  }
});

test('a simulation reads the path as the router does', async () => {
  await collection('simulated.example', '/', OPEN);
  const body = {
    policy: { rules: [{ action: 'deny', conditions: { path: '/Premium/' } }, allowAll] },
    checks: [
      { url: 'https://simulated.example/premium/1', urls: LOOSE },
      { url: 'https://simulated.example/premium/1' },
    ],
  };
  const { data } = await made200('/v1/policies/simulate', body);
  assert.deepEqual(
    data.map(({ allowed }: { allowed: boolean }) => allowed),
    [false, true],
  );
});

test('a site that ignores as much is asked as before, and a public key may say it', async () => {
  const host = 'same.example';
  assertStatus(await postern.call('PUT', `/v1/sites/${host}`, { body: { urls: { ...LOOSE, index: [] } } }), 201);
  await collection(host, '/Premium/', SHUT);
  await assertAnswer(`https://${host}/premium/7`, false);
});

test('`urls` needs `url`, and takes what a router can ignore', async () => {
  const { id } = await place('https://named.example/a', OPEN);
  const without = await postern.call('POST', '/v1/access/check', { body: { contentId: id, urls: LOOSE } });
  assertError(without, 'invalid_request', 'urls');
  assert.match(without.body.error.message, /ask by `url`/);
  const [one] = (await made200('/v1/access/check/batch', { checks: [{ contentId: id, urls: LOOSE }] })).data;
  assert.equal(one.error.param, 'urls');
  for (const urls of [{ case: 'sensitive' }, { finalSlash: true }, { index: [] }, 'ignored', null]) {
    assert.equal((await ask('https://named.example/a', urls as object)).status, 400, JSON.stringify(urls));
  }
  assertStatus(await ask('https://named.example/a', {}), 200);
});
