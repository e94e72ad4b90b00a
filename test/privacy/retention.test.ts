/**
 * Retention over random checks: reports by days and statements are the same before and after, from the columns as they
 * are and from new ones. The inputs of decisions and the decisions themselves are gone from every answer and file.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { dropDatabase, startTestService, type TestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, item, made } from '../http/given.ts';

hurry();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-08-03T00:20:00Z');
const DAYS = 9;
const random = seeded(runSeed);
const clock = testClock(START);
const dataDir = mkdtempSync(join(tmpdir(), 'postern-retention-'));
const opened: TestService[] = [];
after(async () => {
  for (const one of opened) await one.service.close();
  rmSync(dataDir, { recursive: true, force: true });
  await dropDatabase(dataDir);
});

type Any = any;
/** No file may have them once they are erased. */
const AGENT = 'unmistakable-agent';
const PAGE = 'unmistakable-page';

let key = '';
const start = async (env: Record<string, string> = {}): Promise<TestService> => {
  const postern = await startTestService({ dataDir, clock, env });
  key = postern.key === '' ? key : postern.key;
  opened.push(postern);
  return { ...postern, call: (method, path, options) => postern.call(method, path, { key, ...options }) };
};

const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  tiers: [
    { upTo: 7, unitPriceMicros: 20_000 },
    { upTo: null, unitPriceMicros: 12_500 },
  ],
};

async function fill(postern: TestService): Promise<{ removed: string }> {
  const licensed = await made(postern, '/v1/policies', {
    name: 'Licensed',
    rules: [
      { action: 'allow', conditions: { hasValidLicense: true } },
      { action: 'allow', conditions: { purpose: 'search' }, rateLimit: { requests: 3, period: 'day' } },
    ],
  });
  await made(postern, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId: licensed.id });
  await made(postern, '/v1/collections', {
    name: 'Watched',
    hosts: ['beta.example.com'],
    policyId: licensed.id,
    mode: 'observe',
  });
  const items: Any[] = [];
  for (let i = 0; i < 5; i++)
    items.push(
      await made(postern, '/v1/content', item({ policyId: licensed.id, type: i % 2 === 0 ? 'article' : 'report' })),
    );
  for (const [id, unit] of [
    ['acme', 'decision'],
    ['beta', 'distinct_content'],
  ] as const) {
    await made(postern, '/v1/requesters', { id, name: id });
    await made(postern, '/v1/licenses', { requesterId: id, type: 'commercial', terms: { ...TERMS, unit } });
  }
  await made(postern, '/v1/requesters', { id: 'free', name: 'Free' });
  await made(postern, '/v1/licenses', { requesterId: 'free', type: 'commercial' });
  const at = () => random.pick([...items.map(({ id }) => ({ contentId: id })), ...pages]);
  for (let day = 0; day < DAYS; day++) {
    for (let n = random.int(15, 30); n > 0; n--) {
      clock.advance(random.int(1, 40) * 60_000);
      const checks = Array.from({ length: random.int(1, 3) }, () => ({
        ...at(),
        ...random.pick([{}, ...['acme', 'beta', 'free', 'stranger'].map((requesterId) => ({ requesterId }))]),
        ...random.pick([{}, { purpose: 'search' }, { purpose: 'training' }]),
        ...random.pick([{}, { permission: 'training' }]),
        context: { ip: '203.0.113.7', userAgent: random.pick([AGENT, `GPTBot/1.0 ${AGENT}`]) },
      }));
      assertStatus(await postern.call('POST', '/v1/access/check/batch', { body: { checks } }), 200);
    }
    clock.advance(START + (day + 1) * DAY_MS - clock.now());
  }
  return { removed: items[4].id };
}
const pages = [
  { url: `https://www.example.com/${PAGE}/1` },
  { url: `https://www.example.com/${PAGE}/2` },
  { url: 'https://beta.example.com/' },
];

const SPANS = ['2026-08-01..2026-08-31', '2026-08-04..2026-08-06', '2026-08-05..2026-08-05'];
const QUERIES = [
  '',
  ...['collection', 'crawler', 'verified', 'license', 'purpose', 'permission', 'rule', 'enforced'].map(
    (by) => `groupBy=${by}`,
  ),
  'requesterId=acme',
  'crawler=GPTBot',
  'purpose=training',
  'contentType=report',
  'enforced=false',
  'groupBy=week',
];

