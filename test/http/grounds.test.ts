/**
 * Collections, crawlers, verification, observing and the other grounds of decisions: filters of the log and of usage,
 * and groups, against a count over all decisions.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { findProgram } from '../../src/rules/crawlers/program.ts';
import { allowAll, assertError, assertStatus, item, made, makePolicy } from './given.ts';

type Any = any;
const postern = await startTestService({ clock: testClock() });
after(() => postern[Symbol.asyncDispose]());

const policy = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: 'training' } },
  { action: 'allow', conditions: { purpose: ['search', 'a%_'] } },
]);
const open = await makePolicy(postern, [allowAll]);
const add = (name: string, body: object) => made(postern, '/v1/collections', { name, policyId: policy.id, ...body });
const site = await add('The site', { hosts: ['www.example.com'] });
const news = await add('News', { hosts: ['www.example.com'], paths: ['/news/'] });
const trial = await add('Trial', { hosts: ['trial.example.com'], mode: 'observe' });
const other = await add('Open', { hosts: ['open.example.com'], policyId: open.id });
const { id: licenseId } = await (async () => {
  await made(postern, '/v1/requesters', { id: 'partner', name: 'Partner' });
  return made(postern, '/v1/licenses', { requesterId: 'partner', type: 'training' });
})();
await made(postern, '/v1/requesters', {
  id: 'ranged',
  userAgents: ['GPTBot'],
  identities: [{ kind: 'ip', ranges: ['192.0.2.0/24'] }],
});
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));

const WHERE = [
  { contentId: article.id },
  { url: 'https://www.example.com/news/100%25_sure' },
  { url: 'https://www.example.com/news/other' },
  { url: 'https://www.example.com/newsletter' },
  { url: 'https://www.example.com/news/world/?page=2' },
  { url: 'https://www.example.com/news/world/index.html' },
  { url: 'https://trial.example.com/news/1' },
  { url: 'https://open.example.com/' },
];
const WHO = [
  {},
  { requesterId: 'partner', context: { verified: 'token' } },
  { requesterId: 'stranger', context: { userAgent: 'GPTBot/1.2' } },
  { context: { userAgent: 'Mozilla/5.0 (compatible; ClaudeBot/1.0)', verified: 'ip' } },
  { context: { userAgent: 'GPTBot/1.2', ip: '198.51.100.7' } },
  { context: { userAgent: 'curl/8.5.0' } },
  {
    context: {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36',
    },
  },
];
const WHY = [{}, { purpose: 'search' }, { purpose: 'a%_', permission: 'full_access' }, { permission: 'training' }];
const checks = WHERE.flatMap((where, i) =>
  WHO.flatMap((who, j) =>
    WHY.flatMap((why) => Array.from({ length: 1 + ((i + j) % 3) }, () => ({ ...where, ...who, ...why }))),
  ),
);
const { data } = await made(postern, '/v1/access/check/batch', { checks }, 200);
assert.ok(data.every(({ recorded }: Any) => recorded === true));
assertStatus(await postern.call('DELETE', `/v1/collections/${other.id}`), 200, 'a deleted collection');

const get = async (path: string): Promise<Any> => {
  const answer = await postern.call('GET', `/v1/${path}`);
  assertStatus(answer, 200, path);
  return answer.body;
};
const streamed = async (query: string, accept: string): Promise<string[]> => {
  const answer = await postern.call('GET', `/v1/access/decisions?${query}`, { headers: { accept } });
  assertStatus(answer, 200, query);
  return answer.text.trim().split(/\r?\n/);
};
const log: Any[] = (await streamed('', 'application/x-ndjson')).map((line) => JSON.parse(line));

/** The page of a decision: the URL that stands for its file, without a query. */
const pageOf = ({ file, url }: Any): string | null => (file ?? url)?.split('?')[0] ?? null;
const isBelow = (one: Any, folder: string) => `${pageOf(one)}/`.startsWith(`${folder}/`);

