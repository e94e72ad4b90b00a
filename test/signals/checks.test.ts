/** Checks with a `page` return the headers for the answer to the visitor of that page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { allowAll, check, item, made, makePolicy } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const PAGE = `https://${HOST}/news/1`;
const { id: policyId } = await makePolicy(postern, [{ ...allowAll, rateLimit: { requests: 1_000, period: 'day' } }]);
const collection = await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId });
const { id: elsewhere } = await made(postern, '/v1/content', item({ source: 'https://other.example/1', policyId }));
const publish = async (signals: object) => {
  const body = { signals, licensingUrl: 'https://www.example.com/licensing' };
  assert.ok((await postern.call('PUT', `/v1/sites/${HOST}`, { body })).status < 300);
  await postern.call('GET', `/v1/sites/${HOST}/signals/report`);
};
await publish({ link: true, tdmrep: true });
const LINK = '<https://www.example.com/licensing>; rel="license"';
const TOLD = {
  headers: {
    link: LINK,
    'tdm-reservation': '1',
    'tdm-policy': `https://${HOST}/.well-known/tdm-policy/${collection.id}.json`,
  },
  denialHeaders: { link: LINK },
  licensingUrl: 'https://www.example.com/licensing',
};
const NOTHING = { headers: {}, denialHeaders: {}, licensingUrl: null };
const signalsOf = async (page: string, asked: object = { url: page }) =>
  (await check(postern, { page, ...asked })).signals;

test('are those of the page, whatever was asked about', async () => {
  assert.deepEqual(await signalsOf(PAGE), TOLD);
  assert.deepEqual(await signalsOf(PAGE, { contentId: elsewhere }), TOLD);
  assert.deepEqual(await signalsOf('https://other.example/1', { contentId: elsewhere }), NOTHING);
});

test('a page that servers read differently has none, and is no fault of the check', async () => {
  for (const page of [
    '',
    'x',
    'https://',
    'https://a b/',
    `https://${HOST}/a%2Fb`,
    '\u{1f600}',
    `https://${HOST}/../1`,
  ]) {
    assert.deepEqual(await signalsOf(page, { contentId: elsewhere }), NOTHING, page);
  }
});

test('in a batch, only checks with a page; none as of a past time', async () => {
  const asOf = new Date().toISOString();
  const checks = [
    { url: PAGE, page: PAGE },
    { url: PAGE },
    { url: PAGE, page: PAGE, dryRun: true, asOf },
    { url: 'https://unknown.example/', page: PAGE },
  ];
  const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
  assert.deepEqual(
    body.data.map((one: { signals?: object; error?: { code: string } }) => one.signals ?? one.error?.code),
    [TOLD, undefined, undefined, 'content_not_found'],
  );
});

test('a repeated request has the answer of the first, after an edit of the site too', async () => {
  const request = { body: { url: PAGE, page: PAGE }, headers: { 'idempotency-key': 'once' } };
  const first = await postern.call('POST', '/v1/access/check', request);
  assert.deepEqual(first.body.signals, TOLD);
  await publish({ link: false });
  assert.equal((await postern.call('POST', '/v1/access/check', request)).text, first.text);
  assert.deepEqual(await signalsOf(PAGE), { ...TOLD, headers: {} });
  await publish({ link: true, tdmrep: true });
});

test('they follow an edit at once: none until they are rendered again, and never the old ones', async () => {
  const { id } = await makePolicy(postern, [{ ...allowAll, permissions: ['full_access', 'training', 'fine_tuning'] }]);
  const answer = await postern.call('PATCH', `/v1/collections/${collection.id}`, { body: { policyId: id } });
  assert.equal(answer.status, 200);
  const { headers } = await signalsOf(PAGE);
  assert.ok(headers['tdm-reservation'] !== '1', JSON.stringify(headers));
  await postern.call('GET', `/v1/sites/${HOST}/signals/report`);
  assert.equal((await signalsOf(PAGE)).headers['tdm-reservation'], '0');
});
