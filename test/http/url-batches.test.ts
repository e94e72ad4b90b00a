/** A batch reads many addresses at once, and finds what a single check finds. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { longestTurn } from '../../kit/turns.ts';
import { allowAll, item, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const HOST = 'https://news.example';
const { id: policyId } = await makePolicy(postern, [allowAll]);
const at = (path: string, more: object = {}) =>
  made(postern, '/v1/content', item({ policyId, source: HOST + path, ...more }));
const archive = ({ id }: { id: string }) =>
  postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });

await at('/plain');
await at('/queries?a=1');
await at('/queries?a=2');
await at('/both');
await at('/both?a=1');
await at('/twice');
await at('/twice');
await archive(await at('/moved'));
await at('/moved');
await archive(await at('/gone'));
await at('/else', { externalId: 'by-name' });
await at('/other', { externalId: '/slashed' });
await at('/semi;v=1');
await made(postern, '/v1/collections', { name: 'Blog', hosts: ['blog.example'], policyId });

const URLS = [
  '/plain',
  '/plain?x=1',
  '/queries',
  '/queries?a=1',
  '/queries?a=3',
  '/both?a=1',
  '/both?a=9',
  '/twice',
  '/moved',
  '/gone',
  '/by-name',
  '/slashed',
  '/none',
  '/semi;v=1',
  '/semi;v=2',
  '/semi',
  '/plain;x',
  '/plain%3Fx',
  '/%E0%A4%85',
].map((path) => HOST + path);
const ALL = [
  ...URLS,
  'https://blog.example/x',
  'https://blog.example/x;y',
  'https://blog.example:81/x',
  URLS[0] as string,
];

const outcome = (one: any) =>
  one.error === undefined ? [one.contentId, one.collectionId, one.allowed] : [one.error.code, one.error.message];

test('the same as one by one, both read from the records', async () => {
  await postern.restart();
  const checks = ALL.map((url) => ({ url, dryRun: true }));
  const { body } = await postern.call('POST', '/v1/access/check/batch', { body: { checks } });
  for (const [i, url] of ALL.entries()) {
    await postern.restart();
    const single = await postern.call('POST', '/v1/access/check', { body: { url, dryRun: true } });
    assert.deepEqual(outcome(body.data[i]), outcome(single.body), url);
  }
  assert.ok(body.data.filter((one: any) => one.allowed === true).length >= 9);
});

test('long URLs and many patterns delay no other request', async () => {
  const paths = Array.from({ length: 1000 }, (_, i) => `/*p${i}*q$`);
  await made(postern, '/v1/collections', { name: 'Wild', hosts: ['wild.example'], paths, policyId });
  const checks = Array.from({ length: 200 }, (_, i) => ({
    url: `https://wild.example/${'p1'.repeat(800)}${i}q`,
    dryRun: true,
  }));
  const share = await longestTurn(async () => {
    const { data } = await made(postern, '/v1/access/check/batch', { checks }, 200);
    assert.deepEqual(new Set(data.map(({ url }: { url: string | undefined }) => typeof url)), new Set(['string']));
  });
  assert.ok(share < 0.3, String(share));
});