/** Filters that the log and usage share, each with its meaning. */
const SHARED: [query: string, isMeant: (one: Any) => boolean][] = [
  [`collectionId=${news.id}`, (one) => one.collectionId === news.id],
  [`collectionId=${other.id}`, (one) => one.collectionId === other.id],
  ['collectionId=col_unknown', () => false],
  ['crawler=GPTBot', (one) => one.crawler === 'GPTBot'],
  ['crawler=gptbot', () => false],
  ['verified=true', (one) => one.verified !== null],
  ['verified=false', (one) => one.verified === null],
  ['verified=ip', (one) => one.verified === 'ip'],
  ['verified=dns', () => false],
  [`licenseId=${licenseId}`, (one) => one.licenseId === licenseId],
  ['purpose=search', (one) => one.purpose === 'search'],
  ['purpose=a%25_', (one) => one.purpose === 'a%_'],
  ...[0, 1, null].map((index): [string, (one: Any) => boolean] => [
    `rule=${policy.id}/1/${index ?? 'default'}`,
    (one) => one.policyId === policy.id && (one.matchedRule?.index ?? null) === index,
  ]),
  [`rule=${policy.id}/2/0`, () => false],
  ['rule=pol_unknown/1/0', () => false],
  ['spoofed=true', (one) => one.spoofed === true],
  ['spoofed=false', (one) => one.spoofed === undefined],
  ['permission=training', (one) => one.permission === 'training'],
  ...['www.example.com/news/world', 'https://WWW.example.com/news/world/', 'www.example.com/news/world/index.html'].map(
    (page): [string, (one: Any) => boolean] => [`page=${page}`, (one) => pageOf(one) === 'www.example.com/news/world'],
  ),
  ['page=www.example.com/news', () => false],
  ...['www.example.com/news', 'http://www.example.com/news/', 'www.example.com/news/index.html'].map(
    (page): [string, (one: Any) => boolean] => [`pagePrefix=${page}`, (one) => isBelow(one, 'www.example.com/news')],
  ),
  ['pagePrefix=www.example.com/new', () => false],
  ['pagePrefix=www.example.com', (one) => isBelow(one, 'www.example.com')],
  ['pagePrefix=example.com', () => false],
  [
    'pagePrefix=www.example.com/news&crawler=GPTBot',
    (one) => isBelow(one, 'www.example.com/news') && one.crawler === 'GPTBot',
  ],
  ['crawler=ClaudeBot&verified=ip&purpose=search', (one) => one.crawler === 'ClaudeBot' && one.purpose === 'search'],
];
const LOG_ONLY: typeof SHARED = [
  ['enforced=false', (one) => !one.enforced],
  ['enforced=true', (one) => one.enforced],
  ...['https://www.example.com/news/', 'www.example.com/news/', 'HTTP://WWW.example.com/news/'].map(
    (url): (typeof SHARED)[number] => [`url=${url}`, (one) => one.url?.startsWith('www.example.com/news/') === true],
  ),
  ['url=www.example.com/news/100%2525_', (one) => one.url === 'www.example.com/news/100%25_sure'],
  ['url=www.example.com/news/%25', () => false],
  ['url=www.example.com/new_', () => false],
  ['url=www', (one) => one.url?.startsWith('www') === true],
  ['url=example.com', () => false],
];

