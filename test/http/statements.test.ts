/** Statements: what they count, how they are finalized, corrected and shown, and the usage of a license. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus, ID, item, MOMENT, made, makeKey, makePolicy, readPublicId } from './given.ts';

hurry();

const DAY_MS = 86_400_000;
const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const TERMS = {
  reference: 'Contract <12>',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 3, unitPriceMicros: 20_000 },
    { upTo: null, unitPriceMicros: 12_500 },
  ],
  flatMicros: 1_000_000,
};

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const open = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id }));
const second = await made(postern, '/v1/content', item({ policyId: policy.id }));
const free = await made(postern, '/v1/content', item({ policyId: open.id }));

let count = 0;
const newLicense = async (terms: object | null = TERMS) => {
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: `acme-${++count}`, name: `Acme ${count}` });
  return made(postern, '/v1/licenses', { requesterId, type: 'commercial', terms });
};

/** Checks that are allowed, in order; returns their public ids. */
async function use(requesterId: string, purposes: (string | null)[], contentId = article.id): Promise<string[]> {
  const ids: string[] = [];
  for (const purpose of purposes) {
    clock.advance(1000);
    const body = { contentId, requesterId, ...(purpose === null ? {} : { purpose }) };
    const answer = await postern.call('POST', '/v1/access/check', { body });
    assertStatus(answer, 200);
    assert.equal(answer.body.allowed, true, answer.text);
    ids.push(await readPublicId(postern, answer.body.id));
  }
  return ids;
}
const list = async (query: string) => {
  const answer = await postern.call('GET', `/v1/statements?${query}`);
  assertStatus(answer, 200);
  return answer.body;
};
const ofLicense = async (license: { id: string }, period = '2026-10') =>
  (await list(`period=${period}&licenseId=${license.id}`)).data[0];
const get = (id: string, accept = 'application/json') =>
  postern.call('GET', `/v1/statements/${id}`, { headers: { accept } });
const sha256 = (ids: string[]): string =>
  createHash('sha256')
    .update(ids.map((id) => `${id}\n`).join(''))
    .digest('hex');
const toTime = (text: string): void => clock.advance(Date.parse(text) - clock.now());

test('lines by purpose and tier, each with its decisions, ids and digest', async () => {
  const license = await newLicense();
  const ids = await use(license.requesterId, ['training', 'search', 'training', 'training', 'search', null]);
  await postern.call('POST', '/v1/access/check', {
    body: { contentId: article.id, requesterId: license.requesterId, dryRun: true },
  });
  const statement = await ofLicense(license);
  assert.match(statement.id, ID('stm'));
  const of = (...indexes: number[]) => indexes.map((i) => ids[i] as string);
  const shown = statement.lines.map((line: any) => [
    line.kind,
    line.purpose,
    line.tier,
    line.units,
    line.amount,
    line.sha256,
  ]);
  assert.deepEqual(shown, [
    // The sixth unit costs 1.25 cents: half to even.
    ['usage', null, 2, 1, '0.01', sha256(of(5))],
    ['usage', 'search', 1, 1, '0.02', sha256(of(1))],
    ['usage', 'search', 2, 1, '0.01', sha256(of(4))],
    ['usage', 'training', 1, 2, '0.04', sha256(of(0, 2))],
    ['usage', 'training', 2, 1, '0.01', sha256(of(3))],
    ['flat', null, null, null, '1.00', null],
  ]);
  const training = statement.lines[3];
  assert.deepEqual([training.firstDecisionId, training.lastDecisionId, training.decisions], [ids[0], ids[2], 2]);
  assert.deepEqual(statement.total, { amount: '1.09', amountMicros: 1_090_000 });
  assert.deepEqual(
    [statement.status, statement.period, statement.from, statement.to, statement.units, statement.decisions],
    ['running', '2026-10', license.created, '2026-10-31T23:00:00.000Z', 6, 6],
  );
  assert.deepEqual((await get(statement.id)).body, statement);
});

test('items are counted once per period, purposes only if they are listed', async () => {
  const license = await newLicense({ ...TERMS, unit: 'distinct_content', purposes: ['training', 'search'] });
  await use(license.requesterId, ['training', 'search', 'other', null]);
  await use(license.requesterId, ['search'], second.id);
  const statement = await ofLicense(license);
  assert.deepEqual([statement.units, statement.decisions], [2, 3]);
  assert.deepEqual(
    statement.lines.slice(0, -1).map((line: any) => [line.purpose, line.units, line.decisions]),
    [
      ['search', 1, 2],
      ['training', 1, 1],
    ],
  );
  assert.deepEqual(statement.uncounted, [
    { purpose: null, decisions: 1 },
    { purpose: 'other', decisions: 1 },
  ]);
});

