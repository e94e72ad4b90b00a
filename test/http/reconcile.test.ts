/** Reconciliation: a partner's counts in any spelling against those of a statement, to the unit. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seeded } from '../../kit/random.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { longestTurn } from '../../kit/turns.ts';
import { assertError, assertStatus, item, made, makePolicy } from './given.ts';

const clock = testClock(Date.parse('2026-10-23T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const article = await made(postern, '/v1/content', {
  ...item({ policyId: policy.id }),
  source: 'https://www.example.com/articles/1?page=2',
});
const gone = await made(postern, '/v1/content', item({ policyId: policy.id }));
await made(postern, '/v1/collections', {
  name: 'News',
  hosts: ['www.example.com'],
  paths: ['/news/'],
  policyId: policy.id,
});
await made(postern, '/v1/requesters', { id: 'acme' });
const license = await made(postern, '/v1/licenses', {
  requesterId: 'acme',
  type: 'x',
  terms: {
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    period: 'month',
    unit: 'decision',
    purposes: ['training', 'search'],
    tiers: [{ upTo: null, unitPriceMicros: 10_000 }],
  },
});

const random = seeded(3);
const PLACES = [
  { contentId: article.id },
  { contentId: gone.id },
  { url: 'https://www.example.com/news/1' },
  { url: 'https://www.example.com/news/ü' },
];
interface Used {
  at: number;
  place: number;
  purpose: string;
}
const used: Used[] = [];
for (let i = 0; i < 120; i++) {
  // Clocks go back on the 25th.
  clock.advance(random.int(1, 4 * 3_600_000));
  const [place, purpose] = [random.int(0, 3), random.pick(['training', 'training', 'search', 'other'])];
  const body = { ...PLACES[place], requesterId: 'acme', purpose };
  const answer = await postern.call('POST', '/v1/access/check', { body });
  assert.equal(answer.body.licenseId, license.id, answer.text);
  used.push({ at: Date.parse(answer.body.created), place, purpose });
}
await postern.call('DELETE', `/v1/content/${gone.id}`);
const [statement] = (await postern.call('GET', `/v1/statements?period=2026-10&licenseId=${license.id}`)).body.data;

/** The day in Berlin: two hours ahead, one since the clocks went back. */
const dayOf = (at: number): string =>
  new Date(at + (at < Date.parse('2026-10-25T01:00:00Z') ? 2 : 1) * 3_600_000).toISOString().slice(0, 10);
const billed = used.filter(
  ({ at, purpose }) => purpose !== 'other' && at < Date.parse(statement.to) && at >= Date.parse(statement.from),
);
const SPELLED = [
  'www.example.com/articles/1?page=2#top',
  '',
  'https://WWW.example.com:443/news/1?utm=x',
  'http://www.example.com/news/%C3%BC',
];

const send = (csv: string, headers: object = {}) =>
  postern.call('POST', `/v1/statements/${statement.id}/reconcile`, {
    raw: csv,
    headers: { 'content-type': 'text/csv', ...headers },
  });
async function reconciled(csv: string): Promise<any> {
  const answer = await send(csv);
  assertStatus(answer, 200, csv.slice(0, 200));
  return answer.body;
}

/** Their file: the billed decisions without those of the deleted item, grouped. */
function theirs(change: (one: Used, n: number) => number = () => 1): string {
  const groups = Map.groupBy(
    billed.filter(({ place }) => place !== 1),
    ({ at, place, purpose }) => `${dayOf(at)};${SPELLED[place]};${purpose}`,
  );
  const rows = [...groups].map(([key, some]) => `${key};${some.reduce((sum, one, i) => sum + change(one, i), 0)}`);
  return `\u{feff}Day;URL;Purpose;Requests\r\n${rows.join('\r\n')}\r\n`;
}

test('equal counts agree, in any spelling; what is deleted is only ours', async () => {
  const deleted = billed.filter(({ place }) => place === 1);
  const found = await reconciled(theirs());
  assert.deepEqual(found.by, ['date', 'content', 'purpose']);
  assert.equal(found.agreed.decisions, billed.length - deleted.length);
  assert.equal(found.onlyOurs.decisions, deleted.length);
  assert.deepEqual(found.onlyTheirs, { rows: 0, decisions: 0 });
  assert.equal(found.agreed.decisions + found.onlyOurs.decisions, statement.decisions);
  for (const row of found.rows) assert.deepEqual([row.contentId, row.url, row.theirs], [null, null, 0]);
});

test('differences are told by row, the greatest first', async () => {
  const csv = theirs(({ purpose }) => (purpose === 'search' ? 3 : 1));
  const found = await reconciled(csv);
  const searches = billed.filter(({ place, purpose }) => place !== 1 && purpose === 'search').length;
  assert.equal(found.onlyTheirs.decisions, 2 * searches);
  const gaps = found.rows.map(({ ours, theirs: counted }: { ours: number; theirs: number }) =>
    Math.abs(ours - counted),
  );
  assert.deepEqual(
    gaps,
    gaps.toSorted((a: number, b: number) => b - a),
  );
  assert.equal(found.rows.length, found.differing);
});

