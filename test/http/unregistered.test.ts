/** The list of requests that are not registered, on the wire; what it counts is in test/unregistered. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const NOON = Date.UTC(2026, 10, 20, 12);
const ROWS = [
  [NOON, 'www.example.com', '/news', 'GPTBot', '', 7],
  [NOON + 3_600_000, 'www.example.com', '/news', 'GPTBot', '', 2],
  [NOON, 'www.example.com', '', '', '', 3],
  [NOON, '', '', '', '', 1],
] as const;
await postern.tamper(
  ...ROWS.map((params) => ({
    sql: 'insert into unregistered (hour, host, path, crawler, requester_id, requests) values ($1, $2, $3, $4, $5, $6)',
    params,
  })),
);
const list = (query: string) => postern.call('GET', `/v1/analytics/unregistered${query}`);

test('rows are summed over the hours of the span, page by page', async () => {
  const answer = await list('?from=2026-11-20&to=2026-11-20&limit=2');
  assertStatus(answer, 200, 'the first page');
  const { nextCursor, ...first } = answer.body;
  const hours = { firstSeen: '2026-11-20T12:00:00.000Z', lastSeen: '2026-11-20T12:00:00.000Z' };
  const rest = { crawler: null, requesterId: null, ...hours };
  const news = { ...rest, host: 'www.example.com', path: '/news', crawler: 'GPTBot', requests: 9 };
  assert.deepEqual(first, {
    object: 'list',
    data: [
      { ...news, lastSeen: '2026-11-20T13:00:00.000Z' },
      { ...rest, host: 'www.example.com', path: null, requests: 3 },
    ],
    hasMore: true,
    totalCount: 3,
  });
  const { data } = (await list(`?from=2026-11-20&to=2026-11-20&cursor=${nextCursor}`)).body;
  assert.deepEqual(data, [{ ...rest, host: null, path: null, requests: 1 }]);
  const later = (await list('?from=2026-11-20T13:00:00Z&host=www.example.com')).body;
  assert.deepEqual([later.totalCount, later.data[0].requests], [1, 2]);
  const spelled = (await list('?from=2026-11-20T13:00:00Z&host=WWW.Example.com.')).body;
  assert.deepEqual(spelled.data, later.data);
  assert.equal((await list('?to=2026-11-19')).body.totalCount, 0);
});

test('unknown parameters, times and orders are refused', async () => {
  assertError(await list('?segment=news'), 'invalid_request', 'segment');
  assertError(await list('?from=yesterday'), 'invalid_request', 'from');
  for (const span of ['from=2026-11-21&to=2026-11-20', 'from=2026-11-20T12:30:00Z&to=2026-11-20T12:00:00Z']) {
    assertError(await list(`?${span}`), 'invalid_request', 'from');
  }
  assertError(await list('?sort=host'), 'invalid_request', 'sort');
  for (const host of ['', 'a b', 'bücher.example/']) {
    assertError(await list(`?host=${encodeURIComponent(host)}`), 'invalid_request', 'host');
  }
});