describe('filters of the log', () => {
  for (const [query, isMeant] of [...SHARED, ...LOG_ONLY]) {
    test(query, async () => {
      const ids = log.filter(isMeant).map(({ id }) => id);
      const page = await get(`access/decisions?${query}&limit=100`);
      assert.equal(page.totalCount, ids.length);
      assert.deepEqual(
        page.data.map(({ id }: Any) => id),
        ids.slice(0, 100),
      );
      const lines = (await streamed(query, 'application/x-ndjson')).filter((line) => line !== '');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).id),
        ids,
      );
      assert.equal((await streamed(query, 'text/csv')).length, ids.length + 1);
    });
  }
  test('together', async () => {
    assert.ok(log.length > 100 && log.some((one) => one.spoofed) && log.some((one) => !one.enforced));
    const found = await get(`access/decisions?collectionId=${trial.id}&enforced=false&allowed=false&crawler=GPTBot`);
    const meant = log.filter((one) => !one.enforced && !one.allowed && one.crawler === 'GPTBot');
    assert.equal(found.totalCount, meant.length);
    assert.ok(meant.length > 0);
  });
  test('values that cannot be meant are refused', async () => {
    for (const [query, param] of [
      ['verified=yes', 'verified'],
      ['enforced=1', 'enforced'],
      ['spoofed=', 'spoofed'],
      ['url=', 'url'],
      ['page=www.example.com/news?page=2', 'page'],
      ['page=/news', 'page'],
      ['pagePrefix=www.example.com/../news', 'pagePrefix'],
      ['crawler=', 'crawler'],
      [`rule=${policy.id}`, 'rule'],
      [`rule=${policy.id}/1/first`, 'rule'],
    ] as const) {
      assertError(await postern.call('GET', `/v1/access/decisions?${query}`), 'invalid_request', param);
    }
    const { body } = await postern.call('GET', `/v1/analytics/usage?rule=${policy.id}`);
    assert.match(body.error.message, /such as pol_…\/3\/0, or pol_…\/3\/default\.$/);
  });
  test('names of collections', async () => {
    const { data: named } = await get(`access/decisions?collectionId=${news.id}&expand=names&limit=1`);
    assert.equal(named[0].names.collection, 'News');
    const { data: deleted } = await get(`access/decisions?collectionId=${other.id}&expand=names&limit=1`);
    assert.equal(deleted[0].names.collection, null);
  });
});

const outcomes = (some: Any[]) => {
  const allowed = some.filter((one) => one.allowed).length;
  return { requests: some.length, allowed, denied: some.length - allowed };
};
const byCount = (some: Any[], keyOf: (one: Any) => string | null): [string | null, Any[]][] =>
  [...Map.groupBy(some, keyOf)].toSorted(([a, m], [b, n]) => n.length - m.length || ((a ?? '') < (b ?? '') ? -1 : 1));

/** Returns kind, id and proof of a visitor. */
function whoOf({ requesterId, crawler, spoofed, verified, context }: Any): string {
  if (requesterId !== null) return `requester ${requesterId}`;
  if (crawler !== null) return `crawler ${crawler} ${spoofed ? 'spoofed' : verified === null ? 'none' : 'verified'}`;
  const program = findProgram(context?.userAgent);
  return { browsers: 'browsers null', 'no user agent': 'no_user_agent null' }[program] ?? `program ${program}`;
}
const toText = ({ kind, id, proof }: Any): string => `${kind} ${id}${proof === undefined ? '' : ` ${proof}`}`;

