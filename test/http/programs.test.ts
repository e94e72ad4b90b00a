/** Programs that the directory of crawlers does not name: their requests, pages and addresses. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, startCommand } from '../../kit/command.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { findProgram } from '../../src/rules/crawlers/program.ts';
import { allowAll, assertError, assertStatus, made, makeKey, makePolicy } from './given.ts';

type Any = any;
const clock = testClock(Date.parse('2026-11-20T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const policy = await makePolicy(postern, [allowAll]);
await made(postern, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: policy.id });
await made(postern, '/v1/requesters', { id: 'partner', name: 'Partner' });

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const NEWS = 'Mozilla/5.0 (compatible; NewsGrabber/1.0; +https://grabber.example)';
const ask = (path: string, userAgent: string | undefined, ip?: string, more: object = {}) => ({
  url: `https://${HOST}${path}`,
  context: { ...(userAgent === undefined ? {} : { userAgent }), ...(ip === undefined ? {} : { ip }) },
  ...more,
});
const asks = [
  ...Array.from({ length: 60 }, (_, n) => ask(`/p${n % 7}`, NEWS, `192.0.2.${n % 8}`)),
  ...Array.from({ length: 9 }, () => ask('/robots.txt', 'quiet-tool/1.0')),
  ...Array.from({ length: 5 }, () => ask('/p1', FIREFOX, '192.0.2.1')),
  ask('/p1', 'GPTBot/1.2', '192.0.2.1'),
  ask('/p1', '', '192.0.2.1'),
  ask('/p1', undefined),
  ask('/p1', 'partners-tool/1', '192.0.2.1', { requesterId: 'partner' }),
];
await made(postern, '/v1/access/check/batch', { checks: asks }, 200);

const list = (query = ''): Promise<Any> => report(postern, `/v1/analytics/programs${query}`);

/** A busy machine counts for longer than a report waits. */
async function report(service: TestService, path: string): Promise<Any> {
  const read = () => service.call('GET', path);
  const answer = await until('it is counted', read, 120_000, ({ status }) => status !== 503);
  assertStatus(answer, 200, path);
  return answer.body;
}

test('lists programs by requests, with pages, addresses and times', async () => {
  const now = '2026-11-20T12:00:00.000Z';
  const common = { denied: 0, addressesApproximate: true, firstSeen: now, lastSeen: now };
  const { data, totalCount } = await list();
  assert.equal(totalCount, 2);
  // Under a new salt each day, two of them rarely fall on one of 1,024 registers; three hardly ever.
  assert.ok(Math.abs(data[0].addresses - 8) <= 1, `${data[0].addresses}`);
  assert.deepEqual(data, [
    {
      ...common,
      program: 'newsgrabber',
      requests: 60,
      allowed: 60,
      pages: 7,
      addresses: data[0].addresses,
      robotsRead: false,
    },
    { ...common, program: 'quiet-tool', requests: 9, allowed: 9, pages: 1, addresses: null, robotsRead: true },
  ]);
});

test('a proxy that asks about robots.txt for a program shows that it reads it', async () => {
  const key = await makeKey(postern, { permissions: ['access:check'] });
  const headers = { 'x-forwarded-host': HOST, 'x-forwarded-uri': '/robots.txt', 'x-forwarded-proto': 'https' };
  const answer = await postern.call('GET', '/v1/authorize', {
    key: null,
    headers: { ...headers, 'x-postern-key': key, 'user-agent': NEWS },
  });
  assertStatus(answer, 200, 'robots.txt');
  assert.equal((await list('?q=news')).data[0].robotsRead, true);
});

test('pages, orders, periods and files', async () => {
  const first = await list('?limit=1&sort=lastSeen');
  assert.deepEqual([first.data.length, first.hasMore, first.totalCount], [1, true, 2]);
  const next = await list(`?limit=1&sort=lastSeen&cursor=${first.nextCursor}`);
  assert.notEqual(next.data[0].program, first.data[0].program);
  assert.equal((await list('?from=2026-11-21')).totalCount, 0);
  assert.deepEqual((await list('?q=QUIET')).data.length, 1);
  const csv = await postern.call('GET', '/v1/analytics/programs', { headers: { accept: 'text/csv' } });
  assert.match(
    csv.text,
    /^program,requests,allowed,denied,pages,addresses,firstSeen,lastSeen,robotsRead\r?\nnewsgrabber,60,/,
  );
  assertError(await postern.call('GET', '/v1/analytics/programs?sort=addresses'), 'invalid_request', 'sort');
});

