/** Files and headers of sites beside robots.txt: their types, the policy of one collection, and headers of pages. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { assertError, assertStatus, made, makePolicy } from '../http/given.ts';
import { readRsl, validateRsl } from './readers.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const RIGHTS = ['full_access', 'training', 'fine_tuning'];
const { id: open } = await makePolicy(postern, [{ action: 'allow', permissions: RIGHTS }]);
const { id: sold } = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: 'crawling' }, permissions: RIGHTS },
]);
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId: open });
const premium = await made(postern, '/v1/collections', {
  name: 'P',
  hosts: [HOST],
  paths: ['/premium/'],
  policyId: sold,
});
const OFFER = {
  unitPriceMicros: 5000,
  currency: 'USD',
  contact: 'sales@example.com',
  url: 'https://example.com/?a=1&b="<2>"',
  x402: { network: 'eip155:8453', asset: 'USDC', payTo: 'publisher' },
};
assertStatus(await postern.call('PUT', '/v1/offers/crawling', { body: OFFER }), 201);
const put = async (signals: object) =>
  assert.ok(
    (await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals, contact: 'a@b.example' } })).status < 300,
  );
const ON = { public: true, robots: 'replace', license: true, tdmrep: true, contentUsage: true };
await put(ON);
/** Other headers belong to one request, or change with the clock. */
const OF_FILE = ['cache-control', 'content-type', 'etag'];
const lengthOf = (text: string): string => String(Buffer.byteLength(text));
const get = (kind: string, key: string | null = null) =>
  postern.call('GET', `/v1/sites/${HOST}/signals/${kind}`, { key });

test('license.xml has what is free, and what is for sale with its price and contact', async () => {
  const { text, headers, status } = await get('license.xml');
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/rsl+xml; charset=utf-8']);
  validateRsl(text);
  assert.equal(text.includes("'"), false);
  const read = readRsl(text);
  assert.deepEqual(read('/x'), { permitted: new Set(['ai-train', 'ai-input', 'ai-index', 'search']), amount: null });
  assert.equal(read('/premium/x')?.amount, '0.005');
  assert.ok(text.includes('<custom>https://example.com/?a=1&#38;b=&#34;&#60;2&#62;&#34;</custom>'), text);
  assert.match(
    text,
    /<payment type="crawl">[^]*<amount currency="USD">0\.005<\/amount><accepts type="application\/x402\+json"\/>/,
  );
  assert.match(text, /<legal type="contact">sales@example\.com<\/legal>/);
});

test('an edit of an offer is in the file at once, and one that has ended is not', async () => {
  await postern.call('PUT', '/v1/offers/crawling', { body: { ...OFFER, unitPriceMicros: 7000 } });
  assert.match((await get('license.xml')).text, />0\.007</);
  await postern.call('PUT', '/v1/offers/crawling', { body: { ...OFFER, validUntil: '2020-01-01T00:00:00Z' } });
  const { text } = await get('license.xml');
  assert.doesNotMatch(text, /<payment/);
  assert.equal(readRsl(text)('/premium/x')?.permitted.size, 0);
  await postern.call('PUT', '/v1/offers/crawling', { body: OFFER });
});

test('tdmrep.json names the policy of each reserved collection', async () => {
  const { body, headers } = await get('tdmrep.json');
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  const uid = `https://${HOST}/.well-known/tdm-policy/${premium.id}.json`;
  assert.deepEqual(body, [
    { location: '/premium/*', 'tdm-reservation': 1, 'tdm-policy': uid },
    // The same folder without its slash.
    { location: '/premium$', 'tdm-reservation': 1, 'tdm-policy': uid },
    { location: '/premium?*', 'tdm-reservation': 1, 'tdm-policy': uid },
    { location: '/*', 'tdm-reservation': 0 },
  ]);
  const policy = await get(`tdm-policy?collectionId=${premium.id}`);
  assert.match(policy.headers.get('content-type') ?? '', /^application\/ld\+json/);
  const parsed = JSON.parse(policy.text);
  assert.deepEqual([parsed.uid, parsed.permission[0].duty], [uid, [{ action: 'compensate' }]]);
  assert.equal(parsed.assigner['vcard:hasEmail'], 'mailto:sales@example.com');
  assert.deepEqual(JSON.parse((await get('tdm-policy')).text), [parsed]);
  assertError(await get('tdm-policy?collectionId=col_none'), 'signal_not_found');
});

