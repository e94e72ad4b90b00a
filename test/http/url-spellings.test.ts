/**
 * Every spelling of one file, and every reading of a URL, reaches one policy: for items, collections and rules alike.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { allowAll, assertError, assertStatus, check, item, made, makeKey, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const OPEN = (await makePolicy(postern, [allowAll])).id;
const SHUT = (await makePolicy(postern, [{ action: 'deny' }])).id;
const collection = (body: object) => made(postern, '/v1/collections', { name: 'C', policyId: OPEN, ...body });
const put = (host: string, urls: object, query = '') =>
  postern.call('PUT', `/v1/sites/${host}${query}`, { body: { urls } });
const ask = (url: string) => postern.call('POST', '/v1/access/check', { body: { url } });
/** Returns the status that a proxy would get for the URL. */
const door = async (url: string): Promise<number> => {
  const [, host = '', target = ''] = /^https:\/\/([^/]*)(.*)$/.exec(url) ?? [];
  const headers = { 'x-forwarded-host': host };
  return (await authorize(postern, target, { path: '/v1/authorize', headers })).status;
};

/** Asserts that a URL is not served: denied, or refused because it has several readings. */
async function assertShut(url: string): Promise<void> {
  const { status, body } = await ask(url);
  if (status === 200) assert.equal(body.allowed, false, url);
  else assert.ok(['ambiguous_content', 'invalid_request'].includes(body.error.code), `${url} ${body.error.code}`);
  assert.equal(await door(url), 403, url);
}
async function assertOpen(url: string): Promise<void> {
  assert.equal((await check(postern, { url })).allowed, true, url);
  assert.equal(await door(url), 200, url);
}

const PREMIUM = [
  '/premium',
  '/premium/',
  '/premium/index.html',
  '/premium/index.htm',
  '/premium/index.php',
  '/%70remium/',
];
/** Paths for which some server serves `/shut/a`. */
const HOSTILE = [
  '/shut/a',
  '/shut;/a',
  '/shut;v=1/a',
  '/shut%3B/a',
  '/shut%3bx/a',
  '/shut/a;x',
  '/shut/a%3Bx=1;y',
  '/shut/a;x/',
  '/shut/a%3F',
  '/shut/a%3Fx=1',
  '/shut/a%23x',
  '/shut/a;x%3Fy',
  '/shut/a%3Fx;y',
  '/index.php/shut/a',
  '/index.html/shut/a',
  '/index.php;x/shut/a',
  '/shut/a/',
  '/shut/a/index.html',
  '/shut/a/index.php/x',
  '/shut./a',
  '/shut%20/a',
  '/shut/a.',
  '/shut/a::$DATA',
  '/open;/../shut/a',
  '/open/..;/shut/a',
  '/open/..%3B/shut/a',
  '/;x/shut/a',
  '//shut/a',
  '/./shut/a',
  '/%2e/shut/a',
  '/shut%2Fa',
  '/shut%5Ca',
  '/shut\\a',
  '/%73hut/a',
  '/%2573hut/a',
  '/shut%252Fa',
  '/shut%00/a',
];
const HOSTS = ['', '.', ':8443', ':443', '.:8443'];

const rule = async (conditions: object, action = 'deny') =>
  (await makePolicy(postern, [{ action, conditions }], action === 'deny' ? { defaultAction: 'allow' } : {})).id;

/** Hosts on which `/shut/` is denied, and all else allowed, each by another means. */
const MEANS: Record<string, (host: string) => Promise<unknown>> = {
  async collections(host) {
    await collection({ hosts: [host], paths: ['/'] });
    await collection({ hosts: [host], paths: ['/shut/'], policyId: SHUT });
  },
  async items(host) {
    await collection({ hosts: [host], paths: ['/'] });
    await made(postern, '/v1/content', item({ source: `https://${host}/shut/a`, policyId: SHUT }));
  },
  async 'items by their externalId'(host) {
    await collection({ hosts: [host], paths: ['/'] });
    await made(postern, '/v1/content', item({ externalId: '/shut/a', policyId: SHUT }));
  },
  async path(host) {
    await collection({ hosts: [host], policyId: await rule({ path: ['/shut/'] }) });
  },
  async pathNot(host) {
    await collection({ hosts: [host], policyId: await rule({ pathNot: ['/shut/'] }, 'allow') });
  },
  async 'path and host, in a collection of any host'(host) {
    const policyId = await rule({ host, path: '/shut/' });
    await collection({ paths: ['/shut', '/open', '/index', '/%73hut', '/;', '/:'], policyId });
  },
  async collection(host) {
    const { id: col } = await collection({ hosts: [host], paths: ['/shut/'] });
    const policyId = await rule({ collection: col });
    await collection({ hosts: [host], paths: ['/'], policyId });
    assertStatus(await postern.call('PATCH', `/v1/collections/${col}`, { body: { policyId } }), 200);
  },
};

