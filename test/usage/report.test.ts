/** Promise: reports and lists equal a fold over the decisions, for all writes, deletions and queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import type { Step } from '../../src/db/db.ts';
import { type Columns, type ColumnsFilter, openColumns } from '../../src/decisions/history/columns/columns.ts';
import { DIMENSIONS, type Dimension, isDimension } from '../../src/decisions/history/columns/dimensions.ts';
import { cellMs, fold } from '../../src/decisions/history/columns/series.ts';
import type { GroundsFilter } from '../../src/decisions/history/filter.ts';
import { VERIFIED_FILTERS } from '../../src/decisions/ledger/codes.ts';
import { toGroundsFilter } from '../../src/decisions/log/grounds.ts';
import { GROUPS, type PeriodQuery, precedingSpan, resolvePeriod, type Span } from '../../src/reports/usage/period.ts';
import { usageReport } from '../../src/reports/usage/report.ts';
import type { UsageQuery, UsageReport } from '../../src/reports/usage/schema.ts';
import type { ContentType } from '../../src/rules/content-types.ts';
import { findProgram } from '../../src/rules/crawlers/program.ts';
import { decodeReason, REASONS } from '../../src/rules/reason.ts';
import { type Decided, onClickHouse, openColumnRecords } from './records.ts';

interface Item {
  id: string;
  type: string;
}

interface Model {
  items: Map<number, Item>;
  decided: Decided[];
}

const NOW = Date.UTC(2026, 10, 21, 9, 30);
const DAY = 86_400_000;

/** The report the slow way. */
function naive(model: Model, query: UsageQuery): UsageReport {
  const limit = query.limit ?? 10;
  const groupBy = isDimension(query.groupBy) ? query.groupBy : undefined;
  const moments = model.decided.map((one) => one.at);
  const bounds = moments.length === 0 ? {} : { first: Math.min(...moments), last: Math.max(...moments) };
  const period = resolvePeriod(
    { ...query, groupBy: isDimension(query.groupBy) ? undefined : query.groupBy },
    { now: NOW, ...bounds },
  );
  const isItem = (no: number): boolean => {
    const item = model.items.get(no);
    const names = [undefined, item?.id, `ext-${no}`];
    return names.includes(query.contentId) && [undefined, item?.type].includes(query.type);
  };
  const matching = model.decided.filter((one) => {
    return (
      isItem(one.contentNo) &&
      (query.requesterId === undefined || query.requesterId === one.requesterId) &&
      (query.reason === undefined || query.reason === decodeReason(one.reason)) &&
      isWithin(one, { page: query.page, pagePrefix: query.pagePrefix }) &&
      hasGrounds(one, { ...toGroundsFilter(query), enforced: undefined })
    );
  });
  const isCounted = (one: Decided) => (one.enforced ?? true) === (query.enforced ?? true);
  const inSpan = ({ from, to }: Span) => matching.filter(({ at }) => at >= from && at < to);
  const within = (span: Span) => inSpan(span).filter(isCounted);
  const selected = within(period);
  const ends = [...period.buckets.slice(1).map((bucket) => bucket.start), Infinity];
  const denied = (some: Decided[]) => some.filter((one) => one.reason !== 0).length;
  const top = (ids: string[]) => {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  };
  const itemOf = (one: Decided) => model.items.get(one.contentNo)?.id;
  const outcomes = (some: Decided[]) => ({
    requests: some.length,
    allowed: some.length - denied(some),
    denied: denied(some),
  });
  const summaryOf = (span: Span): UsageReport['summary'] => {
    const some = within(span);
    const observed = inSpan(span).filter((one) => one.enforced === false);
    return {
      totalRequests: some.length,
      allowed: some.length - denied(some),
      denied: denied(some),
      uniqueRequesters: new Set(some.flatMap((one) => one.requesterId ?? [])).size,
      uniqueContent: new Set(some.flatMap((one) => itemOf(one) ?? [])).size,
      uniquePages: new Set(some.flatMap((one) => pageOf(one) ?? [])).size,
      observed: {
        requests: observed.length,
        wouldAllow: observed.length - denied(observed),
        wouldDeny: denied(observed),
      },
    };
  };
  const spoofed = (some: Decided[]) => some.filter((one) => one.claimed != null).length;
  const groups = (some: Decided[], keyOf: (one: Decided) => string) =>
    [...Map.groupBy(some, keyOf)].toSorted(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1)).slice(0, limit);
  const trendOf = (some: Decided[]) =>
    query.expand === undefined
      ? {}
      : {
          trend: period.buckets.map(
            ({ start }, i) => some.filter(({ at }) => at >= start && at < (ends[i] as number)).length,
          ),
        };
  const contents = top(selected.flatMap((one) => itemOf(one) ?? []));
  const pages = top(selected.flatMap((one) => pageOf(one) ?? []));
  const requesters = top(selected.flatMap((one) => one.requesterId ?? []));
  const before = query.period === 'all' && query.startDate === undefined ? null : precedingSpan(period);
  const reasons = top(selected.flatMap((one) => decodeReason(one.reason) ?? []));
  return {
    object: 'usage_report',
    summary: summaryOf(period),
    ...(query.compare === undefined
      ? {}
      : {
          previous: before && {
            startDate: new Date(before.from).toISOString(),
            endDate: new Date(before.to).toISOString(),
            summary: summaryOf(before),
          },
        }),
    timeSeries: period.buckets.map(({ date, start }, i) => {
      const inBucket = selected.filter((one) => one.at >= start && one.at < (ends[i] as number));
      return {
        date,
        requests: inBucket.length,
        allowed: inBucket.length - denied(inBucket),
        denied: denied(inBucket),
      };
    }),
    topContent: contents.slice(0, limit).map(([id, requests]) => ({
      id,
      title: `About ${id}`,
      requests,
      ...trendOf(selected.filter((one) => itemOf(one) === id)),
    })),
    topPages: pages.slice(0, limit).map(([page, requests]) => ({
      page,
      requests,
      ...trendOf(selected.filter((one) => pageOf(one) === page)),
    })),
    topRequesters: requesters.slice(0, limit).map(([id, requests]) => ({
      id,
      name: id,
      requests,
      ...trendOf(selected.filter((one) => one.requesterId === id)),
    })),
    byDenialReason: reasons.map(([reason, count]) => ({ reason: reason as keyof typeof REASONS, count })),
    byCrawler: groups(
      selected.filter((one) => one.crawler != null),
      (one) => one.crawler as string,
    ).map(([crawler, some]) => ({
      crawler,
      ...outcomes(some),
      verified: some.filter((one) => one.verified != null).length,
      spoofed: spoofed(some),
    })),
    byCollection: groups(
      selected.filter((one) => one.collectionId != null),
      (one) => one.collectionId as string,
    ).map(([collectionId, some]) => ({
      collectionId,
      name: NAMES[collectionId] ?? null,
      ...outcomes(some),
    })),
    ...(groupBy === undefined
      ? {}
      : {
          groups: groups(groupBy === 'enforced' && query.enforced === undefined ? inSpan(period) : selected, (one) =>
            KEYS[groupBy](one),
          ).map(([key, some]) => ({ ...toGroup(groupBy, key), ...outcomes(some) })),
        }),
    period: {
      startDate: new Date(period.from).toISOString(),
      endDate: new Date(period.to).toISOString(),
      groupBy: period.groupBy,
      timezone: period.timezone,
    },
  };
}

