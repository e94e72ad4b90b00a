/** Content: every operation, every limit at n-1, n and n+1, and addressing by any externalId. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertError, assertStatus, check, ID, item, MOMENT, made, makeItem, makePolicy, wire } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const create = (body: object) => postern.call('POST', '/v1/content', { body });
const get = (id: string, query = '') => postern.call('GET', `/v1/content/${encodeURIComponent(id)}${query}`);
const patch = (id: string, body: object) => postern.call('PATCH', `/v1/content/${encodeURIComponent(id)}`, { body });

describe('create', () => {
  test('gives the item as it was sent, and what the service adds', async () => {
    const sent = item({ metadata: { a: 1 }, tags: ['x', 'y'] });
    const answer = await create(sent);
    assertStatus(answer, 201);
    const { id, object, status, policyId, policySource, collectionId, created, updated, ...rest } = answer.body;
    assert.match(id, ID('cnt'));
    assert.deepEqual(
      { object, status, policyId, policySource, collectionId },
      { object: 'content', status: 'active', policyId: 'pol_default', policySource: 'default', collectionId: null },
    );
    assert.match(created, MOMENT);
    assert.equal(updated, created);
    assert.deepEqual(rest, sent);
  });
  for (const field of ['externalId', 'title', 'type', 'source']) {
    test(`${field} is required`, async () => {
      const body = item();
      delete body[field];
      assertError(await create(body), 'invalid_request', field);
    });
    test(`${field} is a string`, async () => {
      for (const value of [null, 5, [], {}, true])
        assertError(await create(item({ [field]: value })), 'invalid_request', field);
    });
  }
  for (const type of ['article', 'report', 'image', 'dataset', 'video']) {
    test(`type ${type}`, async () => assertStatus(await create(item({ type })), 201));
  }
  test('no other type', async () => {
    for (const type of ['book', 'Article', '', 'article '])
      assertError(await create(item({ type })), 'invalid_request', 'type');
  });
  test('an unknown policyId is refused', async () => {
    for (const policyId of ['pol_00000000000000000000000000', 'pol_', 'x', '']) {
      assertError(await create(item({ policyId })), 'invalid_request', 'policyId');
    }
  });
  test('what the service sets cannot be sent', async () => {
    for (const field of ['id', 'object', 'status', 'created', 'updated', 'stats', 'policy', 'metadataReplace']) {
      assertError(await create(item({ [field]: 'active' })), 'invalid_request', field);
    }
  });
  test('an externalId that is there is a conflict, archived or not', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item());
    assertError(await create(item({ externalId })), 'external_id_exists');
    await patch(id, { status: 'archived' });
    assertError(await create(item({ externalId })), 'external_id_exists');
  });
});

describe('limits', () => {
  const fits = async (body: Record<string, unknown>) =>
    assertStatus(await create(item(body)), 201, JSON.stringify(body).slice(0, 80));
  const refused = async (param: string, body: Record<string, unknown>) => {
    const answer = await create(item(body));
    assertError(answer, 'invalid_request', undefined, JSON.stringify(body).slice(0, 80));
    assert.ok(String(answer.body.error.param).startsWith(param), answer.text.slice(0, 300));
  };
  test('externalId: 1 to 255 characters', async () => {
    for (const length of [1, 254, 255]) await fits({ externalId: 'q'.repeat(length) });
    for (const externalId of ['', 'x'.repeat(256), 'x'.repeat(1000)]) await refused('externalId', { externalId });
    await fits({ externalId: 'あ'.repeat(255) });
    await refused('externalId', { externalId: 'あ'.repeat(256) });
  });
  test('externalId: no control characters', async () => {
    for (const code of [1, 9, 10, 13, 0x1b, 0x1f, 0x7f, 0x85, 0x9f]) {
      await refused('externalId', { externalId: `a${String.fromCharCode(code)}b` });
    }
  });
  test('externalId: never the exact form of our own ids', async () => {
    const { id } = await made(postern, '/v1/content', item());
    const last = id.at(-1) === '0' ? '1' : '0';
    await refused('externalId', { externalId: id.slice(0, -1) + last });
    await refused('externalId', { externalId: id });
    for (const externalId of [
      'cnt_abc',
      id.toUpperCase(),
      `${id}0`,
      id.slice(0, -1),
      `x${id}`,
      id.replace('cnt_', 'pol_'),
    ]) {
      await fits({ externalId });
    }
  });
  test('title: 1 to 500 characters', async () => {
    for (const length of [1, 499, 500]) await fits({ title: 'x'.repeat(length) });
    for (const length of [0, 501]) await refused('title', { title: 'x'.repeat(length) });
    await fits({ title: 'あ'.repeat(500) });
  });
  test('source: an absolute http(s) URL of at most 2,048 characters', async () => {
    const long = (length: number) => 'https://example.com/'.padEnd(length, 'a');
    for (const source of [
      'http://a.b',
      'https://example.com',
      'https://example.com:8443/x?y=z#q',
      'https://[::1]/',
      long(2047),
      long(2048),
    ]) {
      const answer = await create(item({ source }));
      assertStatus(answer, 201, source.slice(0, 60));
      assert.equal(answer.body.source, source);
    }
    const wrong = [
      ...words(`
      x /a //example.com/a example.com ftp://a.b javascript:alert(1) data:,x file:///etc/passwd https:// http://
      https://a.b:99999/
    `),
      '',
      'https://exa mple.com/',
      long(2049),
    ];
    for (const source of wrong) await refused('source', { source });
  });
  test('tags: at most 50 of 1 to 64 characters, duplicates dropped', async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
    for (const count of [0, 1, 49, 50]) await fits({ tags: tags(count) });
    await refused('tags', { tags: tags(51) });
    await fits({ tags: ['x', 'y'.repeat(63), 'z'.repeat(64)] });
    await refused('tags', { tags: ['z'.repeat(65)] });
    await refused('tags', { tags: [''] });
    await refused('tags', { tags: [5] });
    await refused('tags', { tags: 'x' });
    const answer = await create(item({ tags: ['b', 'a', 'b', 'B', 'a'] }));
    assert.deepEqual(answer.body.tags, ['b', 'a', 'B']);
  });
  test('metadata: at most 16 KiB', async () => {
    const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    for (const bytes of [16_383, 16_384]) await fits({ metadata: sized(bytes) });
    await refused('metadata', { metadata: sized(16_385) });
    await refused('metadata', { metadata: { a: 'あ'.repeat(6000) } });
  });
  test('metadata: at most 5 levels', async () => {
    const deep = (levels: number): object => (levels === 1 ? { a: 1 } : { a: deep(levels - 1) });
    const listed = (levels: number): unknown => (levels === 1 ? [1] : [listed(levels - 1)]);
    for (const levels of [1, 4, 5]) await fits({ metadata: deep(levels) });
    for (const levels of [6, 7, 50]) await refused('metadata', { metadata: deep(levels) });
    await fits({ metadata: { a: listed(4) } });
    await refused('metadata', { metadata: { a: listed(5) } });
  });
  test('metadata: an object', async () => {
    for (const metadata of [[], 'x', 5, true]) await refused('metadata', { metadata });
  });
  test('metadata: a merge does not grow beyond the limit, and a refused one changes nothing', async () => {
    const { id } = await made(postern, '/v1/content', item({ metadata: { a: 'x'.repeat(10_000) } }));
    assertError(await patch(id, { title: 'no', metadata: { b: 'y'.repeat(10_000) } }), 'invalid_request');
    const { body } = await get(id);
    assert.equal(body.title, 'A title');
    assert.deepEqual(Object.keys(body.metadata), ['a']);
    assertStatus(await patch(id, { metadata: { a: null, b: 'y'.repeat(10_000) } }), 200);
  });
  test('the same limits hold for PATCH, upsert and bulk-upsert', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item());
    const wrong: [string, object][] = [
      ['title', { title: '' }],
      ['title', { title: 'x'.repeat(501) }],
      ['source', { source: 'ftp://a.b' }],
      ['tags', { tags: Array.from({ length: 51 }, (_, i) => `${i}`) }],
      ['metadata', { metadata: { a: 'x'.repeat(16_385) } }],
      ['metadata', { metadata: { a: { b: { c: { d: { e: { f: 1 } } } } } } }],
      ['policyId', { policyId: 'pol_none' }],
    ];
    for (const [param, body] of wrong) {
      const patched = await patch(id, body);
      assertError(patched, 'invalid_request');
      assert.ok(String(patched.body.error.param).startsWith(param), patched.text.slice(0, 300));
      assertError(
        await postern.call('POST', '/v1/content/upsert', { body: item({ externalId, ...body }) }),
        'invalid_request',
      );
      const bulk = await made(postern, '/v1/content/bulk-upsert', { items: [item({ externalId, ...body })] }, 200);
      assert.equal(bulk.failed, 1, JSON.stringify(body).slice(0, 80));
      assert.ok(String(bulk.errors[0].param).includes(param), JSON.stringify(bulk.errors));
    }
    assert.equal((await get(id)).body.title, 'A title');
  });
});

describe('addressing', () => {
  const names = [
    ...words(`
    a/b / // /a a/ . .. ../x a/../b ./ 100% %2F % %zz 😀 👩‍👩‍👧/é a?b=c a#b a+b a&b <script> pol_default null undefined
    __proto__ constructor upsert bulk-upsert bulk-delete a;b a,b * :id {id} ü é https://example.com/x?y=z#q 0 -1 ٣ ﬁ
  `),
    'a b',
    ' ',
    ' a ',
    "it's",
    'say "x"',
    'back\\slash',
    'e\u0301',
    'A'.repeat(255),
    'あ'.repeat(254),
    '\u200b',
    '\ufeff',
    '\u2028',
  ];
  for (const externalId of names) {
    test(`by externalId ${JSON.stringify(externalId.slice(0, 40))}`, async () => {
      const created = await create(item({ externalId }));
      assertStatus(created, 201);
      assert.equal(created.body.externalId, externalId);
      const path = `/v1/content/${encodeURIComponent(externalId).replaceAll('.', '%2E')}`;
      const got = await wire(postern, 'GET', path);
      assertStatus(got, 200);
      assert.equal(got.body.id, created.body.id);
      const plain = await wire(postern, 'GET', `/v1/content/${encodeURIComponent(externalId)}`);
      assert.equal(plain.body.id, created.body.id);
      const patched = await wire(postern, 'PATCH', path, { body: '{"title":"new"}' });
      assertStatus(patched, 200);
      assert.equal(patched.body.externalId, externalId);
      assert.equal((await check(postern, { contentId: externalId })).contentId, created.body.id);
      const query = encodeURIComponent(externalId);
      const list = await postern.call('GET', `/v1/content?externalId=${query}`);
      assert.deepEqual(pluck(list.body.data, 'id'), [created.body.id]);
      const usage = await postern.call('GET', `/v1/analytics/usage?contentId=${query}`);
      assert.equal(usage.body.summary.totalRequests, 1);
      const log = await postern.call('GET', `/v1/access/decisions?contentId=${query}`);
      assert.equal(log.body.totalCount, 1);
      assertStatus(await wire(postern, 'DELETE', path), 200);
      assertError(await wire(postern, 'GET', path), 'content_not_found');
    });
  }
  test('is byte-exact and case-sensitive', async () => {
    const ids = new Set<string>();
    for (const externalId of ['Exact', 'exact', 'EXACT', 'exact ', 'caf\u00e9', 'cafe\u0301']) {
      ids.add((await made(postern, '/v1/content', item({ externalId }))).id);
    }
    assert.equal(ids.size, 6);
    assertError(await get('eXact'), 'content_not_found');
    assertError(await get('CAF\u00c9'), 'content_not_found');
  });
  test('the id is case-sensitive too', async () => {
    const { id } = await made(postern, '/v1/content', item());
    assertError(await get(id.toUpperCase()), 'content_not_found');
  });
  test('unknown ids of every shape are not found', async () => {
    for (const id of [
      'none',
      'cnt_',
      'cnt_00000000000000000000000000',
      'x'.repeat(255),
      'x'.repeat(300),
      'あ'.repeat(300),
      '😀'.repeat(400),
    ]) {
      const answer = await get(id);
      assert.ok(answer.status === 404 || (id.length > 255 && answer.status === 400), `${answer.status} ${answer.text}`);
    }
  });
});

describe('retrieve', () => {
  test('has stats, which lists and other answers have not', async () => {
    const content = await makeItem(postern, [{ action: 'allow', conditions: { purpose: 'yes' } }]);
    for (const purpose of ['yes', 'yes', 'no']) await check(postern, { contentId: content.id, purpose });
    const { body } = await get(content.id);
    assert.deepEqual(body.stats, { totalRequests: 3, allowedRequests: 2, deniedRequests: 1 });
    assert.equal('stats' in content, false);
    assert.equal('policy' in body, false);
    const list = await postern.call('GET', `/v1/content?externalId=${content.externalId}`);
    assert.equal('stats' in list.body.data[0], false);
    assert.equal('stats' in (await patch(content.id, { title: 'x' })).body, false);
  });
  test('expand=policy adds exactly id, name and rules', async () => {
    const rules = [{ action: 'deny', conditions: { default: true } }];
    const content = await makeItem(postern, rules);
    const policy = { id: content.policyId, name: 'A policy', rules };
    assert.deepEqual((await get(content.id, '?expand=policy')).body.policy, policy);
    const list = await postern.call('GET', `/v1/content?externalId=${content.externalId}&expand=policy`);
    assert.deepEqual(list.body.data[0].policy, policy);
    for (const expand of ['stats', '', 'policy,policy', 'Policy']) {
      assertError(await get(content.id, `?expand=${expand}`), 'invalid_request', 'expand');
    }
  });
});

describe('update', () => {
  test('changes what is sent and nothing else', async () => {
    const before = await made(postern, '/v1/content', item({ tags: ['a'], metadata: { k: 1 } }));
    clock.advance(1234);
    const policy = await makePolicy(postern, []);
    const changes: [object, object][] = [
      [{ title: 'new' }, { title: 'new' }],
      [{ source: 'http://x.y/z' }, { source: 'http://x.y/z' }],
      [{ tags: ['c', 'b', 'c'] }, { tags: ['c', 'b'] }],
      [{ tags: [] }, { tags: [] }],
      [{ policyId: policy.id }, { policyId: policy.id, policySource: 'content' }],
      [{ policyId: null }, { policyId: 'pol_default', policySource: 'default' }],
      [{ status: 'archived' }, { status: 'archived' }],
      [{ status: 'active' }, { status: 'active' }],
    ];
    let expected = before;
    for (const [body, change] of changes) {
      clock.advance(1000);
      const { body: got } = await patch(before.id, body);
      expected = { ...expected, ...change, updated: new Date(clock.now()).toISOString() };
      assert.deepEqual(got, expected, JSON.stringify(body));
    }
    const { stats, ...read } = (await get(before.id)).body;
    assert.deepEqual(read, expected);
    assert.equal(stats.totalRequests, 0);
  });
  test('metadata: shallow merge, null removes, metadataReplace replaces', async () => {
    const { id } = await made(postern, '/v1/content', item({ metadata: { a: { x: 1, y: 2 }, b: 1, c: 1 } }));
    assert.deepEqual((await patch(id, { metadata: { a: { x: 9 }, b: null, d: 2 } })).body.metadata, {
      a: { x: 9 },
      c: 1,
      d: 2,
    });
    assert.deepEqual((await patch(id, { metadata: { zzz: null } })).body.metadata, { a: { x: 9 }, c: 1, d: 2 });
    assert.deepEqual((await patch(id, { metadata: {} })).body.metadata, { a: { x: 9 }, c: 1, d: 2 });
    assert.deepEqual((await patch(id, { metadata: { e: [null] }, metadataReplace: false })).body.metadata, {
      a: { x: 9 },
      c: 1,
      d: 2,
      e: [null],
    });
    assert.deepEqual((await patch(id, { metadata: { q: 1 }, metadataReplace: true })).body.metadata, { q: 1 });
    assert.deepEqual((await patch(id, { metadata: {}, metadataReplace: true })).body.metadata, {});
  });
  test('type and externalId cannot change; an empty body is none', async () => {
    const { id } = await made(postern, '/v1/content', item());
    assertError(await patch(id, { type: 'image' }), 'invalid_request', 'type');
    const renamed = await patch(id, { externalId: 'other' });
    assertError(renamed, 'invalid_request', 'externalId');
    assert.match(renamed.body.error.message, /cannot be changed/);
    assertError(await patch(id, {}), 'invalid_request');
    assertError(await patch(id, { status: 'deleted' }), 'invalid_request', 'status');
    for (const field of ['title', 'source', 'status'])
      assertError(await patch(id, { [field]: null }), 'invalid_request', field);
  });
  test('archived content is denied, restored content is not', async () => {
    const { id } = await makeItem(postern, [{ action: 'allow', conditions: {} }]);
    await patch(id, { status: 'archived' });
    const denied = await check(postern, { contentId: id });
    assert.deepEqual([denied.allowed, denied.reason, denied.matchedRule], [false, 'content_archived', null]);
    await patch(id, { status: 'active' });
    assert.equal((await check(postern, { contentId: id })).allowed, true);
  });
  test('unknown content is not found', async () =>
    assertError(await patch('none', { title: 'x' }), 'content_not_found'));
});

describe('upsert', () => {
  const upsert = (body: object) => postern.call('POST', '/v1/content/upsert', { body });
  test('creates, then updates by the rules of PATCH', async () => {
    const policy = await makePolicy(postern, []);
    const sent = item({ metadata: { a: 1, b: 1 }, tags: ['x'], policyId: policy.id });
    const created = await upsert(sent);
    assertStatus(created, 201);
    clock.advance(10);
    const { externalId } = sent;
    const updated = await upsert({
      externalId,
      title: 'T',
      type: 'image',
      source: 'http://a.b',
      metadata: { b: null, c: 1 },
    });
    assertStatus(updated, 200);
    assert.deepEqual(updated.body, {
      ...created.body,
      title: 'T',
      type: 'image',
      source: 'http://a.b',
      metadata: { a: 1, c: 1 },
      updated: new Date(clock.now()).toISOString(),
    });
  });
  test('never restores what is archived', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item());
    await patch(id, { status: 'archived' });
    const answer = await upsert(item({ externalId, title: 'T' }));
    assertStatus(answer, 200);
    assert.equal(answer.body.status, 'archived');
    assert.equal(answer.body.title, 'T');
  });
  test('asks for the same fields as create', async () => {
    const { externalId } = await made(postern, '/v1/content', item());
    assertError(await upsert({ externalId, title: 'T' }), 'invalid_request');
    assertError(await upsert(item({ status: 'active' })), 'invalid_request', 'status');
  });
});

describe('bulk-upsert', () => {
  const bulk = (items: unknown) => postern.call('POST', '/v1/content/bulk-upsert', { body: { items } });
  test('takes 1 to 1,000 items', async () => {
    for (const count of [1, 999, 1000]) {
      const answer = await bulk(Array.from({ length: count }, () => item()));
      assertStatus(answer, 200);
      assert.deepEqual(answer.body, {
        object: 'bulk_upsert',
        created: count,
        updated: 0,
        unchanged: 0,
        failed: 0,
        errors: [],
      });
    }
    for (const items of [[], Array.from({ length: 1001 }, () => item()), {}, null, 'x']) {
      const answer = await bulk(items);
      assertError(answer, 'invalid_request');
      assert.ok(String(answer.body.error.param).startsWith('items'));
    }
  });
  test('an item that gives a key twice never spoils the rest, in a small body or a large one', async () => {
    for (const size of [1, 100_000]) {
      const [good, bad] = [item({ metadata: {} }), item()].map((one) => JSON.stringify(one)) as [string, string];
      const raw = `{"items":[${bad.replace('{', '{"title":"one",')},${good}${' '.repeat(size)}]}`;
      const answer = await postern.call('POST', '/v1/content/bulk-upsert', { raw });
      assertStatus(answer, 200);
      assert.deepEqual([answer.body.created, answer.body.failed], [1, 1]);
      const [{ index, code, param }] = answer.body.errors;
      assert.deepEqual([index, code, param], [0, 'invalid_request', 'title']);
    }
  });
  test('one bad item never spoils the rest', async () => {
    const old = await made(postern, '/v1/content', item());
    const good = [item(), item()];
    const items = [
      good[0],
      null,
      5,
      'x',
      [],
      {},
      item({ title: 5 }),
      item({ policyId: 'pol_none' }),
      item({ titel: 1 }),
      item({ externalId: old.externalId, title: 'new' }),
      item({ externalId: '' }),
      good[1],
    ];
    const { body } = await bulk(items);
    assert.deepEqual([body.created, body.updated, body.failed], [2, 1, 9]);
    assert.deepEqual(pluck(body.errors, 'index'), [1, 2, 3, 4, 5, 6, 7, 8, 10]);
    for (const error of body.errors) {
      assert.equal(error.code, 'invalid_request');
      assert.equal(typeof error.message, 'string');
      assert.deepEqual(Object.keys(error).toSorted(), ['code', 'externalId', 'index', 'message', 'param']);
    }
    const byIndex = new Map(body.errors.map((one: { index: number }) => [one.index, one]));
    assert.equal(
      (byIndex.get(6) as { externalId: string }).externalId,
      (items[6] as { externalId: string }).externalId,
    );
    assert.ok((byIndex.get(7) as { param: string }).param.includes('policyId'));
    assert.ok((byIndex.get(8) as { param: string }).param.includes('titel'));
    for (const one of good) assertStatus(await get(String(one?.externalId)), 200);
    assert.equal((await get(old.externalId)).body.title, 'new');
  });
  for (const [what, metadata] of [
    ['a number beyond 2^53', '{"n":9007199254740993}'],
    ['a NUL', '{"n":"\\u0000"}'],
    ['a lone surrogate', '{"n":"\\ud800"}'],
    ['metadata too deep', '{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}'],
  ] as const) {
    test(`an item with ${what} never spoils the rest`, async () => {
      const [good, bad] = [item(), item({ metadata: '@' })];
      const raw = JSON.stringify({ items: [bad, good] }).replace('"@"', metadata);
      const answer = await postern.call('POST', '/v1/content/bulk-upsert', { raw });
      assertStatus(answer, 200);
      assert.deepEqual([answer.body.created, answer.body.failed, answer.body.errors[0].index], [1, 1, 0]);
      assertError(await get(String(bad.externalId)), 'content_not_found');
    });
  }
  test('the same externalId twice: made, then updated', async () => {
    const one = item();
    const { body } = await bulk([one, { ...one, title: 'second' }]);
    assert.deepEqual([body.created, body.updated, body.failed], [1, 1, 0]);
    assert.equal((await get(String(one.externalId))).body.title, 'second');
  });
  test('follows the rules of PATCH and never restores', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item({ metadata: { a: 1 }, tags: ['x'] }));
    await patch(id, { status: 'archived' });
    await bulk([item({ externalId, type: 'video', metadata: { b: 2 } })]);
    const { body } = await get(id);
    assert.deepEqual([body.status, body.type, body.metadata, body.tags], ['archived', 'video', { a: 1, b: 2 }, ['x']]);
  });
});

describe('bulk-delete', () => {
  const bulk = (ids: unknown) => postern.call('POST', '/v1/content/bulk-delete', { body: { ids } });
  test('takes 1 to 1,000 ids', async () => {
    const items = Array.from({ length: 1000 }, () => item());
    await made(postern, '/v1/content/bulk-upsert', { items }, 200);
    assertError(await bulk([]), 'invalid_request');
    assertError(await bulk([...items.map((one) => one.externalId), 'x']), 'invalid_request');
    const one = await bulk([items[0]?.externalId]);
    assert.deepEqual(one.body, { object: 'bulk_deletion', deleted: 1, failed: 0, errors: [] });
    const rest = await bulk(items.map((each) => each.externalId));
    assert.deepEqual([rest.body.deleted, rest.body.failed], [999, 1]);
    assert.deepEqual(Object.keys(rest.body.errors[0]).toSorted(), ['code', 'id', 'message']);
    assert.deepEqual([rest.body.errors[0].id, rest.body.errors[0].code], [items[0]?.externalId, 'content_not_found']);
  });
  test('a duplicate counts once, found or not', async () => {
    const { id } = await made(postern, '/v1/content', item());
    const { body } = await bulk([id, id, 'none', 'none', id]);
    assert.deepEqual([body.deleted, body.failed, body.errors.length], [1, 1, 1]);
  });
  test('id and externalId of one item count once', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item());
    const { body } = await bulk([id, externalId]);
    assert.deepEqual([body.deleted, body.failed], [1, 0]);
  });
});

describe('deletion', () => {
  for (const how of ['DELETE', 'bulk-delete']) {
    test(`${how}: decisions, counts and usage are gone when it answers; a new item starts from zero`, async () => {
      await using own = await startTestService({ clock: testClock() });
      const rules = [{ action: 'allow', conditions: {}, rateLimit: { requests: 2, period: 'day', scope: 'content' } }];
      const content = await makeItem(own, rules, { externalId: 'x/y' });
      const other = await made(own, '/v1/content', item({ policyId: content.policyId }));
      const ids: string[] = [];
      for (let i = 0; i < 4; i++) ids.push((await check(own, { contentId: 'x/y', requesterId: 'bot' })).id);
      await check(own, { contentId: other.id, requesterId: 'bot' });
      assert.equal((await own.call('GET', '/v1/analytics/usage')).body.summary.totalRequests, 5);
      if (how === 'DELETE') {
        const answer = await own.call('DELETE', '/v1/content/x%2Fy');
        assert.deepEqual(answer.body, { id: content.id, object: 'content', deleted: true });
      } else await made(own, '/v1/content/bulk-delete', { ids: ['x/y'] }, 200);

      for (const query of ['', '?period=all', '?groupBy=hour', '?requesterId=bot', '?type=article']) {
        const { body } = await own.call('GET', `/v1/analytics/usage${query}`);
        assert.deepEqual(
          { ...body.summary, observed: undefined },
          {
            totalRequests: 1,
            allowed: 1,
            denied: 0,
            uniqueRequesters: 1,
            uniqueContent: 1,
            uniquePages: 0,
            observed: undefined,
          },
          query,
        );
        assert.deepEqual(pluck(body.topContent, 'id'), [other.id]);
        assert.deepEqual(pluck(body.topRequesters, 'requests'), [1]);
        assert.deepEqual(body.byDenialReason, []);
        const sum = body.timeSeries.reduce((total: number, one: { requests: number }) => total + one.requests, 0);
        assert.equal(sum, 1);
      }
      for (const id of ids) assertError(await own.call('GET', `/v1/access/decisions/${id}`), 'decision_not_found');
      const log = await own.call('GET', '/v1/access/decisions');
      assert.deepEqual([log.body.totalCount, log.body.data.length], [1, 1]);
      const lines = await own.call('GET', '/v1/access/decisions', { headers: { accept: 'application/x-ndjson' } });
      assert.equal(lines.text.trim().split('\n').length, 1);
      assertError(await own.call('GET', '/v1/content/x%2Fy'), 'content_not_found');
      assertError(await own.call('DELETE', '/v1/content/x%2Fy'), 'content_not_found');
      assertError(await own.call('POST', '/v1/access/check', { body: { contentId: 'x/y' } }), 'content_not_found');
      assertError(await own.call('POST', '/v1/access/check', { body: { contentId: content.id } }), 'content_not_found');

      const again = await made(own, '/v1/content', item({ externalId: 'x/y', policyId: content.policyId }));
      assert.notEqual(again.id, content.id);
      const got = await own.call('GET', '/v1/content/x%2Fy');
      assert.deepEqual(got.body.stats, { totalRequests: 0, allowedRequests: 0, deniedRequests: 0 });
      assert.equal((await own.call('GET', '/v1/access/decisions?contentId=x%2Fy')).body.totalCount, 0);
      assert.equal((await own.call('GET', '/v1/analytics/usage?contentId=x%2Fy')).body.summary.totalRequests, 0);
      const first = await check(own, { contentId: 'x/y', requesterId: 'bot' });
      assert.equal(first.allowed, true);
      assert.equal(first.rateLimit.remaining, 1);
      await own.restart();
      assert.equal((await own.call('GET', '/v1/analytics/usage')).body.summary.totalRequests, 2);
      for (const id of ids) assertError(await own.call('GET', `/v1/access/decisions/${id}`), 'decision_not_found');
    });
  }
});

describe('list', async () => {
  const own = await startTestService({ clock: testClock() });
  after(() => own[Symbol.asyncDispose]());
  const time = testClock();
  const policy = await makePolicy(own, []);
  const seen = await startTestService({ clock: time });
  after(() => seen[Symbol.asyncDispose]());
  const tagged = await makePolicy(seen, []);
  const rows: [string, object][] = [
    ['a', { title: 'Red apple pie', type: 'article', tags: ['fruit', 'a"b'] }],
    ['b', { title: 'green Apple', type: 'image', tags: ['fruits'] }],
    ['c', { title: 'Pear; 100% "sweet" (really)', type: 'article', tags: ['fruit', '100%'], policyId: tagged.id }],
    ['d', { title: 'Der grüne Tisch', type: 'dataset', tags: [] }],
  ];
  for (const [externalId, more] of rows) {
    await made(seen, '/v1/content', item({ externalId, ...more }));
    time.advance(3_600_000);
  }
  await seen.call('PATCH', '/v1/content/d', { body: { status: 'archived' } });

  const cases: [string, string][] = [
    ['type=article', 'ca'],
    ['type=video', ''],
    ['status=archived', 'd'],
    ['status=active', 'cba'],
    [`policyId=${tagged.id}`, 'c'],
    ['policyId=pol_default', 'dba'],
    ['tag=fruit', 'ca'],
    ['tag=fruits', 'b'],
    ['tag=fru', ''],
    ['tag=a%22b', 'a'],
    ['tag=100%25', 'c'],
    ['tag=%25', ''],
    ['externalId=b', 'b'],
    ['externalId=B', ''],
    ['q=apple', 'ba'],
    ['q=APPLE', 'ba'],
    ['q=apple%20red', 'a'],
    ['q=pear', 'c'],
    ['q=gr%C3%BCne', 'd'],
    ['q=zebra', ''],
    // The character that stands for one that could not be read is a character.
    ['q=%EF%BF%BD', ''],
    [`externalId=cnt_${'0'.repeat(26)}`, ''],
    // Text without a letter or digit finds nothing.
    ['q=%2A', ''],
    ['q=%E2%9C%93%20!', ''],
    ['createdAfter=2026-11-21T10:00:00Z', 'dcb'],
    ['createdBefore=2026-11-21T11:00:00Z', 'ba'],
    ['createdAfter=2026-11-21T10:00:00Z&createdBefore=2026-11-21T12:00:00Z', 'cb'],
    ['createdAfter=2026-11-21T12:00:00%2B02:00', 'dcb'],
    ['type=article&tag=fruit&q=apple', 'a'],
  ];
  for (const [query, expected] of cases) {
    test(query, async () => {
      const { body } = await seen.call('GET', `/v1/content?${query}`);
      assert.equal(body.data.map((one: { externalId: string }) => one.externalId).join(''), expected);
      assert.equal(body.totalCount, expected.length);
    });
  }
  test('without a filter everything, newest first', async () => {
    const { body } = await seen.call('GET', '/v1/content');
    assert.equal(body.data.map((one: { externalId: string }) => one.externalId).join(''), 'dcba');
  });
  test('a sigma is the same letter at the end of a word', async () => {
    const { id } = await made(seen, '/v1/content', item({ title: 'ΟΔΟΣΤΡΩΜΑ' }));
    for (const q of ['ΟΔΟΣ', 'οδος', 'οδοσ']) {
      const { body } = await seen.call('GET', `/v1/content?q=${encodeURIComponent(q)}`);
      assert.deepEqual([body.totalCount, body.data[0].id], [1, id], q);
    }
    assertStatus(await seen.call('DELETE', `/v1/content/${id}`), 200);
  });
  test('q is words, never a query language', async () => {
    for (const q of [
      ...words('" * app* -apple NEAR( title:apple ( % _ ^a { AND 😀'),
      'a OR b',
      "'",
      '\\',
      ' ',
      'x'.repeat(3000),
    ]) {
      const answer = await seen.call('GET', `/v1/content?q=${encodeURIComponent(q)}`);
      assert.ok(answer.status === 200 || answer.status === 400, `${q} ${answer.status}`);
    }
  });
  test('filters with values that cannot be are refused', async () => {
    for (const [param, value] of [
      ['type', 'book'],
      ['status', 'gone'],
      ['createdAfter', 'yesterday'],
      ['createdBefore', '2026-13-01T00:00:00Z'],
      ['createdAfter', '2026-02-30T00:00:00Z'],
      ['expand', 'stats'],
    ]) {
      assertError(await seen.call('GET', `/v1/content?${param}=${value}`), 'invalid_request', param);
    }
  });
  test('an empty service has an empty list', async () => {
    const { body } = await own.call('GET', `/v1/content?policyId=${policy.id}`);
    assert.deepEqual(body, { object: 'list', data: [], hasMore: false, totalCount: 0, nextCursor: null });
  });
});