/** Everything that is said about the days, without the times of day. */
async function readReports(postern: TestService): Promise<Any> {
  const reports: Record<string, unknown> = {};
  const read = async (path: string): Promise<void> => {
    const answer = await postern.call('GET', path);
    // A day of UTC counts whole, at its noon.
    const isWhole = !path.includes('New_York');
    reports[path] = answer.status === 200 ? withoutTimes(isWhole ? answer.body : answer.body.summary) : answer.status;
  };
  for (const span of SPANS) {
    const [from, to] = span.split('..');
    for (const query of QUERIES) {
      for (const zone of ['UTC', 'America/New_York']) {
        if (zone !== 'UTC' && span !== SPANS[0]) continue;
        await read(`/v1/analytics/usage?startDate=${from}&endDate=${to}&timezone=${zone}&${query}`);
      }
    }
    await read(`/v1/analytics/requesters?from=${from}&to=${to}`);
  }
  for (const query of ['', '&requesterId=beta', '&timezone=UTC']) await read(`/v1/statements?period=2026-08${query}`);
  await read('/v1/content?limit=100');
  return reports;
}

/** Times within a day, and pages, are forgotten. */
const FORGOTTEN = ['lastSeen', 'trend', 'topPages', 'uniquePages'];
const withoutTimes = (body: Any): Any =>
  JSON.parse(JSON.stringify(body, (name, value) => (FORGOTTEN.includes(name) ? undefined : value)));

const written = async (postern: TestService): Promise<string> => {
  const tables = ['decisions', 'test_decisions', 'daily_counts', 'deleted_decisions', 'change_data', 'receipts'];
  const rows = await Promise.all(tables.map((table) => postern.rowsOf(table)));
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return [JSON.stringify(rows), ...files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))].join(
    '\n',
  );
};

test(`reports and statements survive retention (seed ${runSeed})`, async () => {
  const first = await start();
  const { removed } = await fill(first);
  const logged: Any[] = (await first.call('GET', '/v1/access/decisions?limit=20&to=2026-08-05')).body.data;
  // Those of the removed item are deleted with it.
  const oldest = logged.find(({ contentId }) => contentId !== removed);
  clock.advance(40 * DAY_MS);
  await first.call('POST', '/v1/access/check', { body: { url: pages[2]?.url } });
  assertStatus(await first.call('DELETE', `/v1/content/${removed}`), 200);
  const before = await readReports(first);
  assert.ok(
    before[`/v1/analytics/usage?startDate=2026-08-01&endDate=2026-08-31&timezone=UTC&`].summary.totalRequests > 100,
  );
  assert.match(await written(first), new RegExp(AGENT));
  for (const seq of [1, 2]) {
    await first.tamper({
      sql: `insert into test_decisions (seq, at, content_no, policy_no, policy_version, reason, inputs)
            values ($1, $2, 0, 1, 1, 0, $3)`,
      params: [
        seq,
        seq === 1 ? START : clock.now(),
        JSON.stringify({ context: { userAgent: seq === 1 ? AGENT : 'new' } }),
      ],
    });
  }
  await first.service.close();

  const inputs = await start({ POSTERN_INPUT_DAYS: '30' });
  const erased = await until('the inputs are erased', async () => {
    const answer = await inputs.call('GET', `/v1/access/decisions/${oldest.id}`);
    return answer.body.context === null ? answer.body : undefined;
  });
  assert.deepEqual(erased.reduced, ['context']);
  assert.deepEqual({ ...erased, context: oldest.context, reduced: undefined }, { ...oldest, reduced: undefined });
  assert.deepEqual(await readReports(inputs), before);
  if (testEngine() === 'sqlite') {
    await until('no file has the inputs', async () => !(await written(inputs)).includes(AGENT));
  } else {
    await until('no row has the inputs', async () => !(await written(inputs)).includes(AGENT));
  }
  await inputs.service.close();

  const second = await start({ POSTERN_DECISION_DAYS: '31' });
  await until(
    'the decisions left the log',
    async () => (await second.call('GET', '/v1/access/decisions')).body.totalCount === 1,
    60_000,
  );
  await until('tests left it, too', async () => (await second.rowsOf('test_decisions')).length === 1);
  assertError(await second.call('GET', `/v1/access/decisions/${oldest.id}`), 'decision_not_found');
  assert.deepEqual(await readReports(second), before);
  if (testEngine() === 'sqlite') {
    // Distinct pages are billed, so their addresses stay as evidence where a license has terms.
    await until('no column has a URL', () => !readFileSync(join(dataDir, 'columns.duckdb'), 'latin1').includes(PAGE));
  }
  await second.service.close();

  for (const name of ['columns.duckdb', 'columns.duckdb.wal']) rmSync(join(dataDir, name), { force: true });
  const third = await start({ POSTERN_DECISION_DAYS: '31' });
  assert.deepEqual(await readReports(third), before);
  const { id } = (await third.call('POST', '/v1/access/check', { body: { url: pages[2]?.url } })).body;
  assertStatus(await third.call('GET', `/v1/access/decisions/${id}`), 200);
  await third.service.close();
});
