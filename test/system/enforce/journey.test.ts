/**
 * The first days of a publisher: a site behind real nginx with the configuration of its page, observed first, and a log
 * replayed as traffic. Every figure equals the log, as counted here; the console shows them to a person who looks for
 * who reads most, who lies about its name and what is new; and one of them is denied.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { dayAfter } from '../../../kit/crawler-directory.ts';
import { runSeed, seeded } from '../../../kit/random.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { BROWSERS } from '../../../kit/user-agents.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { PACKAGED } from '../../../src/rules/crawlers/directory.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { made } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const DAY_MS = 86_400_000;
const HOST = 'www.example.com';
const PAGES = 300;
const DAYS = 9;
/** Days of the log before the last week. */
const BEFORE_LAST_WEEK = 3;
const READS = 2_000;
const FLOOD = 1_500;
const FLOOD_DAY = 5;
const AT_ONCE = 4;

const random = seeded(runSeed);
/** Later than the directory of this version, which another one replaces. */
const FIRST_DAY = dayAfter(PACKAGED.date, 2);
const dayOf = (day: number): string => dayAfter(FIRST_DAY, day);

/** Crawlers of the directory that collect for AI or search. The last two come in the last week for the first time. */
const CRAWLERS = PACKAGED.crawlers.filter(({ identities }) => identities.length > 0).slice(0, 20);
const NEW_CRAWLERS = CRAWLERS.slice(-2);
const FORGED = CRAWLERS.slice(0, 4);
const addressOf = (crawler: number): string => `198.18.${crawler}.7`;
const FORGER = '203.0.113.66';
const userAgentOf = (name: string): string => `Mozilla/5.0 (compatible; ${name}/1.0; +https://bots.example/about)`;

interface Program {
  name: string;
  userAgent: string;
  requests: number;
  from: number;
  readsRobots: boolean;
}
const PROGRAMS: readonly Program[] = [
  { name: 'pageharvest', userAgent: 'PageHarvest/2.1', requests: 150, from: 0, readsRobots: false },
  { name: 'lodestonebot', userAgent: userAgentOf('LodestoneBot'), requests: 90, from: 0, readsRobots: true },
  // A newcomer of this week.
  { name: 'quill-sync', userAgent: 'quill-sync/3.0 (linux)', requests: 60, from: 4, readsRobots: true },
];

interface Line {
  day: number;
  path: string;
  userAgent: string;
  ip: string;
  /** The row of the report that the line counts for. */
  who: string;
  /** The name that the user agent gives. */
  program: string;
  crawler: string | null;
  isForged: boolean;
}

const pagePath = (page: number): string => `/section-${page % 6}/article-${page}.html`;
const anyPage = (): string => pagePath(random.int(0, PAGES - 1));

function* readers(): Generator<Line> {
  for (let i = 0; i < READS; i++) {
    const query = random.chance(0.1) ? `?utm_source=newsletter&id=${i}` : '';
    // Readers come for what is new.
    const path = pagePath(Math.floor(PAGES * random.next() ** 3)) + query;
    const [day, userAgent] = [random.int(0, DAYS - 1), random.pick(BROWSERS)];
    const ip = `192.0.2.${random.int(1, 254)}`;
    yield { day, path, userAgent, ip, who: 'browsers', program: 'browsers', crawler: null, isForged: false };
  }
  for (let i = 0; i < 11; i++) {
    const who = 'no user agent';
    const line = { day: i % DAYS, path: anyPage(), userAgent: '', ip: '192.0.2.9' };
    yield { ...line, who, program: who, crawler: null, isForged: false };
  }
}

function* crawlers(): Generator<Line> {
  for (const [i, { name }] of CRAWLERS.entries()) {
    const from = NEW_CRAWLERS.some((one) => one.name === name) ? BEFORE_LAST_WEEK : 0;
    const same = { userAgent: userAgentOf(name), program: name.toLowerCase(), crawler: name };
    // Each another number, and twice a day or more.
    for (let k = 0; k < 30 + 2 * i; k++) {
      const day = from + (k % (DAYS - from));
      yield { ...same, day, path: anyPage(), ip: addressOf(i), who: `${name} verified`, isForged: false };
    }
    const forged = FORGED.findIndex((one) => one.name === name);
    for (let k = 0; forged !== -1 && k < 47 + forged * 9; k++) {
      yield { ...same, day: k % DAYS, path: anyPage(), ip: FORGER, who: `${name} spoofed`, isForged: true };
    }
  }
}

