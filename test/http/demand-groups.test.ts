/** Demand by requester, crawler, collection, purpose and lacking license: a second count over recorded decisions. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seeded } from '../../kit/random.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, made, makeKey, makePolicy } from './given.ts';

const HOUR_MS = 3_600_000;
const clock = testClock(Date.parse('2026-10-01T00:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;
const read = async (query: string): Promise<Any> => {
  const answer = await postern.call('GET', `/v1/analytics/demand?${query}`);
  assertStatus(answer, 200, query);
  return answer.body;
};

// Which license a denial lacks depends on the purpose.
const policy = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: ['training', 'everything'], purpose: 'training' } },
  { action: 'deny', conditions: { purpose: 'spam' } },
  { action: 'allow', conditions: { licenseType: 'everything', purpose: 'search' } },
  { action: 'allow', conditions: { hasValidLicense: true, purpose: 'preview' } },
]);
const LACKING: Record<string, { licenseTypes: string[]; anyLicense: boolean }> = {
  training: { licenseTypes: ['everything', 'training'], anyLicense: false },
  search: { licenseTypes: ['everything'], anyLicense: false },
  preview: { licenseTypes: [], anyLicense: true },
};
const collections: Any[] = [];
for (const [name, path] of [
  ['News', '/news/'],
  ['Archive', '/archive/'],
]) {
  const selector = { hosts: ['www.example.com'], paths: [path] };
  collections.push(await made(postern, '/v1/collections', { name, ...selector, policyId: policy.id }));
}
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });

interface Asked {
  requesterId: string | null;
  crawler: string | null;
  collectionId: string;
  purpose: string;
  url: string;
  at: number;
}
const asked: Asked[] = [];
const random = seeded(11);
const { pick } = random;
for (let hour = 0; hour < 240; hour++) {
  const checks = Array.from({ length: 5 }, () => ({
    requesterId: pick([null, null, 'acme', 'globex']),
    crawler: pick([null, 'GPTBot', 'CCBot']),
    collection: pick(collections),
    purpose: pick(['training', 'training', 'search', 'preview', 'spam']),
    n: random.int(0, 3),
  }));
  const { data } = await made(
    postern,
    '/v1/access/check/batch',
    {
      checks: checks.map(({ requesterId, crawler, collection, purpose, n }) => ({
        url: `https://www.example.com${collection.paths[0]}${n}`,
        ...(requesterId === null ? {} : { requesterId }),
        ...(crawler === null ? {} : { context: { userAgent: `${crawler}/1.0` } }),
        purpose,
      })),
    },
    200,
  );
  for (const [i, { requesterId, crawler, collection, purpose }] of checks.entries()) {
    const { reason, url, created } = data[i];
    assert.equal(reason, purpose === 'spam' ? 'policy_denied' : 'no_license');
    if (purpose === 'spam') continue;
    asked.push({ requesterId, crawler, collectionId: collection.id, purpose, url, at: Date.parse(created) });
  }
  clock.advance(HOUR_MS);
}

const KEYS: Record<string, (one: Asked) => unknown> = {
  who: ({ requesterId, crawler }) => requesterId ?? crawler ?? 'no_user_agent',
  requester: ({ requesterId }) => requesterId,
  crawler: ({ crawler }) => crawler,
  collection: ({ collectionId }) => collectionId,
  purpose: ({ purpose }) => purpose,
  licenseType: ({ purpose }) => LACKING[purpose],
};
const FIELDS: Record<string, (row: Any) => unknown> = {
  who: ({ who }) => who.id ?? who.kind,
  requester: ({ requesterId }) => requesterId,
  crawler: ({ crawler }) => crawler,
  collection: ({ collectionId }) => collectionId,
  purpose: ({ purpose }) => purpose,
  licenseType: ({ license }) => license,
};
const [FROM, TO] = [Date.parse('2026-10-05T00:00:00Z'), Date.parse('2026-10-09T00:00:00Z')];
const SPAN = 'from=2026-10-05&to=2026-10-08';

/** The second count: [key, denied, previous, since, URLs], in no order. */
function counted(by: string[], some = asked): unknown[] {
  const keyOf = (one: Asked): string => JSON.stringify(by.map((name) => KEYS[name]?.(one)));
  return [...Map.groupBy(some, keyOf)].flatMap(([key, own]) => {
    const now = own.filter(({ at }) => at >= FROM && at < TO);
    const before = own.filter(({ at }) => at >= FROM - (TO - FROM) && at < FROM);
    const since = new Date(Math.min(...own.map(({ at }) => at))).toISOString();
    return now.length === 0 ? [] : [[key, now.length, before.length, since, new Set(now.map(({ url }) => url)).size]];
  });
}
const shown = (by: string[], rows: Any[]): unknown[] =>
  rows.map((row) => [
    JSON.stringify(by.map((name) => FIELDS[name]?.(row))),
    row.denied,
    row.previous,
    row.since,
    row.uniqueUrls,
  ]);
