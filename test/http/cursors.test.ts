/** Every list refuses a cursor that it did not issue for the same filters. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { bindCursor } from '../../src/api/http/cursor.ts';
import { assertError, item, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const { body: openapi } = await postern.call('GET', '/openapi.json', { key: null });
const { id: webhookId } = await made(postern, '/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] });
const HOST = 'www.example.com';
await postern.call('PUT', `/v1/sites/${HOST}`, { body: {} });
await made(postern, '/v1/requesters', { id: 'pol_default' });
await made(postern, '/v1/requesters', { id: 'holder' });
const { id: licenseId } = await made(postern, '/v1/licenses', { requesterId: 'holder', type: 'a' });
const { token } = await made(postern, '/v1/requesters/holder/tokens', { name: 't' });
const keyFor = (path: string): { key?: string } => (path.startsWith('/v1/me') ? { key: token } : {});
const { id: collectionId } = await made(postern, '/v1/collections', { name: 'C', paths: ['/'] });
const { id: contentId } = await made(postern, '/v1/content', item());
const OWNERS: Record<string, string> = {
  webhooks: webhookId,
  licenses: licenseId,
  collections: collectionId,
  content: contentId,
};
const ownerOf = (path: string): string => OWNERS[path.split('/')[2] as string] ?? 'pol_default';
const lists = Object.entries(openapi.paths as Record<string, { get?: { parameters?: { name: string }[] } }>)
  .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'cursor'))
  .map(([path]) => path.replace('{id}', ownerOf(path)).replace('{host}', HOST));

/** The cursor as the list at this path would issue it, around a position that it would not. */
function issued(path: string, position: string): string {
  const owner = path.includes(HOST) ? { host: HOST } : { id: ownerOf(path) };
  const [[name, value]] = Object.entries(owner) as [[string, string]];
  const isOfOne = path.split('/').includes(value);
  const url = isOfOne ? path.replace(`/${value}`, `/:${name}`) : path;
  return bindCursor({ routeOptions: { url }, params: isOfOne ? owner : {}, query: {} }, position);
}

const encoded = (position: string): string => Buffer.from(position).toString('base64url');
const BODY = '0'.repeat(26);

const HOSTILE = [
  '',
  'x',
  '=',
  'a'.repeat(5000),
  ...[
    '9'.repeat(16),
    '9'.repeat(19),
    '9'.repeat(400),
    '0',
    '007',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '\u0661',
    'NaN',
    'Infinity',
    'null',
    '1; drop table content',
    '\0',
    "'",
    ...['cnt_', 'lrq_', 'key_', 'tok_', 'lic_', 'wh_', 'dlv_'].flatMap((prefix) => [
      `${prefix}${BODY}0`,
      `${prefix}${BODY}\n`,
      `${prefix}${'Z'.repeat(26)}`,
      `${prefix}${'_'.repeat(26)}`,
      `${prefix}${'i'.repeat(26)}`,
    ]),
  ].map(encoded),
  // The same bytes in other spellings.
  Buffer.from('12').toString('base64'),
  `${encoded('12')}=`,
  `${encoded('12').slice(0, -1)}J`,
];

/** Neither a number nor an id, or one that is longer than any of ours. */
const position = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => !/^\d{1,15}$/.test(text)),
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 40n }).map(String),
  fc.bigInt({ min: -(10n ** 20n), max: 0n }).map(String),
);

test('every list of the API is among them', () => assert.ok(lists.length >= 12, lists.join(' ')));

describe('cursors that are none of ours', () => {
  for (const path of lists) {
    const ask = (cursor: string) =>
      postern.call('GET', `${path}?limit=1&cursor=${encodeURIComponent(issued(path, cursor))}`, keyFor(path));
    test(`${path}: hostile ones`, async () => {
      for (const cursor of HOSTILE) assertError(await ask(cursor), 'invalid_cursor', 'cursor', cursor.slice(0, 40));
    });
    test(`${path}: random ones`, async () => {
      await fc.assert(
        fc.asyncProperty(position, async (text) => assertError(await ask(encoded(text)), 'invalid_cursor', 'cursor')),
        { numRuns: 40 },
      );
    });
    test(`${path}: the highest that could be ours is no fault`, async () => {
      const answers = await Promise.all(
        [
          '9'.repeat(15),
          ...['cnt_', 'key_', 'tok_', 'lic_', 'wh_', 'dlv_'].map((prefix) => prefix + 'z'.repeat(26)),
        ].map((text) => ask(encoded(text))),
      );
      for (const answer of answers) assert.ok(answer.status === 200 || answer.status === 400, answer.text);
    });
  }
});

describe('a cursor that was issued', () => {
  const walk = (query: string, method = 'GET') => postern.call(method, `/v1/content?limit=2${query}`);
  const next = async (query = ''): Promise<string> => (await walk(query)).body.nextCursor;

  before(async () => {
    for (let i = 0; i < 6; i++)
      await made(postern, '/v1/content', item({ type: i % 2 === 0 ? 'article' : 'report', tags: ['t'] }));
  });

  test('is of its filters: with others it is refused, in any order it is not', async () => {
    const cursor = await next('&type=article&tag=t');
    assert.equal((await walk(`&tag=t&cursor=${cursor}&type=article`)).body.data.length, 1);
    for (const query of ['', '&type=article', '&type=report&tag=t', '&type=article&tag=t&q=a']) {
      const answer = await walk(`${query}&cursor=${cursor}`);
      assertError(answer, 'invalid_cursor', 'cursor', query);
      assert.match(answer.body.error.message, /with its filters/);
    }
    assertError(await walk(`&type=article&cursor=${await next()}`), 'invalid_cursor', 'cursor');
  });

  test('is of its list', async () => {
    const [one, other] = await Promise.all(
      ['A', 'B'].map((name) => made(postern, '/v1/policies', { name, rules: [] })),
    );
    for (const { id } of [one, other])
      for (const name of ['C', 'D']) await postern.call('PATCH', `/v1/policies/${id}`, { body: { name } });
    const versions = (id: string, query = '') => postern.call('GET', `/v1/policies/${id}/versions?limit=1${query}`);
    const { nextCursor } = (await versions(one.id)).body;
    assert.equal((await versions(one.id, `&cursor=${nextCursor}`)).body.data.length, 1);
    assertError(await versions(other.id, `&cursor=${nextCursor}`), 'invalid_cursor', 'cursor');
    assertError(await postern.call('GET', `/v1/policies?cursor=${await next()}`), 'invalid_cursor', 'cursor');
  });

  test('goes on with another limit, with `expand`, and for HEAD', async () => {
    const cursor = await next();
    assert.equal((await postern.call('GET', `/v1/content?limit=100&expand=policy&cursor=${cursor}`)).status, 200);
    assert.equal((await walk(`&cursor=${cursor}`, 'HEAD')).status, 200);
  });

  test('is refused in part, or with more behind it', async () => {
    const cursor = await next();
    for (let at = 1; at < cursor.length; at++)
      assertError(await walk(`&cursor=${cursor.slice(0, at)}`), 'invalid_cursor', 'cursor', String(at));
    for (const more of ['.', 'A', '.A'])
      assertError(await walk(`&cursor=${cursor}${more}`), 'invalid_cursor', 'cursor');
  });
});