describe('visitors', () => {
  const counts = (some: Any[]) => ({
    ...outcomes(some),
    verified: some.filter(({ verified }) => verified !== null).length,
    spoofed: some.filter(({ spoofed }) => spoofed === true).length,
  });
  for (const [query, isMeant] of [['', () => true] as const, ...SHARED]) {
    test(`visitors by page ${query}`, async () => {
      const meant = log.filter((one) => one.enforced && isMeant(one));
      const report = await get(`analytics/visitors?limit=50&pages=100&${query}`);
      const byWho = Map.groupBy(meant, whoOf);
      const byPage = (some: Any[]) =>
        Object.fromEntries(
          [
            ...Map.groupBy(
              some.filter(({ url }) => url !== null),
              pageOf,
            ),
          ].map(([page, own]) => [page, counts(own)]),
        );
      const toRecord = (pages: Any[]) => Object.fromEntries(pages.map(({ page, ...own }) => [page, own]));
      assert.deepEqual(toRecord(report.pages), byPage(meant));
      assert.deepEqual(
        Object.fromEntries(
          report.visitors.map(({ who, pages, trend, ...own }: Any) => {
            assert.equal(
              trend.reduce((sum: number, one: number) => sum + one, 0),
              own.requests,
            );
            assert.equal(trend.length, report.buckets.length);
            return [toText(who), { ...own, pages: toRecord(pages) }];
          }),
        ),
        Object.fromEntries([...byWho].map(([who, own]) => [who, { ...counts(own), pages: byPage(own) }])),
      );
      assert.deepEqual([report.uniqueVisitors, report.uniquePages], [byWho.size, Object.keys(byPage(meant)).length]);
    });
  }
  test('the first of each, a registered requester by its name, and as a file', async () => {
    const all = await get('analytics/visitors?limit=50&pages=100');
    const { visitors, pages, uniqueVisitors } = await get('analytics/visitors?limit=2&pages=3');
    assert.deepEqual(
      visitors.map(({ who }: Any) => who),
      all.visitors.slice(0, 2).map(({ who }: Any) => who),
    );
    assert.deepEqual(pages, all.pages.slice(0, 3));
    assert.equal(uniqueVisitors, all.visitors.length);
    assert.equal(all.visitors.find(({ who }: Any) => who.id === 'partner').who.name, 'Partner');
    const csv = await postern.call('GET', '/v1/analytics/visitors?limit=50&pages=100', {
      headers: { accept: 'text/csv' },
    });
    const lines = csv.text.trim().split('\r\n');
    assert.equal(lines[0], 'kind,id,name,proof,page,requests,allowed,denied,verified,spoofed');
    assert.equal(
      lines.length - 1,
      all.visitors.reduce((sum: number, one: Any) => sum + one.pages.length, 0),
    );
  });
});