/** Collections and policies that exist, by what decisions know of them. */
const NAMES: Record<string, string> = { col_a: 'Ä collection' };
const POLICIES: Record<string, string> = { 1: 'pol_one', 2: 'pol_two' };

/** The group of a decision, as a text that sorts like the group. */
const KEYS: Record<Dimension, (one: Decided) => string> = {
  collection: (one) => one.collectionId ?? '',
  crawler: (one) => one.crawler ?? '',
  program: (one) => (one.userAgent === null ? '' : findProgram(one.userAgent)),
  page: (one) => pageOf(one) ?? '',
  verified: (one) => String(one.verified ?? 0),
  license: (one) => one.licenseId ?? '',
  purpose: (one) => one.purpose ?? '',
  permission: (one) => one.permission ?? '',
  rule: (one) => `${one.policyNo} ${9 - (one.policyVersion ?? 1)} ${(one.ruleIndex ?? -1) + 1}`,
  enforced: (one) => (one.enforced === false ? '0' : '1'),
};

const pageOf = ({ url, file }: Decided): string | undefined => (file ?? url)?.split('?')[0];

type Group = NonNullable<UsageReport['groups']>[number];

function toGroup(by: Dimension, key: string): Pick<Group, 'id' | 'name' | 'policyVersion' | 'ruleIndex'> {
  const id = key === '' ? null : key;
  if (by === 'collection') return { id, name: NAMES[key] ?? null };
  if (by === 'verified') return { id: [null, 'token', 'signature', 'ip', 'dns'][Number(key)] as string | null };
  if (by === 'enforced') return { id: key === '1' ? 'true' : 'false' };
  if (by !== 'rule') return { id };
  const [no = '', version, index] = key.split(' ');
  const rule = { policyVersion: 9 - Number(version), ruleIndex: index === '0' ? null : Number(index) - 1 };
  return { id: POLICIES[no] ?? null, ...rule };
}