function* programs(): Generator<Line> {
  for (const { name, userAgent, requests, from, readsRobots } of PROGRAMS) {
    const same = { userAgent, who: name, program: name, crawler: null, isForged: false };
    for (let k = 0; k < requests; k++) {
      const day = from + (k % (DAYS - from));
      yield { ...same, day, path: anyPage(), ip: `203.0.113.${1 + (Math.floor(k / (DAYS - from)) % 3)}` };
    }
    if (readsRobots) yield { ...same, day: from, path: '/robots.txt', ip: '203.0.113.1' };
  }
  for (let i = 0; i < FLOOD; i++) {
    const name = `made-up-${i.toString(36)}`;
    const line = { day: FLOOD_DAY, path: anyPage(), userAgent: `${name}/1.0`, ip: '203.0.113.99' };
    yield { ...line, who: name, program: name, crawler: null, isForged: false };
  }
}

const log: readonly Line[] = [...readers(), ...crawlers(), ...programs()];
/** Requests for robots.txt are answered without a decision. */
const counted = log.filter(({ path }) => path !== '/robots.txt');
const isFlood = (name: string): boolean => name.startsWith('made-up-');
const pageOf = ({ path }: Line): string => `${HOST}${path.replace(/\?.*/, '')}`;

/** Counts lines by a value, the most frequent first; the names of the flood are one. */
function tally(valueOf: (line: Line) => string | null, lines: readonly Line[] = counted): [string, number][] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const value = valueOf(line) ?? 'null';
    const key = isFlood(value) ? 'the flood' : value;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return byCount([...counts]);
}
const byCount = (counts: [string, number][]): [string, number][] =>
  counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

/** Rows of a report in the same form. */
function answered(rows: readonly { id: string | null; requests: number }[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { id, requests } of rows) {
    const key = id === 'other' || (id !== null && isFlood(id)) ? 'the flood' : `${id}`;
    counts.set(key, (counts.get(key) ?? 0) + requests);
  }
  return byCount([...counts]);
}

/** The directory of this version; these crawlers have addresses of this test. */
function directoryFile(): string {
  const rows = PACKAGED.crawlers.map((row) => {
    const number = CRAWLERS.findIndex(({ name }) => name === row.name);
    return number === -1 ? row : { ...row, identities: [{ kind: 'ip', ranges: [`${addressOf(number)}/32`] }] };
  });
  const text = JSON.stringify({ date: dayAfter(PACKAGED.date, 1), crawlers: rows });
  return join(folderOf({ 'crawlers.json': text }), 'crawlers.json');
}