const inOrder = (rows: unknown[]): unknown[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

async function walk(query: string, limit: number): Promise<Any[]> {
  const rows: Any[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Any = await read(`${query}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    rows.push(...page.data);
    cursor = page.nextCursor;
  }
  return rows;
}

for (const by of [
  ['requester'],
  ['who'],
  ['crawler'],
  ['collection'],
  ['purpose'],
  ['licenseType'],
  ['requester', 'crawler'],
  ['who', 'purpose'],
  ['requester', 'crawler', 'collection', 'purpose', 'licenseType'],
]) {
  test(`by ${by.join(', ')}, on pages of any length`, async () => {
    const query = `${SPAN}&groupBy=${by.join(',')}`;
    const expected = inOrder(counted(by));
    for (const limit of [4, 100]) assert.deepEqual(inOrder(shown(by, await walk(query, limit))), expected);
    assert.equal((await read(query)).totalCount, expected.length);
    for (const order of ['asc', 'desc']) {
      const rows = await walk(`${query}&sort=change&order=${order}`, 5);
      const values = rows.map(({ denied, previous }) => (denied - previous) * (order === 'asc' ? 1 : -1));
      assert.deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      );
      assert.equal(rows.length, expected.length);
    }
  });
}

test('a visitor has a row by default, and all without a requester share one only where that is asked for', async () => {
  const rows = await walk(SPAN, 3);
  assert.deepEqual(inOrder(shown(['who'], rows)), inOrder(counted(['who'])));
  assert.deepEqual(rows, await walk(`${SPAN}&groupBy=who`, 100));
  const known = (some: Any[]) => some.filter(({ requesterId }) => requesterId !== null);
  const byRequester = await walk(`${SPAN}&groupBy=requester`, 100);
  assert.equal(byRequester.length, known(byRequester).length + 1);
  assert.ok(known(rows).length > 1);
  assert.deepEqual(
    known(rows).map(({ who: _, ...row }) => row),
    known(byRequester),
  );
  const csv = await postern.call('GET', `/v1/analytics/demand?${SPAN}`, { headers: { accept: 'text/csv' } });
  const names = csv.text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',').at(-1));
  assert.deepEqual(names.toSorted(), ['Acme', 'CCBot', 'GPTBot', 'globex', 'no user agent'].toSorted());
});

test('names of crawlers and requesters are found, the words for kinds are not', async () => {
  const found = async (q: string): Promise<unknown[]> =>
    (await walk(`${SPAN}&groupBy=who&q=${q}`, 100)).map(({ who }) => who.name).toSorted();
  assert.deepEqual(await found('crawler'), []);
  const names = (await walk(`${SPAN}&groupBy=who`, 100)).map(({ who }) => who.name ?? '');
  assert.deepEqual(await found('bot'), names.filter((name) => /bot/i.test(name)).toSorted());
});

test('what each row lacks adds up to it', async () => {
  for (const row of (await read(`${SPAN}&groupBy=collection`)).data) {
    for (const list of [row.byLicense, row.purposes]) {
      assert.equal(
        list.reduce((sum: number, { denied }: Any) => sum + denied, 0),
        row.denied,
      );
    }
    assert.equal(
      row.trend.reduce((sum: number, n: number) => sum + n, 0),
      row.denied,
    );
    assert.equal(row.collectionName, collections.find(({ id }) => id === row.collectionId).name);
    assert.deepEqual(row.crawlers.map(({ crawler }: Any) => crawler).toSorted(), ['CCBot', 'GPTBot']);
  }
});

test('by a type: also where it is one of several, or any license would do', async () => {
  for (const [type, purposes] of [
    ['everything', ['training', 'search', 'preview']],
    ['training', ['training', 'preview']],
    ['unheard-of', ['preview']],
  ] as const) {
    const some = asked.filter(({ purpose }) => (purposes as readonly string[]).includes(purpose));
    const rows = await walk(`${SPAN}&groupBy=purpose&licenseType=${type}`, 100);
    assert.deepEqual(inOrder(shown(['purpose'], rows)), inOrder(counted(['purpose'], some)), type);
  }
});

test('periods as usage has them, in a time zone', async () => {
  const total = async (query: string): Promise<number> =>
    (await walk(query, 100)).reduce((sum, { denied }) => sum + denied, 0);
  const since = (time: string): number => asked.filter(({ at }) => at >= Date.parse(time)).length;
  assert.equal(await total('period=7d'), since('2026-10-05T00:00:00Z'));
  assert.equal(await total('period=7d&timezone=Europe/Berlin'), since('2026-10-04T22:00:00Z'));
  assert.equal(await total('period=all'), asked.length);
  assert.equal(await total('period=all&to=2026-10-05'), asked.length - since('2026-10-06T00:00:00Z'));
});

test('at our prices: own terms, then the price list, then the newest valid license, of the cheapest type', async () => {
  const terms = (unitPriceMicros: number, more: object = {}) => ({
    currency: 'EUR',
    timezone: 'UTC',
    period: 'month',
    unit: 'decision',
    tiers: [
      { upTo: 10, unitPriceMicros },
      { upTo: null, unitPriceMicros: unitPriceMicros / 2 },
    ],
    flatMicros: 5_000_000,
    ...more,
  });
  const license = (type: string, more: object) => made(postern, '/v1/licenses', { requesterId: 'acme', type, ...more });
  const byLicense = async () => {
    const [row] = (await read(`${SPAN}&groupBy=purpose&purpose=training&requesterId=globex`)).data;
    return row.byLicense[0];
  };
  assert.equal((await byLicense()).estimate, null);
  // The price list is what a new license costs; a price for a month says nothing about requests.
  const offer = (type: string, body: object) => postern.call('PUT', `/v1/offers/${type}`, { body });
  const { body: priced } = await offer('training', { unitPriceMicros: 300_000, currency: 'EUR' });
  await offer('everything', { unitPriceMicros: 1, currency: 'EUR', unit: 'month' });
  const offered = await byLicense();
  assert.deepEqual(
    [offered.estimate.amount, offered.estimate.units, offered.estimate.basis],
    [
      (offered.denied * 0.3).toFixed(2),
      offered.denied,
      { licenseType: 'training', licenseId: null, termsVersion: null, offerId: priced.id, unit: 'decision' },
    ],
  );
  await license('training', { terms: terms(900_000) });
  const newest = await license('training', { terms: terms(100_000) });
  await license('training', { terms: terms(1_000), expiresAt: '2026-10-02T00:00:00Z' });
  await license('training', { terms: terms(1_000), status: 'suspended' });
  await license('everything', { terms: terms(100_000, { unit: 'distinct_content', purposes: ['training'] }) });
  const { denied, estimate } = await byLicense();
  const urls = (await read(`${SPAN}&groupBy=purpose&purpose=training&requesterId=globex`)).data[0].uniqueUrls;
  assert.ok(denied > 10 && urls <= 10);
  assert.deepEqual(
    [estimate.amount, estimate.units, estimate.basis.licenseType, estimate.basis.unit],
    [(urls * 0.1).toFixed(2), urls, 'everything', 'distinct_content'],
  );
  // Prices need a permission of their own.
  const key = await makeKey(postern, { permissions: ['analytics:read'] });
  const seen = await postern.call('GET', `/v1/analytics/demand?${SPAN}&groupBy=licenseType`, { key });
  assert.ok(seen.body.data.length > 0);
  for (const row of seen.body.data) for (const one of row.byLicense) assert.equal(one.estimate, null);
  await license('everything', { terms: terms(9_000_000) });
  // What others agreed on does not lower the price list.
  const listed = (await byLicense()).estimate;
  assert.deepEqual(
    [listed.amount, listed.units, listed.basis.licenseId, listed.basis.offerId],
    [(denied * 0.3).toFixed(2), denied, null, priced.id],
  );
  // The requester's own license would be amended, at its own terms, or renewed.
  await made(postern, '/v1/requesters', { id: 'globex' });
  const own = { requesterId: 'globex', terms: terms(200_000), expiresAt: '2026-10-02T00:00:00Z' };
  const { id: ownId } = await license('training', own);
  const amended = (await byLicense()).estimate;
  assert.deepEqual(
    [amended.amount, amended.units, amended.basis.licenseId, amended.basis.offerId],
    [(2 + (denied - 10) * 0.1).toFixed(2), denied, ownId, null],
  );
  await postern.call('POST', `/v1/licenses/${ownId}/revoke`, { body: {} });
  assert.deepEqual((await byLicense()).estimate, listed);
  await postern.call('DELETE', '/v1/requesters/globex');
  await postern.call('DELETE', '/v1/offers/training');
  const other = (await byLicense()).estimate;
  assert.deepEqual(
    [other.amount, other.units, other.basis.licenseId],
    [(1 + (denied - 10) * 0.05).toFixed(2), denied, newest.id],
  );
  await license('everything', { terms: terms(2, { currency: 'USD' }) });
  assert.equal((await byLicense()).estimate, null);
});

test('as a file, and refusals', async () => {
  const csv = await postern.call('GET', `/v1/analytics/demand?${SPAN}&groupBy=crawler,licenseType`, {
    headers: { accept: 'text/csv' },
  });
  const [head = '', ...lines] = csv.text.trim().split('\r\n');
  const column = head.split(',').indexOf('license');
  assert.deepEqual([...new Set(lines.map((line) => line.split(',')[column]))].toSorted(), [
    '(any)',
    'everything',
    'everything or training',
  ]);
  for (const groupBy of ['', 'license', 'purpose,purpose', 'requester,', 'requester;purpose'])
    assertError(await postern.call('GET', `/v1/analytics/demand?groupBy=${groupBy}`), 'invalid_request', 'groupBy');
});

test('the offer of a collection prices its row until the collection is deleted', async () => {
  const price = async (type: string, collectionId: string, unitPriceMicros: number) => {
    const place = collectionId === '' ? '' : `?collectionId=${collectionId}`;
    const body = { unitPriceMicros, currency: 'EUR' };
    return (await postern.call('PUT', `/v1/offers/${type}${place}`, { body })).body.id;
  };
  const sold = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'sold' } }]);
  const selector = { hosts: ['sold.example.com'], policyId: sold.id };
  const { id } = await made(postern, '/v1/collections', { name: 'Sold', ...selector });
  const check = { url: 'https://sold.example.com/1' };
  await postern.call('POST', '/v1/access/check', { body: check });
  const basis = async () => {
    const { data } = await read(`period=7d&groupBy=collection&collectionId=${id}`);
    return data[0].byLicense[0].estimate.basis.offerId;
  };
  const everywhere = await price('sold', '', 1_000_000);
  const own = await price('sold', id, 2_000_000);
  assert.equal(await basis(), own);
  await postern.call('DELETE', `/v1/collections/${id}`);
  assert.equal(await basis(), everywhere);
});