const hasGrounds = (one: Decided, filter: GroundsFilter): boolean =>
  fits(filter.collectionId, one.collectionId) &&
  fits(filter.crawler, one.crawler) &&
  fits(filter.verified, typeof filter.verified === 'boolean' ? one.verified != null : one.verified) &&
  fits(filter.licenseId, one.licenseId) &&
  fits(filter.purpose, one.purpose) &&
  fits(filter.permission, one.permission) &&
  fits(filter.enforced, one.enforced ?? true);

const fits = <T>(wanted: T | undefined, value: T): boolean => wanted === undefined || wanted === value;

const isSelected = (one: Decided, filter: ColumnsFilter): boolean =>
  fits(filter.contentNo, one.contentNo) &&
  fits(filter.requesterId, one.requesterId) &&
  fits(filter.policyNo, one.policyNo) &&
  fits(filter.allowed, one.reason === 0) &&
  fits(filter.reason, one.reason) &&
  hasGrounds(one, filter) &&
  isWithin(one, filter);

const isWithin = (one: Decided, { spoofed, url, page, pagePrefix, from, to }: ColumnsFilter): boolean =>
  fits(page, pageOf(one)) &&
  (pagePrefix === undefined || `${pageOf(one)}/`.startsWith(`${pagePrefix}/`)) &&
  fits(spoofed, one.claimed != null) &&
  (url === undefined || one.url?.startsWith(url) === true) &&
  (from === undefined || one.at >= from) &&
  (to === undefined || one.at < to);

async function assertFinds(columns: Columns, model: Model, filter: ColumnsFilter, limit: number): Promise<void> {
  const selected = model.decided
    .filter((one) => isSelected(one, filter))
    .map((one) => one.seq)
    .toSorted((a, b) => b - a);
  const walked: number[] = [];
  for (;;) {
    const page = await columns.find(filter, { before: walked.at(-1) ?? null, limit });
    assert.equal(page.totalCount, selected.length);
    walked.push(...page.seqs);
    if (page.seqs.length < limit) break;
  }
  assert.deepEqual(walked, selected);
}

const TYPES: ContentType[] = ['article', 'report', 'video'];
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'];
const NOS = 6;