test('the usage of a license: units, projection, quota, purposes, days', async () => {
  const quota = { units: 5, period: 'day', onExceed: 'allow' };
  const license = await newLicense({ ...TERMS, quota, alerts: [0.4, 0.8] });
  await use(license.requesterId, ['training']);
  clock.advance(DAY_MS);
  await use(license.requesterId, ['training', 'search']);
  const { body } = await postern.call('GET', `/v1/licenses/${license.id}/usage`);
  assert.equal(body.units, 3);
  assert.ok(body.projectedUnits > 30, String(body.projectedUnits));
  assert.equal(body.amount.amount, '1.06');
  assert.deepEqual([body.quota.units, body.quota.used, body.quota.remaining, body.quota.period], [5, 2, 3, 'day']);
  assert.deepEqual(body.alerts, [
    { at: 0.4, reached: true },
    { at: 0.8, reached: false },
  ]);
  assert.deepEqual(
    body.byDay.map((day: any) => day.decisions),
    [1, 2],
  );
  assert.deepEqual(body.byPurpose, [
    { purpose: 'search', units: 1, decisions: 1 },
    { purpose: 'training', units: 2, decisions: 2 },
  ]);
  const without = await newLicense(null);
  assertError(await postern.call('GET', `/v1/licenses/${without.id}/usage`), 'statement_not_found');
  assertError(await postern.call('GET', '/v1/licenses/lic_0/usage'), 'license_not_found');
});

test('the projection is never more than a quota that denies can give', async () => {
  const project = async (quota: object): Promise<{ units: number; projectedUnits: number }> => {
    const license = await newLicense({ ...TERMS, quota });
    await use(license.requesterId, ['training', 'training', 'search']);
    const { body } = await postern.call('GET', `/v1/licenses/${license.id}/usage`);
    return body;
  };
  const unbound = await project({ units: 5, period: 'month', onExceed: 'allow' });
  assert.ok(unbound.projectedUnits > 5, String(unbound.projectedUnits));
  for (const period of ['month', 'year', 'term'])
    assert.equal((await project({ units: 5, period, onExceed: 'deny' })).projectedUnits, 5, period);
  assert.equal((await project({ units: 3, period: 'month', onExceed: 'deny' })).projectedUnits, 3);
  // Every day that begins within the month brings its own.
  const days = new Date(Date.UTC(new Date(clock.now()).getUTCFullYear(), new Date(clock.now()).getUTCMonth() + 1, 0));
  const left = days.getUTCDate() - new Date(clock.now()).getUTCDate();
  const daily = await project({ units: 3, period: 'day', onExceed: 'deny' });
  assert.ok(daily.projectedUnits > 3 && daily.projectedUnits <= 3 + 3 * left, `${daily.projectedUnits} ${left}`);
});

test('decisions on deleted items stay billed, as deleted, before and after they are swept', async () => {
  const license = await newLicense();
  const gone = await made(postern, '/v1/content', item({ policyId: policy.id }));
  const [kept = ''] = await use(license.requesterId, ['training']);
  const [deleted = ''] = await use(license.requesterId, ['training'], gone.id);
  const before = await ofLicense(license);
  assert.equal(before.lines[0].deleted, null);
  await postern.call('DELETE', `/v1/content/${gone.id}`);
  const expected = { ...before.lines[0], deleted: { decisions: 1, sha256: sha256([deleted]) } };
  assert.deepEqual((await ofLicense(license)).lines[0], expected);
  assert.equal(expected.sha256, sha256([kept, deleted]));
  await until('the sweep', async () => (await postern.rowsOf('deleted_decisions')).length > 0 || undefined, 30_000);
  assert.deepEqual((await ofLicense(license)).lines[0], expected);
});

test('statements and what is outside of them are all allowed decisions', async () => {
  const license = await newLicense();
  const without = await newLicense(null);
  await use(license.requesterId, ['a', 'b']);
  await use(without.requesterId, ['a', 'b', 'c']);
  await use('nobody', ['a', 'b'], free.id);
  const { data, outside } = await list('period=2026-10&limit=100');
  const on = data.reduce(
    (sum: number, one: any) =>
      sum + one.decisions + one.uncounted.reduce((rest: number, { decisions }: any) => rest + decisions, 0),
    0,
  );
  const rows = (await postern.rowsOf('decisions')) as { reason: number }[];
  const allowed = rows.filter(({ reason }) => Number(reason) === 0).length;
  const swept = (await postern.rowsOf('deleted_decisions')).length;
  assert.equal(outside.deleted, swept);
  assert.equal(outside.noLicense, 2);
  assert.equal(outside.noTerms, 3);
  assert.equal(on + outside.noLicense + outside.noTerms, allowed + swept);
  assert.equal((await list(`period=2026-10&requesterId=${license.requesterId}`)).outside, null);
});

