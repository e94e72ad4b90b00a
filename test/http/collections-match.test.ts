/** The deciding item or collection of a URL, with reasons that agree with placement and with `/v1/authorize`. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, item, made, makePolicy, wire } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const add = (name: string, body: object) => made(postern, '/v1/collections', { name, ...body });
const match = (url: string) => postern.call('GET', `/v1/collections/match?url=${encodeURIComponent(url)}`);
async function matched(url: string): Promise<any> {
  const answer = await match(url);
  assertStatus(answer, 200, url);
  return answer.body;
}

const { id: policyId } = await makePolicy(postern, []);
const site = await add('The site', { hosts: ['*.example.com', 'example.com'], paths: ['/'] });
const news = await add('News', { hosts: ['*.example.com'], paths: ['/news/', '/news/*.pdf$'], policyId });
const exact = await add('Exact', { mode: 'observe', hosts: ['www.example.com'], paths: ['/news/'] });
const twin = await add('Twin', { hosts: ['www.example.com'], paths: ['/news/'] });
const videos = await add('Videos', { hosts: ['www.example.com'], paths: ['/news/'], contentTypes: ['video'] });

describe('an address without an item', () => {
  test('falls in the most specific collection; the answer says by what, and what came after', async () => {
    const body = await matched('https://www.example.com/news/today');
    const by = { mode: 'enforce', contentType: null, contentTag: null };
    assert.deepEqual(body, {
      object: 'collection_match',
      url: 'https://www.example.com/news/today',
      outcome: 'collection',
      item: null,
      collection: {
        id: exact.id,
        name: 'Exact',
        policyId: null,
        path: '/news/',
        host: 'www.example.com',
        ...by,
        mode: 'observe',
      },
      policyId: 'pol_default',
      policySource: 'collection',
      runnersUp: [
        {
          id: twin.id,
          name: 'Twin',
          policyId: null,
          path: '/news/',
          host: 'www.example.com',
          ...by,
          lostBy: 'age',
        },
        { id: news.id, name: 'News', policyId, path: '/news/', host: '*.example.com', ...by, lostBy: 'host' },
        {
          id: site.id,
          name: 'The site',
          policyId: null,
          path: '/',
          host: '*.example.com',
          ...by,
          lostBy: 'path',
        },
      ],
    });
  });

  test('by its longest pattern, with the policy of its collection', async () => {
    const body = await matched('http://www.example.com/news/a.pdf?x#page=2');
    assert.deepEqual(
      [body.collection.id, body.collection.path, body.policyId, body.runnersUp[0].lostBy],
      [news.id, '/news/*.pdf$', policyId, 'path'],
    );
  });

  test('in one spelling, also as browsers show it', async () => {
    for (const url of ['https://WWW.Example.com:443/%6Eews/tage', 'https://www.example.com/news/f%C3%BCnf']) {
      assert.equal((await matched(url)).collection.id, exact.id, url);
    }
    assert.equal((await matched('https://www.example.com/news/fünf')).collection.id, exact.id);
    assert.equal((await matched('https://example.com?page=2')).collection.path, '/');
  });

  test('nothing decides where no collection matches', async () => {
    const { outcome, collection, policyId: none, policySource, runnersUp } = await matched('https://other.example/a');
    assert.deepEqual([outcome, collection, none, policySource, runnersUp], ['nothing', null, null, null, []]);
  });

  test('at most five others are shown', async () => {
    for (let i = 0; i < 7; i++) await add(`Many ${i}`, { hosts: ['many.example'], paths: [`/${'a'.repeat(i)}`] });
    const { collection, runnersUp } = await matched('https://many.example/aaaaaaaa');
    assert.equal(collection.path, '/aaaaaa');
    assert.deepEqual(
      runnersUp.map(({ path }: { path: string }) => path),
      ['/aaaaa', '/aaaa', '/aaa', '/aa', '/a'],
    );
  });
});

describe('an address with an item', () => {
  test('the item decides, by the policy that its own answer shows', async () => {
    const source = 'https://www.example.com/news/film';
    const film = await made(postern, '/v1/content', item({ source, type: 'video', tags: ['x'] }));
    const body = await matched(source);
    assert.deepEqual(body.item, film);
    assert.deepEqual(
      [body.outcome, body.collection.id, body.collection.contentType, body.policySource, body.runnersUp[0].lostBy],
      ['item', videos.id, 'video', 'collection', 'selectors'],
    );
    await postern.call('PATCH', `/v1/content/${film.id}`, { body: { policyId } });
    const owned = await matched(`${source}?utm=1`);
    assert.deepEqual([owned.policyId, owned.policySource, owned.collection.id], [policyId, 'content', videos.id]);
    await postern.call('DELETE', `/v1/content/${film.id}`);
    assert.deepEqual(
      [(await matched(source)).outcome, (await matched(source)).collection.id],
      ['collection', exact.id],
    );
  });

  test('also when it has the path as its externalId', async () => {
    const named = await made(postern, '/v1/content', item({ externalId: 'maps/coast', source: 'https://x.example/1' }));
    const body = await matched('https://www.example.com/maps/coast');
    assert.deepEqual([body.outcome, body.item.id], ['item', named.id]);
    // An item is placed by its own address.
    assert.equal(body.collection, null);
    assert.equal(body.policySource, 'default');
  });

  test('none is chosen of several', async () => {
    const source = 'https://www.example.com/news/both';
    await made(postern, '/v1/content', item({ source }));
    await made(postern, '/v1/content', item({ source }));
    const { outcome, item: none, policyId: of, collection } = await matched(source);
    assert.deepEqual([outcome, none, of, collection], ['several_items', null, null, null]);
  });
});

test('an address that servers may read differently is refused, as by /v1/authorize', async () => {
  for (const url of ['//a', '/a/../news/', '/a%2Fb', '/a//b', '/%2541', '/a\\b', '/a b']) {
    assertError(await match(`https://www.example.com${url}`), 'invalid_request', 'url', url);
    if (/[ ]/.test(url)) continue;
    const headers = { 'x-postern-key': postern.key, 'x-original-uri': url, 'x-forwarded-host': 'www.example.com' };
    const refused = await wire(postern, 'GET', '/v1/authorize?unknown=allow', { headers });
    assert.equal(refused.status, 403, url);
  }
  for (const url of ['/news', 'ftp://www.example.com/', 'www.example.com/news', 'https://', 'https://a@b.example/x']) {
    assertError(await match(url), 'invalid_request', 'url', url);
  }
  assertError(await match(`https://www.example.com/${'a'.repeat(2048)}`), 'invalid_request', 'url');
  assertError(await postern.call('GET', '/v1/collections/match'), 'invalid_request', 'url');
});

test('a check of the URL decides by the same item or collection; of several readings, by none or the first', async () => {
  const check = (url: string) => postern.call('POST', '/v1/access/check', { body: { url, dryRun: true } });
  const ported = await add('Ported', { hosts: ['ported.example:8443'], paths: ['/'] });
  await add('Plain', { hosts: ['ported.example'], paths: ['/a;b', '/c'] });
  await made(postern, '/v1/content', item({ source: 'https://www.example.com/news/item;v=1' }));
  await made(postern, '/v1/content', item({ source: 'https://www.example.com/news/thing' }));
  const seen = new Set<string>();
  for (const url of [
    'https://www.example.com/news/today',
    'https://www.example.com/news/today;v=1',
    'https://www.example.com/news/item;v=1',
    'https://www.example.com/news/item',
    'https://www.example.com/news/thing',
    'https://www.example.com/news/both',
    'https://www.example.com:8443/news/today',
    'https://ported.example:8443/c',
    'https://ported.example:9443/c',
    'https://ported.example/a;b',
    'https://ported.example/c;b',
    'https://ported.example/d',
    'https://nowhere.example/',
  ]) {
    const [one, other] = [await match(url), await check(url)];
    const outcome = one.status === 200 ? one.body.outcome : one.body.error.code;
    seen.add(outcome);
    const expected = {
      invalid_request: [400, undefined, undefined],
      several_items: [400, undefined, undefined],
      nothing: [404, undefined, undefined],
    }[outcome as string] ?? [200, one.body.item?.id ?? null, one.body.policyId];
    if (one.body.readings !== undefined && other.status === 400) {
      assert.equal(other.body.error.code, 'ambiguous_content', url);
      seen.add('ambiguous');
      continue;
    }
    const { contentId, policyId: of } = other.body;
    assert.deepEqual([other.status, contentId, of], expected, `${url}: ${one.text} ${other.text}`);
    if (other.status === 200) assert.equal(other.body.collectionId, one.body.collection?.id ?? null, url);
  }
  assert.deepEqual([...seen].toSorted(), ['ambiguous', 'collection', 'item', 'nothing', 'several_items']);
  assert.equal((await matched('https://ported.example:8443/x')).collection.id, ported.id);
});

test('collections are listed by the policy that is in force for them', async () => {
  const names = async (query: string) =>
    (await postern.call('GET', `/v1/collections?${query}`)).body.data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await names(`policyId=${policyId}`), ['News']);
  assert.deepEqual(await names('policyId=pol_default&q=twin'), ['Twin']);
  assert.deepEqual(await names('policyId=pol_none'), []);
});

test('expand=warnings names ties, and edits of others change it', async () => {
  const read = (query = '', headers = {}) => postern.call('GET', `/v1/collections/${exact.id}${query}`, { headers });
  assert.equal((await read()).body.warnings, undefined);
  const { body, headers } = await read('?expand=warnings', { 'if-none-match': '"1"' });
  assert.match(body.warnings[0].message, /"Twin"/);
  assert.equal(headers.get('etag'), '"1"');
  await postern.call('PATCH', `/v1/collections/${twin.id}`, { body: { paths: ['/other/'] } });
  assert.deepEqual((await read('?expand=warnings', { 'if-none-match': '"1"' })).body.warnings, []);
  assertError(await read('?expand=policy'), 'invalid_request', 'expand');
});

describe('a collection that is not stored', () => {
  const attempt = async (url: string, collection: object): Promise<any> => {
    const answer = await postern.call('POST', '/v1/collections/match', { body: { url, collection } });
    assertStatus(answer, 200, url);
    return answer.body;
  };
  const url = 'https://www.tried.example/news/today';
  let [wide, first, second] = [{ id: '' }, { id: '' }, { id: '' }];
  before(async () => {
    wide = await add('Wide', { hosts: ['*.tried.example'], paths: ['/'] });
    first = await add('First', { hosts: ['www.tried.example'], paths: ['/news/'] });
    second = await add('Second', { hosts: ['www.tried.example'], paths: ['/news/'] });
  });

  test('is tried beside the stored ones, which stay as they are', async () => {
    const stored = await matched(url);
    const body = await attempt(url, { name: 'New', paths: ['/news/t'], mode: 'observe', policyId });
    assert.equal(body.outcome, 'collection');
    assert.deepEqual([body.collection.name, body.collection.path, body.policyId], ['New', '/news/t', policyId]);
    assert.deepEqual([body.collection.id, body.collection.mode], [body.tried.id, 'observe']);
    assert.deepEqual(body.tried.unmatched, []);
    assert.deepEqual([body.runnersUp[0].id, body.runnersUp[0].lostBy], [first.id, 'path']);
    // A new one is the youngest.
    const late = await attempt(url, { hosts: ['www.tried.example'], paths: ['/news/'] });
    assert.deepEqual([late.collection.id, late.runnersUp[1].id], [first.id, late.tried.id]);
    assert.deepEqual(await matched(url), stored);
    assert.equal((await postern.call('GET', `/v1/collections/${body.tried.id}`)).status, 404);
  });

  test('takes the place of a stored one: fields that are not given stay', async () => {
    const moved = await attempt(url, { id: first.id, hosts: ['www.other.example'] });
    assert.deepEqual(
      [moved.tried, moved.collection.id],
      [{ id: first.id, unmatched: ['hosts'] }, second.id],
      'a host that does not match',
    );
    assert.ok(!moved.runnersUp.some(({ id }: { id: string }) => id === first.id));
    const longer = await attempt(url, { id: wide.id, paths: ['/news/tod'] });
    assert.deepEqual([longer.collection.id, longer.collection.name], [wide.id, 'Wide']);
    assert.equal(longer.collection.host, '*.tried.example');
  });

  test('decides about the item that is registered there, by its type and tags', async () => {
    const source = 'https://www.tried.example/clips/1';
    const { id } = await made(postern, '/v1/content', item({ source, type: 'video', tags: ['sea'] }));
    const body = await attempt(source, { contentTags: ['sea'], paths: ['/clips/'], policyId });
    assert.deepEqual(
      [body.outcome, body.item.id, body.item.policyId, body.item.policySource, body.collection.contentTag],
      ['item', id, policyId, 'collection', 'sea'],
    );
    const other = await attempt(source, { contentTypes: ['article'], contentTags: ['sea'], hosts: ['x.example'] });
    assert.deepEqual(other.tried.unmatched, ['hosts', 'contentTypes']);
  });

  test('makes a URL unreadable if some servers would find something else', async () => {
    const body = { url: 'https://www.tried.example/news/;x/secret', collection: { paths: ['/news/;x/'] } };
    assertError(await postern.call('POST', '/v1/collections/match', { body }), 'invalid_request', 'url');
  });

  test('is refused where storing it would be', async () => {
    const refusals = [
      [{}, 'collection.paths'],
      [{ id: first.id, hosts: [], paths: [] }, 'collection.paths'],
      [{ paths: ['news'] }, 'collection.paths[0]'],
      [{ paths: ['/'], policyId: 'pol_none' }, 'collection.policyId'],
      [{ paths: ['/'], id: 'col_none' }, 'collection.id'],
      [{ paths: ['/'], path: '/' }, 'collection.path'],
    ] as const;
    for (const [collection, param] of refusals) {
      const answer = await postern.call('POST', '/v1/collections/match', { body: { url, collection } });
      assertError(answer, 'invalid_request', param);
    }
  });
});