test('compared by the columns that are there', async () => {
  const counts = Map.groupBy(billed, ({ purpose }) => purpose);
  const csv = `count,PURPOSE\n${[...counts].map(([purpose, some]) => `${some.length},${purpose}`).join('\n')}`;
  const found = await reconciled(csv);
  assert.deepEqual([found.by, found.agreed.rows, found.differing], [['purpose'], counts.size, 0]);
  const days = Map.groupBy(billed, ({ at }) => dayOf(at));
  const byDay = await reconciled(`date\tcount\n${[...days].map(([day, some]) => `${day}\t${some.length}`).join('\n')}`);
  assert.deepEqual([byDay.differing, byDay.agreed.decisions], [0, billed.length]);
  const byItem = await reconciled(`content_id,count\n${article.id},1\n${article.externalId},2\n"nobody's, thing",5\n`);
  const articles = billed.filter(({ place }) => place === 0).length;
  assert.equal(byItem.agreed.decisions, Math.min(3, articles));
  assert.deepEqual(
    byItem.rows.filter(({ ours }: { ours: number }) => ours === 0),
    [{ date: null, contentId: "nobody's, thing", url: null, purpose: null, ours: 0, theirs: 5 }],
  );
});

test('a final statement is compared as it was billed', async () => {
  clock.advance(Date.parse('2026-11-02T00:00:00Z') - clock.now());
  assertStatus(await postern.call('POST', `/v1/statements/${statement.id}/finalize`), 200);
  const found = await reconciled(theirs());
  assert.equal(found.agreed.decisions + found.onlyOurs.decisions, statement.decisions);
});

test('a file as a spreadsheet saves it, with ids as our exports protect them', async () => {
  const found = await reconciled("\ufeff;;\r\nContent-ID;COUNT;;\r\n;;;\r\n'=launch;2;;\r\n''=launch;3;;\r\n;;\r\n");
  const unknown = found.rows.filter(({ ours }: { ours: number }) => ours === 0);
  assert.deepEqual(
    unknown.map(({ contentId, theirs: count }: { contentId: string; theirs: number }) => [contentId, count]),
    [
      ["'=launch", 3],
      ['=launch', 2],
    ],
  );
});

test('faults are told with their lines, and nothing is written', async () => {
  for (const [csv, line, message] of [
    ['date,count\n2026-10-05,1\n2026-02-30,2\n', 3, /`date` must be a day/],
    ['date,count\n2026-10-05,-1\n', 2, /`count` must be a whole number/],
    ['date,count\n"2026\n-10",x\n2026-10-05,1.5', 2, /`date`/],
    ['date,count\n\n2026-10-05,1,2\n', 3, /3 cells in a table of 2 columns/],
    ['date,cuont\n', 1, /did you mean count\?/],
    ['date,day,count\n', 1, /two columns are date/],
    ['date,url\n', 1, /the column count is missing/],
    ['count\n1\n', 1, /is missing/],
    ['url,count\n"a"b,1\n', 2, /must be doubled/],
    ['url,count\n"ab,1\n', 2, /is not closed/],
    ['url,count\n,1\n', 2, /a `contentId` or a `url` is missing/],
  ] as const) {
    const answer = await send(csv);
    assertError(answer, 'invalid_request', `line ${line}`, csv);
    assert.match(answer.body.error.message, message);
  }
  const many = await send(`date,count\n${'x,y\n'.repeat(50)}`);
  assert.equal(many.body.error.details.length, 20);
  assertError(await send('   \n'), 'invalid_request', 'line 1');
});

test('a long file delays no other request', async () => {
  const url = (i: number) => `https://www.example.com/news/${i}`;
  for (const csv of [
    `url,count\n${Array.from({ length: 60_000 }, (_, i) => `${url(i)},1`).join('\n')}`,
    `url,count\n${'\n'.repeat(2_000_000)}`,
    `url,count\n${','.repeat(2_000_000)}`,
  ]) {
    const share = await longestTurn(() => send(csv));
    assert.ok(share < 0.3, `${share}: ${csv.slice(0, 30)}`);
  }
});

test('a file in another encoding than UTF-8 is refused, not misread', async () => {
  for (const encoding of ['latin1', 'utf16le'] as const) {
    const raw = Buffer.from('url,count\nhttps://www.example.com/news/ü,1\n', encoding);
    const headers = { 'content-type': 'text/csv' };
    const answer = await postern.call('POST', `/v1/statements/${statement.id}/reconcile`, { raw, headers });
    assertError(answer, 'invalid_request', undefined, encoding);
    assert.match(answer.body.error.message, /UTF-8/);
  }
});

test('only this operation takes CSV, and it takes nothing else', async () => {
  assertError(await send('{}', { 'content-type': 'text/plain' }), 'unsupported_media_type');
  for (const json of ['{}', '"date,count\\n2026-10-05,1"', '[]', 'x']) {
    const answer = await send(json, { 'content-type': 'application/json' });
    assertError(answer, 'unsupported_media_type', undefined, json);
    assert.match(answer.body.error.message, /text\/csv/);
  }
  const elsewhere = await postern.call('POST', '/v1/requesters', { raw: 'a', headers: { 'content-type': 'text/csv' } });
  assertError(elsewhere, 'unsupported_media_type');
});