const site = folderOf({
  'robots.txt': 'User-agent: *',
  ...Object.fromEntries(Array.from({ length: PAGES }, (_, page) => [pagePath(page).slice(1), `<h1>Page ${page}</h1>`])),
});
const clock = testClock(Date.parse(dayOf(0)) + DAY_MS / 2);
const postern = await startTestService({ clock, env: { POSTERN_CRAWLER_DIRECTORY: directoryFile() } });
after(() => postern[Symbol.asyncDispose]());
const behind = configurationOf('nginx', 'nginx-behind', { '198.51.100.0/24': '127.0.0.1' });
const server = await SERVERS[0][1]({
  asked: new URL(postern.url).host,
  key: postern.key,
  site,
  // The addresses of visitors come from a proxy in front, as the page shows it.
  changes: { 'server_name www.example.com;': `server_name ${HOST};\n${behind}` },
});
after(() => server[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const send = ({ path, userAgent, ip }: Pick<Line, 'path' | 'userAgent' | 'ip'>) =>
  visit(server.url, path, {
    headers: { 'x-forwarded-for': ip, ...(userAgent === '' ? {} : { 'user-agent': userAgent }) },
  });
const get = async (path: string) => {
  const answer = await postern.call('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const SPAN = `startDate=${dayOf(0)}&endDate=${dayOf(DAYS - 1)}&enforced=false`;
const usage = (more: string) => get(`/v1/analytics/usage?${SPAN}&limit=100&${more}`);

let collectionId = '';
let policyId = '';
before(async () => {
  await until('the directory is in force', async () => (await get('/v1/status')).directory.source === 'file');
  const policy = { name: 'The site', rules: [{ action: 'allow', conditions: { default: true } }] };
  policyId = (await made(postern, '/v1/policies', policy)).id;
  const collection = { name: 'The site', hosts: [HOST], paths: ['/'], mode: 'observe', policyId };
  collectionId = (await made(postern, '/v1/collections', collection)).id;
  for (let day = 0; day < DAYS; day++) {
    const lines = log.filter((line) => line.day === day).values();
    const visitor = async () => {
      for (const line of lines) assert.equal((await send(line)).status, 200, server.log());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, visitor));
    if (day < DAYS - 1) clock.advance(DAY_MS);
  }
});

test('usage has the figures of the log, by page, crawler, program and day', async () => {
  const { summary, topPages, timeSeries } = await usage('');
  const pages = tally(pageOf);
  assert.deepEqual([summary.totalRequests, summary.uniquePages], [counted.length, pages.length]);
  const requestsOf = (rows: { page: string; requests: number }[]) =>
    answered(rows.map(({ page, requests }) => ({ id: page, requests })));
  assertTop(requestsOf(topPages), pages);
  assertTop(answered((await usage('groupBy=page')).groups), pages);
  assert.deepEqual(
    timeSeries.map(({ date, requests }: { date: string; requests: number }) => [date, requests]),
    Array.from({ length: DAYS }, (_, day) => [dayOf(day), counted.filter((line) => line.day === day).length]),
  );
  assert.deepEqual(
    answered((await usage('groupBy=crawler')).groups),
    tally(({ crawler }) => crawler),
  );
  const seen = answered((await usage('groupBy=program')).groups).filter(([name]) => name !== 'the flood');
  assert.deepEqual(
    seen,
    tally(({ program }) => program).filter(([name]) => name !== 'the flood'),
  );
  assert.deepEqual(
    answered((await usage('groupBy=crawler&spoofed=true')).groups),
    tally(
      ({ crawler }) => crawler,
      counted.filter(({ isForged }) => isForged),
    ),
  );
});

/** The first of all, whichever of those with as many requests come last. */
function assertTop(shown: [string, number][], all: [string, number][]): void {
  assert.deepEqual(
    shown.map(([, requests]) => requests),
    all.slice(0, shown.length).map(([, requests]) => requests),
  );
  const counts = new Map(all);
  for (const [name, requests] of shown) assert.equal(requests, counts.get(name), name);
}

test('visitors have the figures of the log, by page and day', async () => {
  const report = await get(`/v1/analytics/visitors?${SPAN}&limit=50&pages=100`);
  assert.equal(report.uniquePages, tally(pageOf).length);
  const known = tally(({ who }) => who).filter(([name]) => name !== 'the flood');
  const shown = report.visitors.slice(0, known.length + 1).filter(({ who }: Visitor) => who.id !== 'other');
  assert.deepEqual(byCount(shown.map((one: Visitor) => [nameOf(one), one.requests])), known);
  for (const one of shown as Visitor[]) {
    const own = counted.filter(({ who }) => who === nameOf(one));
    const days = Array.from({ length: DAYS }, (_, day) => own.filter((line) => line.day === day).length);
    assert.deepEqual(one.trend, days, nameOf(one));
    const pages = new Map(tally(pageOf, own));
    for (const { page } of report.pages) {
      const requests = one.pages.find((some) => some.page === page)?.requests;
      assert.equal(requests, pages.get(page), `${nameOf(one)} ${page}`);
    }
    assert.equal(one.spoofed, own.filter(({ isForged }) => isForged).length);
  }
});

interface Visitor {
  who: { kind: string; id: string | null; proof?: string };
  requests: number;
  spoofed: number;
  trend: number[];
  pages: { page: string; requests: number }[];
}
const nameOf = ({ who: { kind, id, proof } }: Visitor): string =>
  kind === 'crawler' ? `${id} ${proof}` : (id ?? kind).replaceAll('_', ' ');

test('programs have the figures of the log, and a flood of names hides none', async () => {
  const span = `from=${dayOf(0)}&to=${dayOf(DAYS - 1)}&enforced=false`;
  const { data, totalCount } = await get(`/v1/analytics/programs?${span}&limit=${PROGRAMS.length + 10}`);
  assert.ok(totalCount > 900 && totalCount <= 1_000, `${totalCount} of the flood's ${FLOOD} names`);
  for (const [i, { name, requests, from, readsRobots }] of PROGRAMS.entries()) {
    const own = counted.filter((line) => line.program === name);
    const row = data[i];
    assert.deepEqual(
      [row.program, row.requests, row.pages, row.robotsRead, row.firstSeen.slice(0, 10), row.lastSeen.slice(0, 10)],
      [name, requests, new Set(own.map(pageOf)).size, readsRobots, dayOf(from), dayOf(DAYS - 1)],
    );
    assert.equal(row.addresses, 3, name);
  }
  assert.ok(data.slice(PROGRAMS.length).every((row: { program: string }) => isFlood(row.program)));
  const { data: newest } = await get(`/v1/analytics/programs?${span}&sort=firstSeen&q=quill&limit=1`);
  assert.equal(newest[0].program, 'quill-sync');
});

const cellsOf = async (page: Page, table: string, row: string | RegExp): Promise<string[]> => {
  const line = page.getByRole('table', { name: table }).getByRole('row', { name: row }).first();
  await line.waitFor();
  const texts = await line.locator('th, td').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
};
const number = (count: number | undefined): string => (count ?? 0).toLocaleString('en');

async function openConsole() {
  const signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1440, height: 1000 } });
  await signed.page.clock.setFixedTime(clock.now());
  return signed;
}