describe('what is denied is denied in every spelling and reading', () => {
  for (const [i, [means, make]] of Object.entries(MEANS).entries()) {
    test(`by ${means}`, async () => {
      const host = `by${i}.example`;
      await make(host);
      for (const path of HOSTILE) for (const end of HOSTS) await assertShut(`https://${host}${end}${path}`);
      for (const path of ['/open', '/open/', '/open;x', '/open%3Fx', '/index.php/open'])
        await assertOpen(`https://${host}${path}`);
    });
  }

  test('by patterns of files', async () => {
    await collection({ hosts: ['files.example'], policyId: await rule({ path: ['/shut/', '/*.pdf$'] }) });
    for (const path of ['/d/a.pdf', '/d/a.pdf;x', '/d/a.pdf%3Fx', '/d/a.pdf%3bx', '/d/a.pdf.', '/d/a.pdf?x'])
      await assertShut(`https://files.example${path}`);
    await assertOpen('https://files.example/d/a.pdf/');
  });

  test('on a host, whatever port or dot is added', async () => {
    await collection({ policyId: await rule({ host: 'ports.example' }), paths: ['/ports/'] });
    for (const end of HOSTS) await assertShut(`https://ports.example${end}/ports/a`);
    await assertOpen('https://other-ports.example/ports/a');
    assertError(await ask('https://ports.example../ports/a'), 'invalid_request', 'url');
  });

  test('and a port that a collection or an item names is a site of its own', async () => {
    await collection({ hosts: ['own.example:8443'], paths: ['/'] });
    await collection({ hosts: ['own.example'], paths: ['/'], policyId: SHUT });
    await assertOpen('https://own.example:8443/a');
    await assertShut('https://own.example:9443/a');
    await made(postern, '/v1/content', item({ source: 'http://own.example:3000/b', policyId: OPEN }));
    assert.equal((await check(postern, { url: 'http://own.example:3000/b' })).allowed, true);
  });
});

describe('a folder and its index', () => {
  test('are one file for collections, rules and items', async () => {
    await collection({ hosts: ['folder.example'], paths: ['/'] });
    await collection({ hosts: ['folder.example'], paths: ['/premium/'], policyId: SHUT });
    await made(postern, '/v1/content', item({ source: 'https://folder.example/own/index.html', policyId: SHUT }));
    for (const path of PREMIUM) await assertShut(`https://folder.example${path}`);
    for (const path of ['/own', '/own/', '/own/index.htm']) await assertShut(`https://folder.example${path}`);
    for (const path of ['/premiums', '/Premium/', '/own/default.asp'])
      await assertOpen(`https://folder.example${path}`);
  });

  test('a last segment with a dot has no folder, whatever is asked', async () => {
    await collection({ hosts: ['dot.example'], paths: ['/'] });
    await collection({ hosts: ['dot.example'], paths: ['/a.pdf$', '/v1.2/$'], policyId: SHUT });
    await assertShut('https://dot.example/a.pdf');
    await assertOpen('https://dot.example/a.pdf/');
    await assertOpen('https://dot.example/v1.2');
    await assertShut('https://dot.example/v1.2/index.html');
  });

  test('share an allowance, and are one decision', async () => {
    const rateLimit = { requests: 2, period: 'day', scope: 'content' };
    const { id: policyId } = await makePolicy(postern, [{ ...allowAll, rateLimit }]);
    await collection({ hosts: ['units.example'], policyId });
    const left: unknown[] = [];
    for (const path of ['/a;x', '/a/', '/a/index.html', '/a%3Fy']) {
      const { allowed, rateLimit: limit, url } = await check(postern, { url: `https://units.example${path}` });
      left.push([allowed, limit.remaining, url]);
    }
    assert.deepEqual(left, [
      [true, 1, 'units.example/a;x'],
      [true, 0, 'units.example/a/'],
      [false, 0, 'units.example/a/index.html'],
      [false, 0, 'units.example/a%3Fy'],
    ]);
  });
});