const no = fc.integer({ min: 1, max: NOS });
const id = fc.constantFrom('a', "o'b", 'ü', '100%_');
const seldomNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 1 });
const maybeNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary);
/** Grounds of decisions; most have the usual values. */
const grounds = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.record({
      purpose: maybeNull(id),
      permission: maybeNull(id),
      old: fc.boolean(),
      url: maybeNull(
        fc.constantFrom(
          'example.com/',
          'example.com/news?a=/1',
          'example.com/news/1',
          'example.com/news/1?b',
          'example.com/newsroom',
          'example.com/100%_/1',
          "o'b.example/x",
        ),
      ),
      file: seldomNull(fc.constantFrom('example.com/news', 'example.com/news?a=/1')),
      collectionId: maybeNull(fc.constantFrom('col_a', 'col_b', 'col_c')),
      crawler: maybeNull(fc.constantFrom('GPTBot', 'ClaudeBot', 'Bingbot')),
      licenseId: maybeNull(id),
      claimed: maybeNull(fc.constantFrom('GPTBot', 'partner_1')),
      userAgent: fc.constantFrom(
        undefined,
        null,
        '',
        'curl/8.5',
        'FooBot',
        "o'Bot/1",
        'Mozilla/5.0 (X11) Gecko/1 Firefox/1',
      ),
      verified: maybeNull(fc.integer({ min: 1, max: 4 })),
      enforced: fc.boolean(),
      policyVersion: fc.integer({ min: 1, max: 3 }),
      ruleIndex: maybeNull(fc.integer({ min: 0, max: 2 })),
    }),
  },
);
// Makes ties, crowded times and boundaries likely: few requesters, times on whole quarters of an hour.
const moment = fc.oneof(
  fc.integer({ min: NOW - 400 * DAY, max: NOW }),
  fc.integer({ min: 0, max: 96 * 20 }).map((quarters) => Math.floor(NOW / DAY) * DAY - quarters * 900_000),
  fc.integer({ min: 0, max: 20 }).map((back) => (Math.floor(NOW / DAY) - back) * DAY),
  fc.integer({ min: 1, max: 20 }).map((back) => NOW - back * DAY),
  fc.constantFrom(0, 1, 2).map((ms) => Date.UTC(2026, 9, 25, 1) - 1 + ms),
);
const drafts = fc.array(
  fc
    .tuple(
      fc.record({
        at: moment,
        contentNo: fc.integer({ min: 0, max: NOS }),
        requesterId: fc.constantFrom(null, 'a', 'B', 'partner_1', 'partner_10', "o'brien", 'ü'),
        policyNo: fc.integer({ min: 1, max: 3 }),
        reason: fc.integer({ min: 0, max: Object.keys(REASONS).length }),
      }),
      grounds,
    )
    .map(([decided, more]) => ({ ...decided, ...more })),
  { maxLength: 60, size: 'max' },
);

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const days = fc
  .oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 }))
  .map((back) => new Date(NOW - back * DAY).toISOString());
const date = days.chain((text) => fc.constantFrom(text.slice(0, 10), text, text.slice(0, 16)));
const range: fc.Arbitrary<PeriodQuery> = fc.oneof(
  fc.record({ period: maybe(fc.constantFrom('7d', '30d', '90d', 'year', 'all')), endDate: maybe(date) }),
  fc.record({ startDate: date }),
  fc.tuple(date, date).map(([a, b]) => (a < b ? { startDate: a, endDate: b } : { startDate: b, endDate: a })),
);
const usageQuery: fc.Arbitrary<UsageQuery> = fc
  .tuple(
    range,
    fc.record({
      groupBy: maybe(fc.constantFrom(...GROUPS, ...DIMENSIONS)),
      timezone: maybe(fc.constantFrom(...ZONES)),
      contentId: seldom(no.chain((n) => fc.constantFrom(`ext-${n}`, `ext-${n + NOS}`))),
      requesterId: seldom(fc.constantFrom('a', "o'brien", 'nobody')),
      type: seldom(fc.constantFrom(...TYPES)),
      reason: seldom(fc.constantFrom('no_license' as const, 'policy_denied' as const)),
      collectionId: seldom(fc.constantFrom('col_a', 'col_z')),
      crawler: seldom(fc.constantFrom('GPTBot', 'NoBot')),
      verified: seldom(fc.constantFrom(...VERIFIED_FILTERS)),
      licenseId: seldom(id),
      purpose: seldom(id),
      permission: seldom(id),
      page: seldom(fc.constantFrom('example.com/news', 'example.com/')),
      pagePrefix: seldom(fc.constantFrom('example.com', 'example.com/news')),
      enforced: seldom(fc.boolean()),
      expand: maybe(fc.constant('trends' as const)),
      compare: maybe(fc.constant('previous' as const)),
      limit: maybe(fc.integer({ min: 1, max: 4 })),
    }),
  )
  .map(([a, b]) => ({ ...a, ...b }));
const decisionFilter: fc.Arbitrary<ColumnsFilter> = fc.record({
  contentNo: seldom(no),
  collectionId: seldom(fc.constantFrom('col_a', 'col_z')),
  url: seldom(fc.constantFrom('example.com/', 'example.com/100%_', 'example.com/%', "o'b.", 'xample')),
  page: seldom(fc.constantFrom('example.com/news', 'example.com/', 'example.com/none')),
  pagePrefix: seldom(fc.constantFrom('example.com', 'example.com/news', "o'b.example")),
  crawler: seldom(fc.constantFrom('GPTBot', 'NoBot')),
  verified: seldom(fc.constantFrom(true, false, 1, 2)),
  spoofed: seldom(fc.boolean()),
  licenseId: seldom(id),
  purpose: seldom(id),
  permission: seldom(id),
  enforced: seldom(fc.boolean()),
  requesterId: seldom(fc.constantFrom('a', 'ü', 'nobody')),
  policyNo: maybe(fc.integer({ min: 1, max: 3 })),
  allowed: maybe(fc.boolean()),
  reason: maybe(fc.integer({ min: 0, max: 3 })),
  from: maybe(moment),
  to: maybe(moment),
});