test('the console shows who reads most, what, who lies about its name, and who is new', async () => {
  await using signed = await openConsole();
  const { page } = signed;
  const count = new Map(tally(({ who }) => who));
  await page.goto('/console');
  // What only observes is seen from the first page on.
  await page.locator('[data-figure="observed"]', { hasText: number(counted.length) }).waitFor();
  const attention = page.locator('.needs-attention');
  await attention.getByText(`${NEW_CRAWLERS.length} crawlers came for the first time`).waitFor();
  for (const { name } of NEW_CRAWLERS) await attention.getByRole('link', { name }).waitFor();
  for (const { name } of FORGED) await attention.getByText(`The name ${name} was falsely claimed`).waitFor();
  await page.getByRole('button', { name: 'Show these requests instead' }).click();
  assert.match((await cellsOf(page, 'Visitors by requests', /^Browsers/)).join(' '), new RegExp(number(READS)));
  const [most = '', reads = 0] = tally(pageOf)[0] ?? [];
  assert.equal((await cellsOf(page, 'Pages by requests', new RegExp(`^${most}`))).at(-1), number(reads));

  await page.goto('/console/visitors');
  await page.getByRole('button', { name: 'Show these requests instead' }).click();
  const sums = await cellsOf(page, 'Requests by page and visitor', 'Requests');
  const heads = await cellsOf(page, 'Requests by page and visitor', /^Page of/);
  const under = (head: RegExp): string | undefined => sums[heads.findIndex((text) => head.test(text))];
  assert.equal(under(/^Browsers/), number(READS));
  for (const { name } of FORGED) {
    assert.equal(under(new RegExp(`^${name} forged`)), number(count.get(`${name} spoofed`)));
  }
  assert.equal(under(/^pageharvest program/), '150');

  await page.goto('/console/programs');
  await page.getByRole('button', { name: 'Show these requests instead' }).click();
  for (const { name, requests } of PROGRAMS) {
    assert.equal((await cellsOf(page, 'Programs', new RegExp(`^${name}`)))[1], number(requests), name);
  }
  assert.deepEqual(signed.faults, []);
});

test('a program is denied at the next request, by one press and a publication', async () => {
  const asked = { path: pagePath(7), userAgent: 'PageHarvest/2.1', ip: '203.0.113.1' };
  const enforced = await postern.call('PATCH', `/v1/collections/${collectionId}`, { body: { mode: 'enforce' } });
  assert.equal(enforced.status, 200, enforced.text);
  await until('the mode is in force', async () => (await send(asked)).headers['x-postern-would'] === undefined);
  await using signed = await openConsole();
  const { page } = signed;
  await page.goto('/console/programs?enforced=false');
  const row = page.getByRole('row', { name: /^pageharvest/ });
  await row.getByRole('button', { name: 'Draft a rule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Draft a rule about pageharvest' });
  await dialog
    .getByText(/^Rule \d/)
    .first()
    .waitFor();
  await dialog.getByRole('button', { name: 'Open the draft' }).click();
  await page.getByText('Not published yet').waitFor();
  assert.equal((await get(`/v1/policies/${policyId}`)).version, 1, 'a draft is not published');
  assert.equal((await send(asked)).status, 200);
  await page.getByRole('button', { name: 'Preview and publish' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('version 2', { exact: true }).waitFor();
  assert.equal((await send(asked)).status, 403, 'the next request');
  assert.equal((await send({ ...asked, userAgent: BROWSERS[0] ?? '' })).status, 200);
  assert.deepEqual(signed.faults, []);
});