describe('queries', () => {
  const restricted = [
    '?id=7',
    '?x=1&id=7',
    '?id=8&id=7',
    '?id=7&x',
    '?%69d=%37',
    '?x&&id=7&',
    '/?id=7',
    '?a=1;id=7',
    '?+id=7',
    '?id%00=7',
    '?id[x]=7',
    '?%u0069d=%u0037',
    ';id=7',
    ';x&id=7?y',
    '%3Bid=7',
  ];
  test('a pattern has all that has its parameters, in any order and among others', async () => {
    await collection({ hosts: ['query.example'], policyId: await rule({ path: '/article?id=7$' }) });
    await collection({ hosts: ['queries.example'], paths: ['/'] });
    await collection({ hosts: ['queries.example'], paths: ['/article?id=7$'], policyId: SHUT });
    for (const host of ['query.example', 'queries.example']) {
      for (const query of restricted) await assertShut(`https://${host}/article${query}`);
      for (const query of ['', '?id=8', '?id=77', '?xid=7', '?id', '?ID=7', '?x=%26id=7', '?id%3D7'])
        await assertOpen(`https://${host}/article${query}`);
    }
  });

  test('an item with a query in its source likewise', async () => {
    await collection({ hosts: ['asked.example'], paths: ['/'] });
    const source = 'https://asked.example/article?id=7';
    const { id } = await made(postern, '/v1/content', item({ source, policyId: SHUT }));
    for (const query of restricted) await assertShut(`https://asked.example/article${query}`);
    assert.equal((await check(postern, { url: 'https://asked.example/article?x=1&id=7' })).contentId, id);
    await assertShut('https://asked.example/article%3Fid=7');
  });

  test('an encoded `&` or `=` ends no parameter and no name, so it opens nothing', async () => {
    const at = (target: string) => `https://encoded.example${target}`;
    const register = async (target: string, policyId: string) =>
      (await made(postern, '/v1/content', item({ source: at(target), policyId }))).id;
    await collection({ hosts: ['encoded.example'], policyId: SHUT });
    await collection({ hosts: ['encoded.example'], paths: ['/article?id=7', '/value?a=b%3Dc$', '/any?a=*%3dc$'] });
    const shut = ['/v?tok*%3D%3D$', '/w?*%3D5$', '/z?a*%3D1&b*%3D2$', '/y?*=b*%3D1$'];
    await collection({ hosts: ['stars.example'], paths: ['/'] });
    await collection({ hosts: ['stars.example'], paths: shut, policyId: SHUT });
    for (const query of ['/v?tok=abc%3D%3D', '/v?tok=abc==', '/w?x=1%3D5', '/w?x=5', '/z?b=x%3d2&a=y=1'])
      await assertShut(`https://stars.example${query}`);
    await assertShut('https://stars.example/y?x=b%3D1');
    await assertOpen('https://stars.example/v?tok=abc');
    await register('/p', SHUT);
    await register('/p?id=7', OPEN);
    await register('/t?tag=r', SHUT);
    await register('/t?tag=r%26d', OPEN);
    await register('/v?a=1%3D2', OPEN);
    for (const target of ['/p?x=%26id=7', '/p?x=1%26id%3D7', '/p?id%3D7', '/p?id%3d7']) await assertShut(at(target));
    for (const target of ['/article?x=%26id=7', '/article?id%3D7', '/value?a%3Db=c']) await assertShut(at(target));
    // Of a name, it is a part.
    await register('/named?id%3D7', OPEN);
    await assertOpen(at('/named?id%3D7'));
    for (const target of ['/t?tag=r', '/t?tag=r&d']) await assertShut(at(target));
    for (const target of ['/p?id=7', '/p?id=7&x=%26', '/t?tag=r%26d', '/t?x&tag=r%26d', '/article?id=7&x=a%26id%3D8'])
      await assertOpen(at(target));
    // In a value, the URL Standard reads both alike.
    for (const target of ['/v?a=1%3D2', '/v?a=1=2', '/v?a=1%3d2', '/value?a=b=c', '/value?a=b%3dc', '/any?a=xb=c'])
      await assertOpen(at(target));
  });

  test('a pattern has them by each name that PHP gives them', async () => {
    await collection({ hosts: ['php.example'], paths: ['/'] });
    const paths = ['/a?ids[]=7$', '/b?user_id=7$'];
    await collection({ hosts: ['php.example'], paths, policyId: SHUT });
    for (const query of ['?ids[]=7', '?ids[0]=7', '?x&ids%5Bx%5D=7', '?+ids[x][y]=7'])
      await assertShut(`https://php.example/a${query}`);
    for (const query of ['?user.id=7', '?user[id=7', '?user%5bid=7&x', '?user+id%00x=7'])
      await assertShut(`https://php.example/b${query}`);
    for (const target of ['/a?ids[]=8', '/a?ids=7', '/b?userid=7', '/b?user[name]=7'])
      await assertOpen(`https://php.example${target}`);
  });

  test('an item is found at its own address, also where a name in it has other readings', async () => {
    await collection({ hosts: ['named.example'], policyId: SHUT });
    const own = ['/a?filter[id]=7', '/b?filter%5Bid%5D=7', '/c?a.b=1', '/d?a=1;b=2', '/e?foo+bar', '/f?+id=7'];
    for (const target of own) {
      const { id } = await made(
        postern,
        '/v1/content',
        item({ source: `https://named.example${target}`, policyId: OPEN }),
      );
      assert.equal((await check(postern, { url: `https://named.example${target}` })).contentId, id, target);
      await assertOpen(`https://named.example${target}`);
      await assertShut(`https://named.example${target.slice(0, 2)}?other=1`);
    }
    // Another item that a reading finds counts.
    await made(postern, '/v1/content', item({ source: 'https://named.example/a?filter[]=7', policyId: SHUT }));
    await made(postern, '/v1/content', item({ source: 'https://named.example/d?b=2', policyId: SHUT }));
    for (const target of ['/a?filter[id]=7', '/d?a=1;b=2']) await assertShut(`https://named.example${target}`);
  });

  test('an archived item is reached through no parameters of another one', async () => {
    const at = (query: string) => `https://archived.example/article?${query}`;
    const { id } = await made(postern, '/v1/content', item({ source: at('id=7'), policyId: OPEN }));
    await made(postern, '/v1/content', item({ source: at('id=8'), policyId: OPEN }));
    assertStatus(await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } }), 200);
    for (const query of ['id=7', 'id=7&x', 'id=8&id=7', 'id=7&id=8']) await assertShut(at(query));
    await assertOpen(at('id=8&x'));
    const again = await made(postern, '/v1/content', item({ source: at('id=7'), policyId: OPEN }));
    assert.equal((await check(postern, { url: at('x&id=7') })).contentId, again.id);
  });
});