test('answers to proxies carry the headers of the page', async () => {
  const headersOf = async (path: string) => {
    const { headers } = await authorize(postern, path, { path: `/v1/authorize?origin=https://${HOST}` });
    return ['tdm-reservation', 'tdm-policy', 'content-usage'].map((name) => headers.get(name));
  };
  await get('tdmrep.json');
  assert.deepEqual(await headersOf('/x?y=1'), ['0', null, 'train-ai=y, ai-use=y, search=y']);
  assert.deepEqual(await headersOf('/premium/x'), [null, null, null], 'a denial has none');
  await put({ ...ON, tdmrep: false });
  await get('robots.txt');
  assert.deepEqual(await headersOf('/x'), [null, null, 'train-ai=y, ai-use=y, search=y']);
});

test('the headers of all pages are those that proxies get', async () => {
  await put({ ...ON, link: true });
  await made(postern, '/v1/collections', { name: 'Q', hosts: [HOST], paths: ['/q?v=1', '/a*z$'], policyId: open });
  const { headers, body, status } = await get('headers');
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8']);
  assert.match(headers.get('last-modified') ?? '', /GMT$/);
  const names = ['link', 'tdm-reservation', 'tdm-policy', 'content-usage'];
  const matches = (location: string, path: string) =>
    new RegExp(`^${location.split('*').map(RegExp.escape).join('.*').replace(/\\\$$/, '$')}`).test(path);
  for (const path of ['/', '/x', '/q?v=1', '/q', '/abcz', '/abczd', '/robots.txt', '/.well-known/x']) {
    const entry = body.find(({ location }: { location: string }) => matches(location, path));
    const answer = await authorize(postern, path, { path: `/v1/authorize?origin=https://${HOST}` });
    assert.equal(answer.status, 200, path);
    assert.deepEqual(
      names.map((name) => entry.headers[name] ?? null),
      names.map((name) => answer.headers.get(name)),
      path,
    );
  }
  const again = { headers: { 'if-none-match': headers.get('etag') ?? '' }, key: null };
  assert.equal((await postern.call('GET', `/v1/sites/${HOST}/signals/headers`, again)).status, 304);
  assert.match(body.find((one: any) => one.location.startsWith('/premium/')).headers['tdm-policy'], /col_/);
});

test('everybody reads the same file as a key does, from memory too, until it is not public any more', async () => {
  const path = `/v1/sites/${HOST}/signals/robots.txt`;
  const plain = ({ status, text, headers }: Awaited<ReturnType<typeof get>>) => {
    assert.match(headers.get('last-modified') ?? '', / GMT$/);
    return { status, text, headers: Object.fromEntries([...headers].filter(([name]) => OF_FILE.includes(name))) };
  };
  const read = async (options: object, method = 'GET', at = path) => plain(await postern.call(method, at, options));
  for (const base of ['# one\n', '# two: a page \u2192 an edit\n']) {
    await put({ ...ON, robots: 'augment', robotsBase: base });
    const first = await read({});
    assert.ok(first.text.startsWith(base));
    assert.deepEqual(Object.keys(first.headers).toSorted(), OF_FILE);
    for (const key of [null, null, postern.key]) assert.deepEqual(await read({ key }), first);
    assert.deepEqual(await read({ key: null }, 'GET', path.replace(HOST, 'WWW.Example.com.')), first);
    assert.deepEqual(await read({ key: null }, 'HEAD'), { ...first, text: '' });
    assert.equal((await postern.call('HEAD', path, { key: null })).headers.get('content-length'), lengthOf(first.text));
    const { 'content-type': _, ...others } = first.headers;
    const known = { 'if-none-match': `"x", W/${first.headers.etag}` };
    assert.deepEqual(await read({ key: null, headers: known }), { status: 304, text: '', headers: others });
    const id = (await postern.call('GET', path, { key: null, headers: { 'x-request-id': 'own' } })).headers;
    assert.equal(id.get('request-id'), 'own');
  }
  assertError(await postern.call('GET', `${path}?x=1`, { key: null }), 'invalid_request');
  assertError(await postern.call('GET', `${path}?asOf=2020-01-01T00:00:00Z`, { key: null }), 'signal_not_found');
  await put({ ...ON, public: false });
  assertError(await postern.call('GET', path, { key: null }), 'missing_api_key');
  await put(ON);
  assertStatus(await postern.call('GET', path, { key: null }), 200);
});

test('what is switched off is not found, and says so', async () => {
  await put({ public: true });
  for (const kind of ['license.xml', 'tdmrep.json', 'tdm-policy', 'headers'])
    assertError(await get(kind), 'signal_not_found');
  assert.doesNotMatch((await get('robots.txt')).text, /Content-Usage|License/);
});