test('what is outside of statements keeps decisions of deleted items, which usage lacks', async () => {
  const without = await newLicense(null);
  const licensed = await made(postern, '/v1/content', item({ policyId: policy.id }));
  const open1 = await made(postern, '/v1/content', item({ policyId: open.id }));
  await use(without.requesterId, ['a'], licensed.id);
  await use('nobody', ['a', 'b', 'c'], open1.id);
  const before = (await list('period=2026-10')).outside;
  const usageOf = async () =>
    (await postern.call('GET', '/v1/analytics/usage?startDate=2026-10-01&endDate=2026-10-31')).body.summary.allowed;
  const used = await usageOf();
  for (const { id } of [licensed, open1]) await postern.call('DELETE', `/v1/content/${id}`);
  const expected = { ...before, deleted: before.deleted + 4 };
  assert.deepEqual((await list('period=2026-10')).outside, expected);
  assert.equal(await usageOf(), used - 4);
  const swept = async () => {
    const { length } = await postern.rowsOf('purges');
    return length === 0 || undefined;
  };
  await until('the sweep', swept, 30_000);
  assert.deepEqual((await list('period=2026-10')).outside, expected);
});

test('pages, periods and filters', async () => {
  const quarterly = await newLicense({ ...TERMS, period: 'quarter' });
  assert.equal((await list(`period=2026-10&licenseId=${quarterly.id}`)).totalCount, 0);
  for (const period of ['2026-12', '2026-Q4', '2026']) {
    const { data } = await list(`period=${period}&licenseId=${quarterly.id}`);
    assert.deepEqual(
      data.map((one: any) => one.period),
      ['2026-Q4'],
      period,
    );
  }
  const all = (await list('period=2026&limit=100')).data.map(({ id }: { id: string }) => id);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: any = await list(`period=2026&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.equal(page.totalCount, all.length);
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, all);
  assert.deepEqual(all, all.toSorted().toReversed());
  for (const period of ['2026-13', '2026-Q5', 'october', '26', '9999-12', '9999', '0000-01'])
    assertError(await postern.call('GET', `/v1/statements?period=${period}`), 'invalid_request', 'period');
  for (const period of ['0001-01', '9998-12']) {
    const { outside } = (await postern.call('GET', `/v1/statements?period=${period}&timezone=Asia/Tokyo`)).body;
    for (const time of [outside.from, outside.to]) assert.match(time, MOMENT, period);
  }
});

test('a quarter or a year that a license did not outlast is listed with its last month', async () => {
  const yearly = await newLicense({ ...TERMS, period: 'year' });
  const quarterly = await newLicense({ ...TERMS, period: 'quarter' });
  await use(yearly.requesterId, ['training']);
  await use(quarterly.requesterId, ['training']);
  clock.advance(1000);
  assertStatus(await postern.call('POST', `/v1/licenses/${yearly.id}/revoke`), 200);
  const body = { terms: null, effective: 'now' };
  assertStatus(await postern.call('PATCH', `/v1/licenses/${quarterly.id}`, { body }), 200);
  clock.advance(1000);
  const year = new Date(clock.now()).getUTCFullYear();
  for (const [license, label] of [
    [yearly, `${year}`],
    [quarterly, `${year}-Q4`],
  ] as const)
    for (const period of [`${year}-12`, `${year}-Q4`, `${year}`]) {
      const { data } = await list(`period=${period}&licenseId=${license.id}`);
      assert.deepEqual(
        data.map((one: any) => [one.licenseId, one.period, one.units]),
        [[license.id, label, 1]],
        `${period} ${label}`,
      );
    }
});

test('a statement becomes final once its period has ended, and never changes', async () => {
  const license = await newLicense();
  const ids = await use(license.requesterId, ['training', 'training']);
  const running = await ofLicense(license);
  const finalize = (id = running.id) => postern.call('POST', `/v1/statements/${id}/finalize`);
  assertError(await finalize(), 'statement_running');
  toTime('2026-10-31T23:00:30Z');
  assertError(await finalize(), 'statement_running');
  assert.equal((await ofLicense(license)).status, 'open');
  toTime('2026-11-01T00:00:00Z');
  const answer = await finalize();
  assertStatus(answer, 200);
  const final = answer.body;
  assert.deepEqual(
    [final.status, final.finalizedAt, final.lines.map(({ root: _, ...line }: any) => line)],
    ['final', '2026-11-01T00:00:00.000Z', running.lines],
  );
  clock.advance(1000);
  assert.deepEqual((await finalize()).body, final);
  const { data: events } = (await postern.call('GET', '/v1/events?type=statement.finalized')).body;
  assert.deepEqual(
    events.map((event: any) => event.data.object),
    [final],
  );
  // Neither new terms nor the end of the license change it.
  await postern.call('PATCH', `/v1/licenses/${license.id}`, {
    body: { terms: { ...TERMS, flatMicros: 0 }, effective: 'now' },
  });
  await postern.call('DELETE', `/v1/licenses/${license.id}`);
  assert.deepEqual((await get(final.id)).body, final);
  assert.equal(final.lines[0].sha256, sha256(ids));
});

test('what is counted late is a correction on the next statement, once', async () => {
  const license = await newLicense();
  await use(license.requesterId, ['training']);
  const november = await ofLicense(license, '2026-11');
  toTime('2026-12-01T10:00:00Z');
  const { body: final } = await postern.call('POST', `/v1/statements/${november.id}/finalize`);
  assert.equal((await ofLicense(license, '2026-12')).lines.length, 1);
  // A decision that should not have counted.
  await postern.tamper({ sql: `update decisions set enforced = 0 where license_id = '${license.id}'` });
  const december = await ofLicense(license, '2026-12');
  const correction = december.lines.at(-1);
  assert.deepEqual(
    [correction.kind, correction.statementId, correction.units, correction.decisions, correction.amount],
    ['correction', final.id, -1, -1, '-0.02'],
  );
  assert.equal(december.total.amount, '0.98');
  assert.deepEqual((await get(final.id)).body, final);
  const csv = (await get(december.id, 'text/csv')).text;
  assert.match(csv, /,correction,.*,-1,.*,-0\.02/, 'numbers, not text');
  toTime('2027-01-02T00:00:00Z');
  const kinds = async () => (await ofLicense(license, '2027-01')).lines.map((line: any) => line.kind);
  assert.deepEqual(await kinds(), ['flat'], 'December is not final yet and has it');
  assertStatus(await postern.call('POST', `/v1/statements/${december.id}/finalize`), 200);
  assert.deepEqual(await kinds(), ['flat']);
});

test('terms within a month: the quota counts the calendar month, the statement begins with the terms', async () => {
  const license = await newLicense(null);
  await use(license.requesterId, ['training', 'search']);
  const period = new Date(clock.now()).toISOString().slice(0, 7);
  const { noTerms } = (await list(`period=${period}`)).outside;
  clock.advance(1000);
  const patched = await postern.call('PATCH', `/v1/licenses/${license.id}`, {
    body: { terms: { ...TERMS, quota: { units: 3, onExceed: 'deny' } } },
  });
  assertStatus(patched, 200);
  await use(license.requesterId, ['training']);
  const denied = await postern.call('POST', '/v1/access/check', {
    body: { contentId: article.id, requesterId: license.requesterId, purpose: 'training' },
  });
  assert.deepEqual([denied.body.reason, denied.body.quota.used], ['quota_exceeded', 3]);
  const { body: usage } = await postern.call('GET', `/v1/licenses/${license.id}/usage`);
  assert.deepEqual([usage.units, usage.quota.used, usage.quota.remaining], [1, 3, 0]);
  const statement = await ofLicense(license, period);
  assert.deepEqual([statement.units, statement.from], [1, patched.body.termsEffectiveAt]);
  assert.equal((await list(`period=${period}`)).outside.noTerms, noTerms, 'what was used before is outside');
});

test('as CSV and as a page', async () => {
  const license = await newLicense();
  await use(license.requesterId, ['<b>&', 'training']);
  const { id } = await ofLicense(license, '2027-01');
  const csv = await get(id, 'text/csv');
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
  const lines = csv.text.trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[0] ?? '', /^statementId,status,licenseId,reference,/);
  const html = await get(id, 'text/html,application/xhtml+xml;q=0.9');
  assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(html.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.ok(html.text.includes('Contract &lt;12&gt;') && html.text.includes('&lt;b&gt;&amp;'));
  assert.doesNotMatch(html.text, /<script|<link|src=|https?:/);
  assert.match(html.text, /EUR 1\.04/);
});

test('all of a month as CSV: a row for each statement, also beyond a page, without formulas', async () => {
  const license = await newLicense({ ...TERMS, purposes: ['training', 'search'] });
  await use(license.requesterId, ['training', 'search', 'other']);
  const period = '2027-01';
  const read = (query: string, accept = 'text/csv') =>
    postern.call('GET', `/v1/statements?${query}`, { headers: { accept } });
  const csv = await read(`period=${period}&limit=1`);
  assertStatus(csv, 200);
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
  const [head = '', ...rows] = csv.text.trim().split('\r\n');
  assert.equal(
    head,
    'statementId,status,licenseId,reference,requesterId,requesterName,period,from,to,timezone,termsVersion,unit,units,decisions,uncountedDecisions,total,currency,finalizedAt,days,daysOfPeriod,prorated',
  );
  const { data } = await list(`period=${period}&limit=100`);
  assert.ok(data.length > 1);
  assert.deepEqual(
    rows.map((row) => row.split(',')[0]),
    data.map(({ id }: { id: string }) => id),
  );
  const { id, total, units, decisions } = await ofLicense(license, period);
  const cells = rows.find((row) => row.startsWith(id))?.split(',') ?? [];
  const cell = (name: string): string | undefined => cells[head.split(',').indexOf(name)];
  assert.deepEqual(['units', 'decisions', 'uncountedDecisions', 'total', 'currency', 'finalizedAt'].map(cell), [
    `${units}`,
    `${decisions}`,
    '1',
    total.amount,
    'EUR',
    '',
  ]);
  await postern.call('PATCH', `/v1/requesters/${license.requesterId}`, { body: { name: '=HYPERLINK("x"),1' } });
  const one = await read(`period=${period}&requesterId=${license.requesterId}`);
  assert.equal(one.text.trim().split('\r\n').length, 2);
  assert.ok(one.text.includes(`,"'=HYPERLINK(""x""),1",`), one.text);
  assertError(await read('period=2027-13'), 'invalid_request', 'period');
  const key = await makeKey(postern, { type: 'public', permissions: ['policies:read'] });
  const denied = await postern.call('GET', '/v1/statements', { key, headers: { accept: 'text/csv' } });
  assertError(denied, 'insufficient_permissions');
});

test('a page has the name and address of the publisher, if they are set', async () => {
  const license = await newLicense();
  const { id } = await ofLicense(license, '2027-01');
  const plain = (await get(id, 'text/html')).text;
  assert.match(plain, /<title>Statement January 2027 · [^<]+<\/title>/);
  assert.match(plain, /<h1>January 2027<\/h1>/);
  assert.match(plain, /Statement of usage 2027-01</);
  assert.match(plain, /<dt>Number<\/dt><dd>stm_/);
  assert.match(plain, /<dt>Period<\/dt><dd>January \d+, 2027 – January 31, 2027 \(Europe\/Berlin\)<\/dd>/);
  assert.doesNotMatch(plain, /<address/);
  await using own = await startTestService({
    env: { POSTERN_PUBLISHER: 'Tide & News Ltd; 1 Harbour Road\nHull <HU1>' },
  });
  const { id: requesterId } = await made(own, '/v1/requesters', { id: 'acme' });
  await made(own, '/v1/licenses', { requesterId, type: 'commercial', terms: TERMS });
  const { token } = await made(own, '/v1/requesters/acme/tokens', { name: 'ours' });
  const [statement] = (await own.call('GET', '/v1/statements')).body.data;
  for (const [path, key] of [
    ['/v1/statements', own.key],
    ['/v1/me/statements', token],
  ]) {
    const page = await own.call('GET', `${path}/${statement.id}`, { key, headers: { accept: 'text/html' } });
    assert.ok(
      page.text.includes(
        '<address class="sender"><strong>Tide &amp; News Ltd</strong><br>1 Harbour Road<br>Hull &lt;HU1&gt;</address>',
      ),
      page.text.slice(0, 400),
    );
  }
});

test('unknown statements, and keys that may not read them', async () => {
  for (const id of ['stm_0', 'x', `stm_${'0'.repeat(26)}`, `stm_7${'z'.repeat(25)}`]) {
    assertError(await get(id), 'statement_not_found');
    assertError(await postern.call('POST', `/v1/statements/${id}/finalize`), 'statement_not_found');
  }
  const key = await makeKey(postern, { type: 'public', permissions: ['policies:read'] });
  assertError(await postern.call('GET', '/v1/statements', { key }), 'insufficient_permissions');
});
