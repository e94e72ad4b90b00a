/** Checks by URL: the item that is served there decides, else the most specific collection. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { allowAll, assertError, assertStatus, check, item, made, makeKey, makePolicy } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const OPEN = (await makePolicy(postern, [allowAll])).id;
const SHUT = (await makePolicy(postern, [{ action: 'deny', message: 'Shut.' }])).id;
const collection = (body: object) => made(postern, '/v1/collections', { name: 'C', policyId: OPEN, ...body });
const ask = (body: object, key?: string) =>
  postern.call('POST', '/v1/access/check', { body, ...(key === undefined ? {} : { key }) });
const at = async (url: string, more: object = {}) => check(postern, { url, ...more });
const remove = async (path: string) => assertStatus(await postern.call('DELETE', path), 200, path);
const patch = async (path: string, body: object) => assertStatus(await postern.call('PATCH', path, { body }), 200);

describe('the decision', () => {
  test('is that of the item which is served there', async () => {
    const { id } = await made(postern, '/v1/content', item({ source: 'https://items.example/a?b=1', policyId: SHUT }));
    await collection({ hosts: ['items.example'], paths: ['/a'] });
    for (const url of ['https://items.example/a?b=1', 'http://ITEMS.example:80/%61?b=1']) {
      const got = await at(url);
      assert.deepEqual([got.contentId, got.policyId, got.url], [id, SHUT, 'items.example/a']);
    }
  });

  test('is that of the most specific collection where no item is, and is recorded in full', async () => {
    const { id } = await collection({ hosts: ['*.news.example'], paths: ['/politics/'], policyId: SHUT });
    await collection({ hosts: ['www.news.example'] });
    const got = await at('https://www.news.example/politics/%C3%BC?utm=1', {
      requesterId: 'reader',
      purpose: 'training',
      permission: 'index',
      context: { userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2)', verified: 'ip' },
    });
    const { id: _, created, message, ...rest } = got;
    assert.equal(message, 'Shut.');
    assert.deepEqual(rest, {
      object: 'access_decision',
      allowed: false,
      action: 'deny',
      reason: 'policy_denied',
      permissions: [],
      contentId: null,
      externalId: null,
      url: 'www.news.example/politics/%C3%BC',
      collectionId: id,
      requesterId: 'reader',
      crawler: 'GPTBot',
      verified: 'ip',
      policyId: SHUT,
      policyVersion: 1,
      matchedRule: { index: 0, priority: 1 },
      licenseId: null,
      rateLimit: null,
      quota: null,
      enforced: true,
      recorded: true,
    });
    const logged = await postern.call('GET', `/v1/access/decisions/${got.id}?expand=names`);
    assertStatus(logged, 200);
    const { publicId, permission, purpose, context, license, names, ...same } = logged.body;
    assert.notEqual(publicId, got.id);
    assert.deepEqual(same, { ...rest, id: got.id, created, message });
    assert.deepEqual([permission, purpose, license, names.content], ['index', 'training', null, null]);
    assert.deepEqual(context, { userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2)', verified: 'ip' });
  });

  test('names the query only where a pattern does', async () => {
    await collection({ hosts: ['query.example'], paths: ['/s?q=*', '/'] });
    assert.equal((await at('https://query.example/s?q=%41&x')).url, 'query.example/s?q=A&x');
    assert.equal((await at('https://query.example/s?p=1')).url, 'query.example/s');
  });

  test('has the query of a rule only where that rule’s pattern matches, and one allowance for any other', async () => {
    const limited = { action: 'allow', rateLimit: { requests: 1, period: 'day', scope: 'content' } };
    const rules = [{ action: 'deny', conditions: { path: ['/search?q=', '/a'], pathNot: '/x?*' } }, limited];
    const policyId = (await makePolicy(postern, rules)).id;
    await collection({ hosts: ['rules.example'], policyId });
    await made(postern, '/v1/content', item({ source: 'https://rules.example/item', policyId }));
    for (const [path, url, reason] of [
      ['/search?q=%41', '/search?q=A', 'policy_denied'],
      ['/search?p=1', '/search', null],
      ['/report', '/report', null],
      ['/report?session=1', '/report', 'rate_limit_exceeded'],
      ['/item?session=1', '/item', null],
      ['/x?y', '/x?y', null],
    ]) {
      const got = await at(`https://rules.example${path}`);
      assert.deepEqual([got.url, got.reason], [`rules.example${url}`, reason], path as string);
    }
  });

  test('knows nothing of an item', async () => {
    const rules = [
      { action: 'allow', conditions: { contentType: ['article', 'dataset', 'image', 'report', 'video'] } },
      { action: 'allow', conditions: { contentTagsNot: 'x' } },
      { action: 'allow', conditions: { contentIdNot: 'x' } },
      { action: 'deny', conditions: { contentMetadataNot: { tier: 'gold' } }, message: 'Unknown.' },
    ];
    await collection({ hosts: ['silent.example'], policyId: (await makePolicy(postern, rules)).id });
    const got = await at('https://silent.example/', { explain: true });
    assert.deepEqual([got.message, got.matchedRule.index], ['Unknown.', 3]);
    assert.deepEqual(
      got.explanation.rules
        .slice(0, 3)
        .map(({ conditions }: { conditions: { actual: unknown }[] }) => conditions[0]?.actual),
      [null, null, null],
    );
  });

  test('is missing where nothing is registered', async () => {
    const { totalCount } = (await postern.call('GET', '/v1/access/decisions')).body;
    assertError(await ask({ url: 'https://nowhere.example/a' }), 'content_not_found');
    assert.equal((await postern.call('GET', '/v1/access/decisions')).body.totalCount, totalCount);
  });

  test('changes hands when an item is registered, edited, archived and deleted', async () => {
    const { id: collectionId } = await collection({ hosts: ['turn.example'] });
    const url = 'https://turn.example/a';
    const now = async () => {
      const { contentId, collectionId: of, policyId, reason } = await at(url);
      return [contentId, of, policyId, reason];
    };
    const first = await at(url);
    assert.deepEqual(await now(), [null, collectionId, OPEN, null]);
    const { id } = await made(postern, '/v1/content', item({ source: url, policyId: SHUT }));
    assert.deepEqual(await now(), [id, collectionId, SHUT, 'policy_denied']);
    await patch(`/v1/content/${id}`, { source: 'https://turn.example/b' });
    assert.deepEqual(await now(), [null, collectionId, OPEN, null]);
    await patch(`/v1/content/${id}`, { source: url, status: 'archived', policyId: null });
    assert.deepEqual(await now(), [id, collectionId, OPEN, 'content_archived']);
    await remove(`/v1/content/${id}`);
    assert.deepEqual(await now(), [null, collectionId, OPEN, null]);
    await patch(`/v1/collections/${collectionId}`, { policyId: SHUT });
    assert.deepEqual(await now(), [null, collectionId, SHUT, 'policy_denied']);
    const dry = { url, dryRun: true, asOf: first.created };
    const { policyId, contentId } = await check(postern, dry);
    assert.deepEqual([contentId, policyId], [null, OPEN], 'as of then');
    await remove(`/v1/collections/${collectionId}`);
    assertError(await ask({ url }), 'content_not_found');
    assert.equal((await postern.call('GET', `/v1/access/decisions/${first.id}`)).body.collectionId, collectionId);
  });

  test('comes in batches and simulations', async () => {
    await collection({ hosts: ['many.example'] });
    const checks = [
      { url: 'https://many.example/a' },
      { url: 'https://nowhere.example/' },
      { contentId: 'x', url: 'x' },
    ];
    const batch = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
    assertStatus(batch, 200);
    assert.deepEqual(
      batch.body.data.map(
        (one: { url?: string; message?: string; error?: { code: string } }) => one.url ?? one.error?.code,
      ),
      ['many.example/a', 'content_not_found', 'invalid_request'],
    );
    const policy = { rules: [{ action: 'deny', message: 'Draft.' }] };
    const body = { policy, checks: checks.slice(0, 2) };
    const simulated = await postern.call('POST', '/v1/policies/simulate', { body });
    assertStatus(simulated, 200);
    assert.deepEqual(
      simulated.body.data.map(
        (one: { url?: string; message?: string; error?: { code: string } }) => one.message ?? one.error?.code,
      ),
      ['Draft.', 'content_not_found'],
    );
  });

  test('counts each URL by itself under a limit of content', async () => {
    const rateLimit = { requests: 1, period: 'day', scope: 'content' };
    const { id } = await makePolicy(postern, [{ ...allowAll, rateLimit }]);
    await collection({ hosts: ['limit.example'], policyId: id });
    const reasons = [];
    for (const path of ['a', 'a', 'b', '%61']) reasons.push((await at(`https://limit.example/${path}`)).reason);
    assert.deepEqual(reasons, [null, 'rate_limit_exceeded', null, 'rate_limit_exceeded']);
  });
});

describe('a URL that a visitor makes long', () => {
  test('is refused before it is recorded, and a limit holds for any that is not', async () => {
    const rateLimit = { requests: 1, period: 'day', scope: 'content' };
    const { id } = await makePolicy(postern, [{ ...allowAll, rateLimit }]);
    await collection({ hosts: ['long.example'], paths: ['/', '/q?a=*'], policyId: id });
    const path = '/v1/authorize?origin=https://long.example';
    // Text that no index compresses.
    const text = (length: number) => Array.from({ length }, (_, i) => ((i * i * 7919) % 36).toString(36)).join('');
    const statuses = [];
    for (const target of [`/${text(2000)}`, `/${text(2000)}`, `/${text(8000)}`, `/q?a=${text(8000)}`, '/short']) {
      statuses.push((await authorize(postern, target, { path })).status);
    }
    assert.deepEqual(statuses, [200, 403, 403, 403, 200]);
    const longest = (await authorize(postern, `/${text(8000)}`, { path })).headers.get('x-postern-error');
    assert.equal(longest, 'unreadable_url');
    assert.equal((await authorize(postern, `/x?utm=${text(8000)}`, { path })).status, 200);
    assert.ok((await postern.rowsOf('limits')).every((row) => (row as { key: string }).key.length < 200));
  });
});

describe('a check', () => {
  test('has either an item or a URL', async () => {
    assertError(await ask({}), 'invalid_request', 'contentId');
    assertError(await ask({ contentId: 'a', url: 'https://a.example/' }), 'invalid_request', 'url');
  });

  test('has a URL that all servers read alike', async () => {
    await collection({ hosts: ['a.example'], paths: ['/'] });
    for (const url of [
      'a',
      '/a',
      'ftp://a.example/',
      'https://',
      'https://a.example/a//b',
      'https://a.example/a/../b',
      'https://a.example/a/%2e%2E/b',
      'https://a.example/a%2Fb',
      'https://a.example/a\\b',
      'https://a.example/%2561',
      'https://a.example/%zz',
      'https://user@a.example/',
      `https://a.example/${'a'.repeat(2048)}`,
      5,
    ]) {
      assertError(await ask({ url }), 'invalid_request', 'url', String(url));
    }
  });

  test('by a public key claims nothing about who is asking', async () => {
    await collection({ hosts: ['public.example'] });
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const url = 'https://public.example/';
    assertError(await ask({ url, context: { verified: 'token' } }, key), 'invalid_request', 'context.verified');
    assert.equal((await check(postern, { url }, key)).recorded, false);
  });
});

describe('a collection that only observes', () => {
  test('decides, records and counts as ever, and lets proxies serve', async () => {
    const rateLimit = { requests: 1, period: 'day', scope: 'global' };
    const rules = [{ action: 'allow', conditions: { userAgent: 'Browser' }, rateLimit }];
    const { id: policyId } = await makePolicy(postern, rules);
    const { id } = await collection({ hosts: ['watch.example'], policyId, mode: 'observe' });
    const outcomes = [];
    for (const [url, agent] of [
      ['/a', 'Browser'],
      ['/a', 'Browser'],
      ['/b', 'GPTBot/1.0'],
    ] as const) {
      const path = '/v1/authorize?origin=https://watch.example&denyStatus=429';
      const answer = await authorize(postern, url, { path, headers: { 'user-agent': agent } });
      const told = ['would', 'reason', 'crawler'].map((name) => answer.headers.get(`x-postern-${name}`));
      outcomes.push([answer.status, ...told, answer.headers.get('retry-after')]);
    }
    assert.deepEqual(outcomes, [
      [200, '', null, '', null],
      [200, 'deny', 'rate_limit_exceeded', '', null],
      [200, 'deny', 'policy_denied', 'GPTBot', null],
    ]);
    const seen = await at('https://watch.example/c');
    assert.deepEqual([seen.allowed, seen.enforced, seen.collectionId], [false, false, id]);
    const { id: contentId } = await made(postern, '/v1/content', item({ source: 'https://watch.example/d' }));
    assert.deepEqual((await check(postern, { contentId })).enforced, false, 'an item in it');
    await patch(`/v1/collections/${id}`, { mode: 'enforce' });
    assert.equal((await at('https://watch.example/c')).enforced, true);
    assert.equal((await check(postern, { contentId })).enforced, true);
    const path = '/v1/authorize?origin=https://watch.example';
    assert.equal((await authorize(postern, '/c', { path })).status, 403);
  });

  test('still refuses what cannot be read', async () => {
    await collection({ hosts: ['blurred.example'], mode: 'observe' });
    const path = '/v1/authorize?origin=https://blurred.example';
    assert.equal((await authorize(postern, '/a/../b', { path })).status, 403);
  });
});

describe('one file', () => {
  test('is decided about by one item or collection in all its spellings', async () => {
    const secret = await collection({ hosts: ['one.example'], paths: ['/secret/'], policyId: SHUT });
    const open = await collection({ hosts: ['one.example'], paths: ['/'] });
    const { id } = await made(postern, '/v1/content', item({ source: 'https://one.example/secret/item' }));
    const owner = (path: string) =>
      /^\/secret\/item$/.test(path) ? id : path.startsWith('/secret/') ? secret.id : open.id;
    const spelling = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.replace('s', '%73'),
      (text: string) => text.replace('/secret', '/secret;v=1'),
      (text: string) => text.replace('/secret', '/;x/secret'),
      (text: string) => text.replace('/secret', '/./secret'),
      (text: string) => text.replace('/secret', '//secret'),
      (text: string) => text.replace('/secret/', '/open/..;/secret/'),
      (text: string) => text.replace('/secret/', '/open/%2e%2e/secret/'),
      (text: string) => text.replace('/secret/', '/secret%2F'),
      (text: string) => text.replace('/secret/', '/secret\\'),
      (text: string) => `${text};jsessionid=1`,
      (text: string) => `${text}?a=1`,
      (text: string) => `${text}%3Fa`,
      (text: string) => `${text}%23a`,
      (text: string) => text.replace('item', '%2569tem'),
    );
    const host = fc.constantFrom('one.example', 'ONE.example', 'one.example.', 'one.example:80', 'one.example:8443');
    const path = fc.constantFrom('/secret/item', '/secret/other', '/open', '/secret/', '/secre/t');
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(host, path, fc.array(spelling, { maxLength: 2 }), async (name, plain, spellings) => {
        const spelled = spellings.reduce<string>((text, spell) => spell(text), plain);
        const answer = await ask({ url: `https://${name}${spelled}`, dryRun: true });
        if (answer.status !== 200) return;
        decided++;
        const { contentId, collectionId } = answer.body;
        // What servers that drop parameters and decode once, perhaps before they cut the query, would serve.
        const decoded = decodeURIComponent(spelled.replace(/\?.*/, ''));
        const file = decoded.replace(/[?#].*/, '').replaceAll(/;[^/]*/g, '');
        assert.equal(contentId ?? collectionId, owner(file), `${name}${spelled}`);
      }),
      { numRuns: 400 },
    );
    assert.ok(decided > 50, `${decided} were decided`);
  });
});