type Command =
  | { kind: 'decide'; drafts: Omit<Decided, 'seq'>[] }
  | { kind: 'delete'; no: number }
  | { kind: 'retype'; no: number; type: string }
  | { kind: 'reopen' }
  | { kind: 'report'; query: UsageQuery }
  | { kind: 'find'; filter: ColumnsFilter; limit: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('decide' as const), drafts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), no }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retype' as const), no, type: fc.constantFrom(...TYPES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('report' as const), query: usageQuery }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('find' as const),
      filter: decisionFilter,
      limit: fc.integer({ min: 5, max: 100 }),
    }),
  },
);

function* addNames(): Iterable<Step> {
  for (const [collection, name] of Object.entries(NAMES)) {
    yield {
      sql: `insert into collections (id, name, name_words, hosts, paths, content_types, content_tags, metadata, version,
              created_at, updated_at) values ($1, $2, '', '[]', '[]', '[]', '[]', '{}', 1, 0, 0)`,
      params: [collection, name],
    };
  }
  for (const [policyNo, policy] of Object.entries(POLICIES)) {
    for (const version of [1, 2]) {
      yield {
        sql: `insert into policy_versions (policy_no, version, policy_id, name, rules, default_action, created_at)
              values ($1, $2, $3, '', '[]', 'deny', 0)`,
        params: [policyNo, version, policy],
      };
    }
  }
}

async function play(commands: readonly Command[]): Promise<void> {
  const records = await openColumnRecords();
  const open = (): Columns => openColumns(records);
  let columns = open();
  try {
    const model: Model = { items: new Map(), decided: [] };
    let seq = 0;
    // Ids in an order of their own: ties go by the id, not by the number.
    for (let n = 1; n <= NOS; n++) model.items.set(n, { id: `cnt_${(n * 5) % 7}`, type: TYPES[n % 3] as string });
    await records.addContent([...model.items].map(([n, item]) => ({ no: n, ...item, title: `About ${item.id}` })));
    await records.db.atomic([...addNames()]);
    for (const step of commands) {
      if (step.kind === 'decide') {
        const decided = step.drafts.map((draft) => ({ ...draft, seq: ++seq }));
        await records.addDecisions(decided);
        model.decided.push(...decided.filter(({ contentNo }) => contentNo === 0 || model.items.has(contentNo)));
      } else if (step.kind === 'delete' && model.items.has(step.no)) {
        await records.deleteContent(step.no);
        model.items.delete(step.no);
        model.decided = model.decided.filter((one) => one.contentNo !== step.no);
      } else if (step.kind === 'retype' && model.items.has(step.no)) {
        await records.retype(step.no, step.type);
        (model.items.get(step.no) as Item).type = step.type;
      } else if (step.kind === 'reopen') {
        await columns.close();
        columns = open();
      } else if (step.kind === 'report') {
        const deps = { db: records.db, columns, now: () => NOW };
        const expected = orRefusal(() => naive(model, step.query));
        assert.deepEqual(await usageReport(deps, step.query).catch((error) => error.message), expected);
      } else if (step.kind === 'find') {
        await assertFinds(columns, model, step.filter, step.limit);
      }
    }
  } finally {
    await columns.close();
    await records.close();
  }
}

function orRefusal<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

test('reports and lists equal a fold over the decisions', async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 40 }), play), {
    numRuns: onClickHouse ? 3 : 8,
    endOnFailure: true,
  });
});

