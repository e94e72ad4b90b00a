/** The usage report: every parameter, and that its numbers agree with each other and with the decision log. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { dropDatabase, startTestService, type TestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { allowAll, assertError, assertStatus, check, item, MOMENT, made, makeItem, makePolicy } from './given.ts';

const DAY = 86_400_000;
const clock = testClock(Date.parse('2026-11-02T09:30:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const raw = (query = '', of: TestService = postern) => of.call('GET', `/v1/analytics/usage${query}`);
const usage = async (query = '', of: TestService = postern): Promise<Any> => {
  const answer = await raw(query, of);
  assertStatus(answer, 200, query);
  const { summary, timeSeries, byDenialReason } = answer.body;
  const sum = (rows: Any[], key: string) => rows.reduce((total, row) => total + row[key], 0);
  assert.equal(summary.totalRequests, summary.allowed + summary.denied, query);
  assert.equal(sum(timeSeries, 'requests'), summary.totalRequests, query);
  assert.equal(sum(timeSeries, 'allowed'), summary.allowed, query);
  assert.equal(sum(timeSeries, 'denied'), summary.denied, query);
  assert.equal(sum(byDenialReason, 'count'), summary.denied, query);
  assert.deepEqual(
    timeSeries.map((one: Any) => one.date),
    timeSeries.map((one: Any) => one.date).toSorted(),
    query,
  );
  return answer.body;
};
const dates = async (query: string) => (await usage(query)).timeSeries.map((one: Any) => one.date);

// Monday 2 November to Saturday 21 November: a known story.
const rules = [
  { action: 'deny', conditions: { purpose: 'bad' } },
  { action: 'deny', conditions: { hasValidLicense: false, purpose: 'training' } },
  { action: 'allow', conditions: {} },
];
const policy = await makePolicy(postern, rules);
const news = await made(postern, '/v1/content', item({ externalId: 'news/1', title: 'News', policyId: policy.id }));
const film = await made(
  postern,
  '/v1/content',
  item({ externalId: 'film', title: 'Film', type: 'video', policyId: policy.id }),
);
const ask = (contentId: string, requesterId?: string, purpose?: string) =>
  check(postern, { contentId, requesterId, purpose });
await ask(news.id, 'a'); // 2 Nov 09:30
clock.advance(13 * DAY); // 15 Nov, a Sunday
await ask(news.id, 'b', 'bad');
await ask(film.id, 'b');
clock.advance(DAY + 14 * 3_600_000); // 16 Nov 23:30
await ask(film.id, 'a', 'training');
await ask(film.id);
clock.advance(5 * DAY - 14 * 3_600_000); // 21 Nov 09:30
await ask(news.id, 'c');
await ask(news.id, 'c', 'training');
await ask(news.id, undefined, 'bad');
await check(postern, { contentId: news.id, requesterId: 'dry', dryRun: true });

const NONE_OBSERVED = { observed: { requests: 0, wouldAllow: 0, wouldDeny: 0 } };

describe('the report', () => {
  test('of everything', async () => {
    const body = await usage('?period=all');
    assert.deepEqual(body.summary, {
      totalRequests: 8,
      allowed: 4,
      denied: 4,
      uniqueRequesters: 3,
      uniqueContent: 2,
      uniquePages: 0,
      ...NONE_OBSERVED,
    });
    assert.equal(body.timeSeries.length, 20);
    assert.deepEqual(body.timeSeries[0], { date: '2026-11-02', requests: 1, allowed: 1, denied: 0 });
    assert.deepEqual(body.timeSeries.at(-1), { date: '2026-11-21', requests: 3, allowed: 1, denied: 2 });
    assert.deepEqual(body.topContent, [
      { id: news.id, title: 'News', requests: 5 },
      { id: film.id, title: 'Film', requests: 3 },
    ]);
    const named = body.topRequesters.filter((one: Any) => one.id !== null);
    assert.deepEqual(named, [
      { id: 'a', name: 'a', requests: 2 },
      { id: 'b', name: 'b', requests: 2 },
      { id: 'c', name: 'c', requests: 2 },
    ]);
    const reasons = Object.fromEntries(body.byDenialReason.map((one: Any) => [one.reason, one.count]));
    assert.deepEqual(reasons, { policy_denied: 2, no_license: 2 });
  });
  test('stats of an item are period=all filtered to it', async () => {
    for (const one of [news, film]) {
      const { stats } = (await postern.call('GET', `/v1/content/${one.id}`)).body;
      const { summary } = await usage(`?period=all&contentId=${one.id}`);
      assert.deepEqual(stats, {
        totalRequests: summary.totalRequests,
        allowedRequests: summary.allowed,
        deniedRequests: summary.denied,
      });
    }
  });
  test('with the trends of the top lists and the preceding period', async () => {
    const body = await usage('?startDate=2026-11-16&endDate=2026-11-21&expand=trends&compare=previous');
    assert.deepEqual(body.topContent, [
      { id: news.id, title: 'News', requests: 3, trend: [0, 0, 0, 0, 0, 3] },
      { id: film.id, title: 'Film', requests: 2, trend: [2, 0, 0, 0, 0, 0] },
    ]);
    assert.deepEqual(
      body.topRequesters.map((one: Any) => [one.id, one.trend]),
      [
        ['c', [0, 0, 0, 0, 0, 2]],
        ['a', [1, 0, 0, 0, 0, 0]],
      ],
    );
    assert.deepEqual(body.previous, {
      startDate: '2026-11-10T00:00:00.000Z',
      endDate: '2026-11-16T00:00:00.000Z',
      summary: {
        totalRequests: 2,
        allowed: 1,
        denied: 1,
        uniqueRequesters: 1,
        uniqueContent: 2,
        uniquePages: 0,
        ...NONE_OBSERVED,
      },
    });
    const { summary } = await usage('?startDate=2026-11-10&endDate=2026-11-15');
    assert.deepEqual(body.previous.summary, summary);
    assert.equal((await usage('?period=all&compare=previous')).previous, null);
    const nothing = await usage('?contentId=unknown&expand=trends&compare=previous');
    assert.equal(nothing.previous.summary.totalRequests, 0);
    assertError(await raw('?period=year&groupBy=hour&limit=12&expand=trends'), 'invalid_request', 'expand');
  });
  test('of one reason: who is turned away for it, and from what', async () => {
    const body = await usage('?reason=no_license');
    assert.deepEqual(body.summary, {
      totalRequests: 2,
      allowed: 0,
      denied: 2,
      uniqueRequesters: 2,
      uniqueContent: 2,
      uniquePages: 0,
      ...NONE_OBSERVED,
    });
    assert.deepEqual(body.byDenialReason, [{ reason: 'no_license', count: 2 }]);
    assert.deepEqual(
      body.topRequesters.map((one: Any) => one.id),
      ['a', 'c'],
    );
    assertError(await raw('?reason=no_licence'), 'invalid_request', 'reason');
  });
  const totals: [string, number][] = [
    ['', 8],
    ['?period=7d', 7],
    ['?period=30d', 8],
    ['?period=90d', 8],
    ['?period=year', 8],
    ['?contentId=news%2F1', 5],
    [`?contentId=${film.id}`, 3],
    ['?contentId=unknown', 0],
    ['?requesterId=a', 2],
    ['?requesterId=nobody', 0],
    ['?requesterId=dry', 0],
    ['?type=video', 3],
    ['?type=article', 5],
    ['?type=image', 0],
    ['?type=video&requesterId=b', 1],
    ['?reason=no_license', 2],
    ['?reason=policy_denied', 2],
    ['?reason=license_expired', 0],
    ['?reason=no_license&type=video', 1],
    ['?reason=policy_denied&requesterId=b', 1],
    ['?reason=no_license&startDate=2026-11-17', 1],
    ['?startDate=2026-11-15', 7],
    ['?startDate=2026-11-16', 5],
    ['?endDate=2026-11-15', 3],
    ['?startDate=2026-11-15&endDate=2026-11-15', 2],
    ['?startDate=2026-11-15&endDate=2026-11-16', 4],
    ['?startDate=2026-11-15T00:00:00Z&endDate=2026-11-16T00:00:00Z', 2],
    ['?startDate=2026-11-15T09:30:00Z&endDate=2026-11-16T23:30:00Z', 2],
    ['?startDate=2026-11-15T09:30:00Z&endDate=2026-11-16T23:30:00.001Z', 4],
    ['?startDate=2026-11-15T09:30:00.001Z&endDate=2026-11-16T23:30:00.001Z', 2],
    ['?period=7d&startDate=2026-11-01&endDate=2026-11-30', 8],
    ['?startDate=2026-11-15T10:30:00%2B01:00&endDate=2026-11-15T10:30:01%2B01:00', 2],
    ['?startDate=2026-11-17&endDate=2026-11-17&timezone=Europe/Berlin', 2],
    ['?startDate=2026-11-16&endDate=2026-11-16&timezone=America/New_York', 2],
    ['?startDate=2027-01-01&endDate=2027-01-02', 0],
  ];
  for (const [query, total] of totals) {
    test(`${query}: ${total}`, async () => {
      for (const groupBy of ['hour', 'day', 'week', 'month']) {
        const body = await usage(`${query}${query === '' ? '?' : '&'}groupBy=${groupBy}`);
        assert.equal(body.summary.totalRequests, total, groupBy);
      }
    });
  }
});

describe('buckets', () => {
  test('7d is today and the six days before', async () => {
    const days = ['15', '16', '17', '18', '19', '20', '21'].map((day) => `2026-11-${day}`);
    assert.deepEqual(await dates('?period=7d'), days);
  });
  test('30d, 90d and year', async () => {
    assert.equal((await dates('')).length, 30);
    assert.equal((await dates('?period=30d')).length, 30);
    assert.equal((await dates('?period=90d')).length, 90);
    assert.equal((await dates('?period=year')).length, 365);
    assert.equal((await dates('?period=year'))[0], '2025-11-22');
  });
  test('a week is its Monday, a month its first, an hour its start', async () => {
    assert.deepEqual(await dates('?startDate=2026-11-08&endDate=2026-11-16&groupBy=week'), [
      '2026-11-02',
      '2026-11-09',
      '2026-11-16',
    ]);
    assert.deepEqual(await dates('?startDate=2026-10-31&endDate=2026-12-01&groupBy=month'), [
      '2026-10-01',
      '2026-11-01',
      '2026-12-01',
    ]);
    const hours = await dates('?startDate=2026-11-21&endDate=2026-11-21&groupBy=hour');
    assert.equal(hours.length, 24);
    assert.deepEqual(
      [hours[0], hours[9], hours[23]],
      ['2026-11-21T00:00:00Z', '2026-11-21T09:00:00Z', '2026-11-21T23:00:00Z'],
    );
  });
  test('a date-time end is exclusive', async () => {
    assert.deepEqual(await dates('?startDate=2026-11-20&endDate=2026-11-21T00:00:00Z'), ['2026-11-20']);
    assert.deepEqual(await dates('?startDate=2026-11-20&endDate=2026-11-21T00:00:00.001Z'), [
      '2026-11-20',
      '2026-11-21',
    ]);
  });
  test('start only: until now; end only: period back from it', async () => {
    assert.deepEqual(await dates('?startDate=2026-11-19'), ['2026-11-19', '2026-11-20', '2026-11-21']);
    const days = ['04', '05', '06', '07', '08', '09', '10'].map((day) => `2026-11-${day}`);
    assert.deepEqual(await dates('?period=7d&endDate=2026-11-10'), days);
    assert.equal((await dates('?endDate=2026-11-10')).length, 30);
  });
  test('a time zone moves all boundaries', async () => {
    const body = await usage('?startDate=2026-11-16&endDate=2026-11-17&timezone=Europe/Berlin');
    assert.deepEqual(body.timeSeries, [
      { date: '2026-11-16', requests: 0, allowed: 0, denied: 0 },
      { date: '2026-11-17', requests: 2, allowed: 1, denied: 1 },
    ]);
  });
  test('a day of 23 or 25 hours is one day, and has 23 or 25 hours', async () => {
    const zone = 'timezone=Europe/Berlin';
    assert.deepEqual(await dates(`?startDate=2026-03-28&endDate=2026-03-30&${zone}`), [
      '2026-03-28',
      '2026-03-29',
      '2026-03-30',
    ]);
    assert.deepEqual(await dates(`?startDate=2026-10-24&endDate=2026-10-26&${zone}`), [
      '2026-10-24',
      '2026-10-25',
      '2026-10-26',
    ]);
    assert.equal(
      (await raw(`?startDate=2026-03-29&endDate=2026-03-29&groupBy=hour&${zone}`)).body.timeSeries.length,
      23,
    );
    assert.equal(
      (await raw(`?startDate=2026-10-25&endDate=2026-10-25&groupBy=hour&${zone}`)).body.timeSeries.length,
      25,
    );
  });
  test('at most 10,000', async () => {
    const from = Date.parse('2025-01-01T00:00:00Z');
    const to = (hours: number) => new Date(from + hours * 3_600_000).toISOString();
    const query = (hours: number) => `?startDate=2025-01-01T00:00:00Z&endDate=${to(hours)}&groupBy=hour`;
    for (const hours of [9999, 10_000]) assert.equal((await usage(query(hours))).timeSeries.length, hours);
    assertError(await raw(query(10_001)), 'invalid_request');
    assertError(await raw('?startDate=0001-01-01&endDate=9999-12-31'), 'invalid_request');
  });
});

test('a period at the end or the beginning of the calendar is told in four digits of the year', async () => {
  for (const query of [
    '?endDate=9999-12-31',
    '?startDate=9999-12-31&endDate=9999-12-31&timezone=America/New_York&groupBy=hour',
    '?startDate=9999-12-01&endDate=9999-12-31&groupBy=month',
    '?startDate=0000-01-01&endDate=0000-01-02&timezone=Asia/Tokyo',
    '?endDate=0000-06-01&period=year',
    '?startDate=0000-01-01T00:00:00%2B05:00&endDate=0000-01-01T00:00:00%2B04:00',
    '?startDate=9999-12-31T23:00:00-05:00&endDate=9999-12-31T23:30:00-05:00',
  ]) {
    const { period, timeSeries } = await usage(query);
    assert.match(period.startDate, MOMENT, query);
    assert.match(period.endDate, MOMENT, query);
    assert.ok(period.startDate <= period.endDate, query);
    for (const { date } of timeSeries) assert.match(date, /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/, query);
  }
});

describe('what is refused', () => {
  const wrong: [string, string | undefined][] = [
    ['?period=1d', 'period'],
    ['?groupBy=minute', 'groupBy'],
    ['?type=book', 'type'],
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=x', 'limit'],
    ['?timezone=Mars/Olympus', 'timezone'],
    ['?timezone=', 'timezone'],
    ['?startDate=yesterday', 'startDate'],
    ['?startDate=2026-02-30', 'startDate'],
    ['?startDate=2026-13-01', 'startDate'],
    ['?endDate=2026-11-21T25:00:00Z', 'endDate'],
    ['?endDate=', 'endDate'],
    ['?startDate=2026-11-21&endDate=2026-11-20', undefined],
    ['?startDate=2026-11-21T10:00:00Z&endDate=2026-11-21T09:00:00Z', undefined],
    ['?startDate=2030-01-01', undefined],
  ];
  for (const [query, param] of [...wrong, ['?startDate=0001-01-01&endDate=9999-12-31', 'groupBy'] as const]) {
    test(query, async () => {
      const answer = await raw(query);
      assertError(answer, 'invalid_request', param);
      assert.match(answer.body.error.message, /^[`A-Z].*[^.]\.$/, 'a sentence that names fields as code');
    });
  }
});

describe('top lists', () => {
  test('10 unless told, 1 to 100, by count, then id', async () => {
    await using own = await startTestService({ clock: testClock() });
    const { id: policyId } = await makePolicy(own, [allowAll]);
    const items = Array.from({ length: 110 }, () => item({ policyId }));
    await made(own, '/v1/content/bulk-upsert', { items }, 200);
    const checks = items.flatMap((one, i) =>
      Array.from({ length: 1 + (i % 3) }, () => ({ contentId: one.externalId, requesterId: `r${(i * 7) % 110}` })),
    );
    await made(own, '/v1/access/check/batch', { checks }, 200);
    const sizes: [string, number][] = [
      ['', 10],
      ['?limit=1', 1],
      ['?limit=99', 99],
      ['?limit=100', 100],
    ];
    for (const [query, size] of sizes) {
      const body = await usage(query, own);
      for (const list of [body.topContent, body.topRequesters]) {
        assert.equal(list.length, size);
        const sorted = [...list].toSorted((x, y) => y.requests - x.requests || (x.id < y.id ? -1 : 1));
        assert.deepEqual(list, sorted);
      }
      assert.equal(body.topContent[0].requests, 3);
    }
  });
});

test('a report includes every check that was acknowledged before it was asked for', async () => {
  await using own = await startTestService();
  const { id } = await makeItem(own, [allowAll]);
  for (let total = 1; total <= 25; total++) {
    await check(own, { contentId: id, requesterId: `r${total}` });
    const { summary } = await usage('', own);
    assert.deepEqual([summary.totalRequests, summary.uniqueRequesters], [total, total]);
  }
  await Promise.all(Array.from({ length: 60 }, () => check(own, { contentId: id })));
  assert.equal((await usage('', own)).summary.totalRequests, 85);
});

test('type is that of the item now; an empty service has an empty report', async () => {
  await using own = await startTestService();
  assert.equal((await usage('', own)).summary.totalRequests, 0);
  assert.ok((await raw('?period=all', own)).status === 200);
});

test('the columns may be deleted: they are rebuilt from the records', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-usage-'));
  let text: string;
  let key: string;
  const time = testClock();
  {
    await using own = await startTestService({ dataDir, clock: time });
    key = own.key;
    const { id } = await makeItem(own, rules);
    await made(
      own,
      '/v1/access/check/batch',
      { checks: Array.from({ length: 500 }, (_, i) => ({ contentId: id, requesterId: `r${i % 50}` })) },
      200,
    );
    const gone = await makeItem(own, rules);
    await check(own, { contentId: gone.id });
    await own.call('DELETE', `/v1/content/${gone.id}`);
    text = (await own.call('GET', '/v1/analytics/usage')).text;
  }
  const columns = readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => /duckdb|columns/.test(name));
  assert.ok(columns.length > 0);
  for (const name of columns) rmSync(join(dataDir, name), { recursive: true, force: true });
  assert.ok(!existsSync(join(dataDir, columns[0] as string)));
  {
    await using own = await startTestService({ dataDir, clock: time });
    const again = await own.call('GET', '/v1/analytics/usage', { key });
    assert.equal(again.text, text);
    assert.equal(JSON.parse(text).summary.totalRequests, 500);
  }
  rmSync(dataDir, { recursive: true, force: true });
  await dropDatabase(dataDir);
});

test('the report agrees with a fold over the decision log', async () => {
  const { text } = await postern.call('GET', '/v1/access/decisions', { headers: { accept: 'application/x-ndjson' } });
  const decisions: Any[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const requesterId of [undefined, 'a', 'b', 'c']) {
    for (const one of [undefined, news, film]) {
      const mine = decisions.filter(
        (each) =>
          (requesterId === undefined || each.requesterId === requesterId) &&
          (one === undefined || each.contentId === one.id),
      );
      const query = new URLSearchParams({ period: 'all' });
      if (requesterId !== undefined) query.set('requesterId', requesterId);
      if (one !== undefined) query.set('contentId', one.externalId);
      const { summary } = await usage(`?${query}`);
      assert.deepEqual(summary, {
        totalRequests: mine.length,
        allowed: mine.filter((each) => each.allowed).length,
        denied: mine.filter((each) => !each.allowed).length,
        uniqueRequesters: new Set(mine.map((each) => each.requesterId).filter((id) => id !== null)).size,
        uniqueContent: new Set(mine.map((each) => each.contentId)).size,
        uniquePages: 0,
        ...NONE_OBSERVED,
      });
    }
  }
});

test('the columns start with the first decision, not before; on a cluster others decide too, so at once', async () => {
  const time = testClock();
  await using own = await startTestService({ clock: time });
  const isStarted = () => existsSync(join(own.dataDir, 'columns.duckdb'));
  if (testEngine() === 'sqlite') {
    await made(own, '/v1/requesters', { id: 'ending' });
    // Each is announced by work that is done twice as often as the work that would start them.
    for (const [i, type] of ['a', 'b', 'c'].entries()) {
      const expiresAt = new Date(time.now() + 1_000).toISOString();
      await made(own, '/v1/licenses', { requesterId: 'ending', type, expiresAt });
      time.advance(2_000);
      const ended = async () => (await own.call('GET', '/v1/events?type=license.expired')).body.totalCount;
      await until(`the end of license ${type}`, async () => (await ended()) === i + 1);
    }
    assert.ok(!isStarted());
  }
  await check(own, { contentId: (await makeItem(own, [allowAll])).id });
  await until('the columns', isStarted);
});