test('the log is filtered by program, and finds what the groups count', async () => {
  const decisions = (query: string, accept = 'application/json') =>
    postern.call('GET', `/v1/access/decisions?limit=100&${query}`, { headers: { accept } });
  const names = (userAgent: string | null | undefined): string => findProgram(userAgent);
  const { data: all } = (await decisions('')).body;
  const { groups } = await report(postern, '/v1/analytics/usage?groupBy=program');
  assert.ok(groups.length >= 6, `${groups.length} programs`);
  for (const { id, requests } of groups) {
    const { data, totalCount } = (await decisions(`program=${encodeURIComponent(id)}`)).body;
    const own = all.filter(({ context }: Any) => names(context?.userAgent) === id);
    assert.deepEqual(
      data.map((one: Any) => one.id),
      own.map((one: Any) => one.id),
      id,
    );
    assert.deepEqual([totalCount, requests], [own.length, own.length], id);
  }
  assert.equal((await decisions('program=QUIET-tool&allowed=true')).body.totalCount, 9);
  assert.equal((await decisions('program=partners-tool&requesterId=partner')).body.totalCount, 1);
  assert.equal((await decisions('program=partners-tool&requesterId=nobody')).body.totalCount, 0);
  assert.equal((await decisions('program=never-seen')).body.totalCount, 0);
  const csv = await decisions('program=quiet-tool', 'text/csv');
  assert.equal(csv.text.trim().split('\n').length, 1 + 9);
  const ran = await commandHere(['decisions', 'export', '--program', 'quiet-tool'], {
    env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key },
  });
  assert.equal(ran.stdout.trim().split('\n').length, 9);
});

test('a line of the log names the program', async () => {
  const args = ['decisions', 'tail', '--last', '1', '--program', 'quiet-tool'];
  const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
  const { child, written, ended } = startCommand(args, { env });
  await until('a line is there', () => written.stdout.includes('robots.txt'));
  child.kill('SIGINT');
  await ended;
  assert.match(written.stdout, / {2}quiet-tool {2}/);
});

test('programs without a name are found as other, and a flood of them hides no new one', async () => {
  await using many = await startTestService({ clock });
  const rules = await makePolicy(many, [allowAll]);
  await made(many, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: rules.id });
  const flood = Array.from({ length: 1_010 }, (_, n) => ask('/p', `tool${n}/1`));
  for (let i = 0; i < flood.length; i += 100)
    await made(many, '/v1/access/check/batch', { checks: flood.slice(i, i + 100) }, 200);
  await made(many, '/v1/access/check/batch', { checks: [ask('/p', '()'), ask('/p', '')] }, 200);
  const { groups } = await report(many, '/v1/analytics/usage?groupBy=program');
  const other = groups.find(({ id }: Any) => id === 'other');
  assert.equal(other.requests, 11, 'ten without a name, and one without a token');
  const { totalCount } = await report(many, '/v1/access/decisions?program=other');
  assert.equal(totalCount, other.requests);

  // One that is new, and comes after the flood, is on top at once, also after a restart.
  const newcomer = Array.from({ length: 3 }, () => ask('/p', 'Mozilla/5.0 (compatible; Newcomer/0.1)'));
  await made(many, '/v1/access/check/batch', { checks: newcomer }, 200);
  for (const restart of [false, true]) {
    if (restart) await many.restart();
    const { data } = await report(many, '/v1/analytics/programs?limit=2');
    const found = data.map(({ program, requests }: Any) => [program, requests]);
    assert.deepEqual(found[0], ['newcomer', 3]);
    assert.equal(found[1][1], 1);
  }
});

test('the log of test keys has no filter by program, and partners have none', async () => {
  const answer = await postern.call('GET', '/v1/access/decisions?mode=test&program=curl');
  assertError(answer, 'invalid_request', 'program');
  const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'ours' });
  assertError(
    await postern.call('GET', '/v1/me/decisions?program=partners-tool', { key: token }),
    'invalid_request',
    'program',
  );
});

test('is for secret keys with analytics:read', async () => {
  const key = await makeKey(postern, { permissions: ['policies:read'] });
  assertError(await postern.call('GET', '/v1/analytics/programs', { key }), 'insufficient_permissions');
});

test('nothing is known of user agents that are not kept', async () => {
  for (const precision of ['crawler-only', 'none']) {
    await using other = await startTestService({ env: { POSTERN_USER_AGENT: precision } });
    const rules = await makePolicy(other, [allowAll]);
    await made(other, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: rules.id });
    await made(
      other,
      '/v1/access/check/batch',
      { checks: asks.slice(0, 70).map(({ requesterId: _, ...one }: Any) => one) },
      200,
    );
    assert.deepEqual((await report(other, '/v1/analytics/programs')).data, []);
    const { groups } = await report(other, '/v1/analytics/usage?groupBy=program');
    assert.deepEqual(groups, [{ id: null, requests: 70, allowed: 70, denied: 0 }]);
  }
});