describe('the rules of a site', () => {
  test('say what is one file, at once, and as of any moment', async () => {
    await collection({ hosts: ['site.example'], paths: ['/'] });
    await collection({ hosts: ['site.example'], paths: ['/Closed/'], policyId: SHUT });
    await made(postern, '/v1/content', item({ source: 'https://site.example/Own', policyId: SHUT }));
    await made(postern, '/v1/content', item({ externalId: 'Named/One', policyId: SHUT }));
    const urls = ['/closed/a', '/own', '/OWN/INDEX.HTML', '/named/one'].map((path) => `https://site.example${path}`);
    for (const url of urls) await assertOpen(url);
    const before = (await check(postern, { url: urls[0] as string })).created;
    assertStatus(await put('site.example', { case: 'ignored' }), 201);
    for (const url of urls) await assertShut(url);
    const then = { url: urls[0], dryRun: true, asOf: before };
    assert.equal((await check(postern, then)).allowed, true, 'as of then');
    assertStatus(await put('site.example', { finalSlash: 'significant', index: [] }), 200);
    await assertOpen('https://site.example/closed/a');
    await assertOpen('https://site.example/Closed');
    await assertOpen('https://site.example/Own/');
    await assertShut('https://site.example/Own');
    assertStatus(await postern.call('DELETE', '/v1/sites/site.example'), 200);
    await assertShut('https://site.example/Own/');
  });

  test('take content:write, and keep it for whoever may not change them', async () => {
    const key = await makeKey(postern, { permissions: ['policies:write'] });
    const by = (body: object) => postern.call('PUT', '/v1/sites/kept.example', { body, key });
    assertStatus(await by({}), 201);
    assertError(await by({ urls: { case: 'ignored' } }), 'insufficient_permissions', 'urls');
    assertStatus(await put('kept.example', { case: 'ignored' }), 200);
    assertError(await by({ contact: 'a@b.example' }), 'insufficient_permissions', 'urls');
    assertStatus(await by({ contact: 'a@b.example', urls: { case: 'ignored' } }), 200);
    const removed = await postern.call('DELETE', '/v1/sites/kept.example', { key });
    assertError(removed, 'insufficient_permissions', 'urls');
    for (const index of [['a/b'], [''], ['..'], ['a;b'], ['a?']])
      assertError(await put('kept.example', { index }), 'invalid_request', 'urls.index[0]');
    assertError(await put('kept.example', { casing: 'ignored' }), 'invalid_request', 'urls.casing');
  });

  test('name the items that become one file, before they count', async () => {
    const source = (path: string) => item({ source: `https://merged.example${path}`, policyId: OPEN });
    const a = await made(postern, '/v1/content', source('/A'));
    const b = await made(postern, '/v1/content', source('/a'));
    assert.equal(b.warnings, undefined);
    const tried = await put('merged.example', { case: 'ignored' }, '?dryRun=true');
    assertStatus(tried, 201);
    assert.deepEqual(
      tried.body.warnings.map((one: any) => [one.code, one.contentIds]),
      [['ambiguous_content', [a.id, b.id]]],
    );
    assertError(await postern.call('GET', '/v1/sites/merged.example'), 'site_not_found');
    await assertOpen('https://merged.example/a');
    const stored = await put('merged.example', { case: 'ignored' });
    assert.deepEqual(stored.body.warnings, tried.body.warnings);
    assertError(await ask('https://merged.example/a'), 'ambiguous_content', 'url');
    assert.equal(await door('https://merged.example/A'), 403);
  });

  test('two items that are one file are told by every answer about them', async () => {
    const first = await made(postern, '/v1/content', item({ source: 'https://two.example/a', policyId: OPEN }));
    const second = await made(postern, '/v1/content', item({ source: 'https://two.example/a/', policyId: OPEN }));
    assert.match(second.warnings[0].message, new RegExp(first.id));
    const read = await postern.call('GET', `/v1/content/${first.id}`);
    assert.deepEqual([read.body.warnings[0].code, read.body.warnings[0].param], ['ambiguous_content', 'source']);
    const list = await postern.call('GET', '/v1/content?limit=2');
    assert.ok(list.body.data.every((one: any) => one.warnings.length === 1));
    assertError(await ask('https://two.example/a/index.html'), 'ambiguous_content', 'url');
    const gone = await postern.call('PATCH', `/v1/content/${second.id}`, { body: { status: 'archived' } });
    assert.equal(gone.body.warnings, undefined);
    assert.equal((await check(postern, { url: 'https://two.example/a/index.html' })).contentId, first.id);
  });
});

test('batches, simulations and the door refuse what the check refuses', async () => {
  await collection({ hosts: ['all.example'], policyId: await rule({ path: '/shut/' }) });
  const checks = [{ url: 'https://all.example/shut;/a' }, { url: 'https://all.example/open;/a' }];
  const batch = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
  assert.deepEqual([batch.body.data[0].error.code, batch.body.data[1].allowed], ['ambiguous_content', true]);
  const policy = { rules: [{ action: 'deny', conditions: { path: '/shut/' } }], defaultAction: 'allow' };
  const simulated = await postern.call('POST', '/v1/policies/simulate', { body: { policy, checks } });
  assert.deepEqual([simulated.body.data[0].error.code, simulated.body.data[1].allowed], ['ambiguous_content', true]);
});

test('a reading of a collection that only observes lets nothing through that another denies', async () => {
  await collection({ hosts: ['watched.example'], policyId: SHUT, mode: 'observe' });
  await collection({ hosts: ['watched.example'], paths: ['/shut/'], policyId: SHUT });
  assert.equal(await door('https://watched.example/a'), 200);
  for (const path of ['/shut;/a', '/index.php/shut/a', '/shut/a%3Fx'])
    await assertShut(`https://watched.example${path}`);
});