test('a range includes its start and excludes its end, to the millisecond', async () => {
  const records = await openColumnRecords();
  const columns = openColumns(records);
  const from = Date.UTC(2026, 10, 1, 12);
  const to = Date.UTC(2026, 10, 3, 12);
  try {
    await records.addContent([{ no: 1 }]);
    const moments = [from - 1, from, to - 1, to];
    await records.addDecisions(
      moments.map((at, i) => ({ seq: i + 1, at, contentNo: 1, requesterId: null, policyNo: 1, reason: 0 })),
    );
    const query = { startDate: new Date(from).toISOString(), endDate: new Date(to).toISOString() };
    const report = await usageReport({ db: records.db, columns, now: () => NOW }, query);
    assert.deepEqual(
      report.timeSeries.map((bucket) => [bucket.date, bucket.requests]),
      [
        ['2026-11-01', 1],
        ['2026-11-02', 0],
        ['2026-11-03', 1],
      ],
    );
    assert.deepEqual(await columns.find({ from, to }, { before: null, limit: 9 }), { seqs: [3, 2], totalCount: 2 });
    // A decision of this very millisecond, acknowledged before the question.
    const upToNow = await usageReport({ db: records.db, columns, now: () => to }, { startDate: '2026-11-01' });
    assert.equal(upToNow.summary.totalRequests, 4);
  } finally {
    await columns.close();
    await records.close();
  }
});

test('names are found whatever their case, in every alphabet', async () => {
  const records = await openColumnRecords();
  const columns = openColumns(records);
  try {
    const names = ['İstanbul Basın', 'ΟΔΟΣΤΡΩΤΗΡΑΣ', 'Ö-Straße'];
    await records.db.atomic(
      names.map((name, i) => ({
        sql: `insert into requesters (id, name, name_words, type, tags, user_agents, metadata, status, created_at, updated_at)
              values ($1, $2, '', null, '[]', '[]', '{}', 'active', 1, 1)`,
        params: [`req_${i}`, name],
      })),
    );
    for (const [q, ...expected] of [
      ['istanbul', 0],
      ['İSTANBUL', 0],
      ['ΟΔΟΣ', 1],
      ['οδος', 1],
      ['τρωτηρας', 1],
      ['ö-str', 2],
      ['Ö-STRA', 2],
    ] as const) {
      const { rows } = await columns.seen({ filter: {}, sort: 'requests', q, after: null, limit: 5 });
      assert.deepEqual(
        rows.map((row) => row.id),
        expected.map((i) => `req_${i}`),
        q,
      );
    }
  } finally {
    await columns.close();
    await records.close();
  }
});

test('a usual day of denials is rounded, a half up', async () => {
  const records = await openColumnRecords();
  const columns = openColumns(records);
  const today = Date.UTC(2026, 10, 20);
  try {
    const moments = [
      ...Array.from({ length: 5 }, (_, i) => today - 2 * DAY + i),
      ...Array.from({ length: 40 }, (_, i) => today + i),
    ];
    await records.addDecisions(
      moments.map((at, i) => ({ seq: i + 1, at, contentNo: 0, requesterId: 'acme', policyNo: 1, reason: 1 })),
    );
    const { denials } = await columns.alarms({ now: today + DAY - 1, limit: 5 });
    assert.deepEqual(denials, [{ visitor: { kind: 'requester', id: 'acme' }, denied: 40, usual: 3 }]);
  } finally {
    await columns.close();
    await records.close();
  }
});

test('folding cells gives what counting in buckets gives, whatever the boundaries', () => {
  const instant = fc.integer({ min: 0, max: 60 }).map((n) => n * 10);
  fc.assert(
    fc.property(fc.uniqueArray(instant, { minLength: 1, maxLength: 4 }), fc.array(instant), (boundaries, moments) => {
      const starts = [...boundaries].toSorted((a, b) => a - b);
      const inRange = moments.filter((at) => at >= (starts[0] as number));
      const length = cellMs(starts, Math.min(...inRange), Math.max(...inRange));
      const cells = Object.values(Object.groupBy(inRange, (at) => (length === 0 ? 0 : Math.floor(at / length))));
      const folded = fold(
        starts,
        cells.map((cell = []) => [Math.min(...cell), cell.length]),
      );
      const ends = [...starts.slice(1), Infinity];
      assert.deepEqual(
        folded,
        starts.map((start, i) => inRange.filter((at) => at >= start && at < (ends[i] as number)).length),
      );
    }),
    { numRuns: 3000 },
  );
});

for (const [what, startAfter] of [
  ['for the start', Promise.withResolvers<void>().promise],
  ['for nothing', null],
] as const) {
  test(`columns that wait ${what} are started by a question`, async () => {
    const records = await openColumnRecords();
    const columns = openColumns({ ...records, startAfter });
    try {
      assert.equal(await columns.bounds(), null);
    } finally {
      await columns.close();
      await records.close();
    }
  });
}