describe('usage', () => {
  const NAMES: Record<string, string> = { [site.id]: 'The site', [news.id]: 'News', [trial.id]: 'Trial' };
  for (const [query, isMeant] of [['', () => true] as const, ...SHARED]) {
    test(`report ${query}`, async () => {
      for (const enforced of [true, false]) {
        const meant = log.filter((one) => isMeant(one));
        const counted = meant.filter((one) => one.enforced === enforced);
        const { requests, allowed, denied } = outcomes(counted);
        const observed = outcomes(meant.filter((one) => !one.enforced));
        const report = await get(`analytics/usage?${query}${enforced ? '' : '&enforced=false'}`);
        assert.deepEqual(report.summary, {
          totalRequests: requests,
          allowed,
          denied,
          uniqueRequesters: new Set(counted.flatMap((one) => one.requesterId ?? [])).size,
          uniqueContent: new Set(counted.flatMap((one) => one.contentId ?? [])).size,
          uniquePages: new Set(counted.flatMap((one) => pageOf(one) ?? [])).size,
          observed: { requests: observed.requests, wouldAllow: observed.allowed, wouldDeny: observed.denied },
        });
        assert.deepEqual(
          report.topPages,
          byCount(
            counted.filter((one) => one.url !== null),
            pageOf,
          )
            .map(([page, some]) => ({ page, requests: some.length }))
            .slice(0, 10),
        );
        assert.deepEqual(
          report.byCrawler,
          byCount(
            counted.filter((one) => one.crawler !== null),
            (one) => one.crawler,
          ).map(([crawler, some]) => ({
            crawler,
            ...outcomes(some),
            verified: some.filter((one) => one.verified !== null).length,
            spoofed: some.filter((one) => one.spoofed).length,
          })),
        );
        assert.deepEqual(
          report.byCollection,
          byCount(
            counted.filter((one) => one.collectionId !== null),
            (one) => one.collectionId,
          ).map(([id, some]) => ({ collectionId: id, name: NAMES[id as string] ?? null, ...outcomes(some) })),
        );
        assert.equal('groups' in report, false);
      }
    });
  }

  const KEYS: Record<string, (one: Any) => string | null> = {
    collection: (one) => one.collectionId,
    crawler: (one) => one.crawler,
    page: pageOf,
    program: ({ context }) => findProgram(context?.userAgent),
    verified: (one) => one.verified,
    license: (one) => one.licenseId,
    purpose: (one) => one.purpose,
    permission: (one) => one.permission,
    enforced: (one) => String(one.enforced),
    rule: (one) => `${one.policyId} ${one.policyVersion} ${one.matchedRule?.index ?? null}`,
  };
  const GROUPED: typeof SHARED = [
    ['', () => true],
    ['reason=policy_denied', (one) => one.reason === 'policy_denied'],
    ['type=article', (one) => one.contentId !== null],
    ['requesterId=partner', (one) => one.requesterId === 'partner'],
  ];
  const sorted = (rows: Any[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  for (const [by, keyOf] of Object.entries(KEYS)) {
    test(`groupBy=${by}`, async () => {
      const { groups, period, summary } = await get(`analytics/usage?groupBy=${by}&limit=100`);
      const meant = by === 'enforced' ? log : log.filter((one) => one.enforced);
      const toGroup = ([id, some]: [string | null, Any[]]) => {
        if (by === 'collection') return { id, name: NAMES[id ?? ''] ?? null, ...outcomes(some) };
        if (by !== 'rule') return { id, ...outcomes(some) };
        const [policyId, version, index] = (id as string).split(' ');
        const rule = { policyVersion: Number(version), ruleIndex: index === 'null' ? null : Number(index) };
        return { id: policyId, ...rule, ...outcomes(some) };
      };
      const groupsOf = (some: Any[]) => sorted(byCount(some, keyOf).map(toGroup));
      assert.deepEqual(sorted(groups), groupsOf(meant));
      const requests = groups.map((group: Any) => group.requests);
      assert.deepEqual(
        requests,
        requests.toSorted((a: number, b: number) => b - a),
      );
      assert.equal(period.groupBy, 'day');
      if (by !== 'enforced') assert.equal(summary.totalRequests, outcomes(meant).requests);
      for (const enforced of [true, false])
        for (const [query, isMeant] of GROUPED) {
          const report = await get(`analytics/usage?groupBy=${by}&limit=100&enforced=${enforced}&${query}`);
          const some = log.filter((one) => one.enforced === enforced && isMeant(one));
          assert.deepEqual(sorted(report.groups), groupsOf(some), `enforced=${enforced}&${query}`);
          assert.equal(report.summary.totalRequests, some.length);
        }
      const headers = { accept: 'text/csv' };
      const csv = await postern.call('GET', `/v1/analytics/usage?groupBy=${by}&limit=100`, { headers });
      const lines = csv.text.trim().split('\r\n');
      assert.equal(lines[0], 'id,name,policyVersion,ruleIndex,requests,allowed,denied');
      assert.equal(lines.length, groups.length + 1);
      assert.ok(lines[1]?.endsWith(`,${groups[0].requests},${groups[0].allowed},${groups[0].denied}`));
    });
  }

  test('buckets as CSV', async () => {
    const answer = await postern.call('GET', '/v1/analytics/usage?period=7d', { headers: { accept: 'text/csv' } });
    const { timeSeries } = await get('analytics/usage?period=7d');
    const rows = timeSeries.map((one: Any) => `${one.date},${one.requests},${one.allowed},${one.denied}`);
    assert.equal(answer.text, ['date,requests,allowed,denied', ...rows, ''].join('\r\n'));
    assert.match(String(answer.headers.get('content-type')), /^text\/csv/);
  });

  test('the comparison counts what was observed apart, too', async () => {
    const { summary } = await get('analytics/usage?startDate=2026-11-21&endDate=2026-11-21');
    const { previous } = await get('analytics/usage?startDate=2026-11-22&endDate=2026-11-22&compare=previous');
    assert.deepEqual(previous.summary, summary);
    assert.ok(summary.observed.requests > 0);
  });

  test('an item counts its enforced decisions', async () => {
    const { stats } = await get(`content/${article.id}`);
    const { requests, allowed, denied } = outcomes(log.filter((one) => one.contentId === article.id));
    assert.deepEqual(stats, { totalRequests: requests, allowedRequests: allowed, deniedRequests: denied });
  });

  test('the lists of requesters and of demand leave out what was observed', async () => {
    for (const enforced of [true, false]) {
      const meant = log.filter((one) => one.enforced === enforced);
      const query = enforced ? '' : '?enforced=false';
      const { data: seen } = await get(`analytics/requesters${query}`);
      for (const id of ['partner', 'stranger']) {
        const row = seen.find((one: Any) => one.id === id);
        const own = meant.filter((one) => one.requesterId === id);
        assert.deepEqual(
          [row.requests, row.verified],
          [own.length, own.filter(({ verified }) => verified !== null).length],
        );
      }
      const { data: demand } = await get(`analytics/demand${query}`);
      const lacking = meant.filter(({ reason }) => reason === 'no_license');
      assert.equal(
        demand.reduce((sum: number, row: Any) => sum + row.denied, 0),
        lacking.length,
      );
    }
    const { data: crawling } = await get(`analytics/demand?crawler=GPTBot&collectionId=${news.id}`);
    const meant = log.filter(
      (one) => one.collectionId === news.id && one.crawler === 'GPTBot' && one.reason === 'no_license',
    );
    assert.deepEqual(
      crawling.map((row: Any) => [row.requesterId, row.denied]),
      byCount(meant, (one) => one.requesterId).map(([id, some]) => [id, some.length]),
    );
  });
});

// Last: it adds decisions.
test('all groups as CSV, and with a limit the first', async () => {
  const rowsOf = async (query: string, path = 'analytics/usage', key = postern.key) => {
    const headers = { accept: 'text/csv' };
    return (await postern.call('GET', `/v1/${path}?${query}`, { key, headers })).text.trim().split('\r\n').slice(1);
  };
  const urls = Array.from({ length: 120 }, (_, i) => `https://many.example.com/${i}`);
  await add('Many', { hosts: ['many.example.com'], policyId: open.id });
  const token = (await made(postern, '/v1/requesters/partner/tokens', { name: 'a' })).token;
  const asked = urls.map((url, i) => ({ url, requesterId: 'partner', purpose: `p${i}` }));
  assertStatus(await postern.call('POST', '/v1/access/check/batch', { body: { checks: asked } }), 200);
  const { summary } = await get('analytics/usage?pagePrefix=many.example.com');
  assert.deepEqual([summary.totalRequests, summary.uniquePages], [120, 120]);
  const by = 'groupBy=page&pagePrefix=many.example.com';
  assert.equal((await rowsOf(by)).length, 120);
  assert.deepEqual(await rowsOf(`${by}&limit=5`), (await rowsOf(by)).slice(0, 5));
  const own = await rowsOf('groupBy=purpose', 'me/usage', token);
  assert.equal(own.filter((row) => row.startsWith('p')).length, 120);
  assert.equal((await get(`analytics/usage?${by}`)).groups.length, 10);
  for (let batch = 1; batch <= 10; batch++) {
    const more = Array.from({ length: 1000 }, (_, i) => ({ url: `https://many.example.com/${batch}/${i}` }));
    assertStatus(await postern.call('POST', '/v1/access/check/batch', { body: { checks: more } }), 200);
  }
  const headers = { accept: 'text/csv' };
  const refused = await postern.call('GET', `/v1/analytics/usage?${by}`, { headers });
  assertError(refused, 'invalid_request', 'groupBy');
  assert.match(refused.body.error.message, /more than 10,000 groups/);
  assert.equal((await rowsOf(`${by}&limit=100`)).length, 100);
  assert.equal((await rowsOf('groupBy=page&pagePrefix=many.example.com/1')).length, 1001);
});
