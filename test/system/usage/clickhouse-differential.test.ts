/**
 * Promise: every question has the same answer from ClickHouse as from DuckDB, while items are deleted, inputs erased,
 * requesters erased and decisions retired, whether they are in blocks or in none yet, under any defaults of the server.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hasCluster, isReal } from '../../../kit/clickhouse.ts';
import { type Random, runSeed, seeded } from '../../../kit/random.ts';
import type { Columns } from '../../../src/decisions/history/columns/columns.ts';
import {
  DEMAND_DIMENSIONS,
  DIMENSIONS,
  PROGRAM_SORTS,
  SEEN_SORTS,
} from '../../../src/decisions/history/columns/dimensions.ts';
import type { Decided } from '../../usage/records.ts';
import { AT, ask, bench, FORGET_NOW, LATELY } from './clickhouse-bench.ts';

const [HOUR, DAY, ITEMS] = [3_600_000, 86_400_000, 12];
const END = AT + 6 * DAY;

/** Texts that a statement must not take for its own. */
const HOSTILE_TEXTS = ["it's", 'a\\b', "\\'; --", 'line\none', '{id:String}', '😀 %_', '"', 'x'.repeat(5_000)];

const AGENTS = [
  'Foo/1.0',
  'BarBot/2',
  'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  undefined,
  null,
];

function decide(random: Random, seq: number): Decided {
  const someone = random.chance(0.5);
  const url = random.chance(0.7)
    ? `example.org/${random.pick(['a', 'b', 'b/c', 'ü/\\d', "e'f", ...HOSTILE_TEXTS])}${random.chance(0.3) ? `?q=${random.int(0, 9)}` : ''}`
    : null;
  return {
    seq,
    at: random.int(AT, END - 1),
    contentNo: random.chance(0.2) ? 0 : random.int(1, ITEMS),
    requesterId: someone ? `partner_${random.int(0, 9)}` : null,
    policyNo: random.int(1, 3),
    policyVersion: random.int(1, 3),
    ruleIndex: random.pick([null, 0, 1]),
    reason: random.pick([0, 0, 0, 1, 2, 3, 4]),
    purpose: random.pick([null, 'train', 'search', ...HOSTILE_TEXTS]),
    permission: random.pick([null, 'read', 'copy']),
    url,
    file: url !== null && random.chance(0.1) ? 'example.org/robots.txt' : null,
    collectionId: random.pick([null, 'col_a', 'col_b', random.pick(HOSTILE_TEXTS)]),
    crawler: random.chance(0.2) ? random.pick(['GPTBot', 'CCBot']) : null,
    licenseId: random.pick([null, null, 'lic_a', 'lic_b', random.pick(HOSTILE_TEXTS)]),
    claimed: random.chance(0.1) ? `partner_${random.int(0, 9)}` : null,
    wanted: random.pick([null, '*', '["use"]']),
    verified: random.pick([0, 1, 2]),
    enforced: random.chance(0.9),
    candidate: seq % 4 === 0 ? `[7,${seq % 3},0]` : null,
    userAgent: random.pick(AGENTS),
  };
}

type Question = readonly [name: string, ask: (columns: Columns) => Promise<unknown>];

function questions(random: Random): Question[] {
  const id = `partner_${random.int(0, 9)}`;
  const hostile = random.pick(HOSTILE_TEXTS);
  const span = { from: AT + random.int(0, 2) * DAY, to: END - random.int(0, 2) * HOUR };
  const starts = Array.from({ length: 6 }, (_, i) => AT + i * DAY);
  const report = { enforced: true, ...span, starts, limit: 5 };
  const page = { before: null, limit: 50 };
  const filters = {
    all: {},
    requester: { requesterId: id },
    'requester and more': { requesterId: id, collectionId: 'col_a', url: 'example.org/b' },
    url: { url: 'example.org/ü/\\' },
    quote: { url: "example.org/e'f" },
    page: { page: 'example.org/b' },
    folder: { pagePrefix: 'example.org/b' },
    program: { program: 'foo' },
    others: { program: 'other' },
    crawler: { ofCrawlers: true, verified: true },
    spoofed: { spoofed: true, enforced: true },
    rule: { rule: { policyNo: 1, version: 2, index: null } },
    license: { licenseId: 'lic_a', purpose: 'train', permission: 'read', allowed: true },
    span: { ...span, after: 100, reason: 2, verified: 1 },
    unknown: { requesterId: 'never', licenseId: 'never' },
    hostile: { licenseId: hostile, url: `example.org/${hostile}` },
    'hostile requester': {
      requesterId: hostile,
      purpose: hostile,
      permission: hostile,
      crawler: hostile,
      page: hostile,
    },
    'hostile folder': { pagePrefix: `example.org/${hostile}`, program: hostile, collectionId: hostile },
  };
  const seen = { filter: span, after: null, limit: 4 };
  const demand = {
    filter: {},
    reasons: [1, 2, 3],
    from: AT + 3 * DAY,
    to: END,
    sort: 'denied',
    ascending: false,
    after: null,
    limit: 6,
  } as const;
  return [
    ...Object.entries(filters).map(
      ([name, filter]): Question => [`find ${name}`, (columns) => columns.find(filter, page)],
    ),
    ['a page further on', (columns) => columns.find({ requesterId: id }, { before: 200, limit: 7 })],
    ['stats', (columns) => Promise.all(Array.from({ length: ITEMS }, (_, no) => columns.stats(no)))],
    ['bounds', (columns) => columns.bounds()],
    ['report', (columns) => columns.report({ ...report, trends: true, previous: { from: AT, to: span.from } })],
    ['report of a type', (columns) => columns.report({ ...report, type: 'video', trends: true })],
    ['report of a hostile type', (columns) => columns.report({ ...report, type: hostile, trends: true })],
    ['licensed to hostile ids', (columns) => columns.licensedCounts({ ...span, licenses: { only: HOSTILE_TEXTS } })],
    ['seen with a hostile status', (columns) => columns.seen({ ...seen, sort: 'denied', q: hostile, status: hostile })],
    [
      'demand for hostile texts',
      (columns) => columns.demand({ ...demand, by: ['purpose', 'collection'], q: hostile, licenseType: hostile }),
    ],
    [
      'hostile programs',
      (columns) => columns.programs({ ...seen, sort: 'requests', q: hostile, named: HOSTILE_TEXTS }),
    ],
    ['report of a requester', (columns) => columns.report({ ...report, requesterId: id, contentNo: 3 })],
    ['report of what was observed', (columns) => columns.report({ ...report, enforced: false })],
    ['report by odd times', (columns) => columns.report({ ...report, starts: [AT, AT + 1_234_567] })],
    ...DIMENSIONS.map((groupBy): Question => [`by ${groupBy}`, (columns) => columns.report({ ...report, groupBy })]),
    ['by both', (columns) => columns.report({ ...report, groupBy: 'enforced', groupsOfBoth: true })],
    ['visitors', (columns) => columns.visitors({ ...report, pages: 4, trends: true })],
    ['visitors of a type', (columns) => columns.visitors({ ...report, limit: 50, pages: 9, type: 'video' })],
    ...SEEN_SORTS.map((sort): Question => [`seen by ${sort}`, (columns) => columns.seen({ ...seen, sort })]),
    [
      'seen further on',
      async (columns) => columns.seen({ ...seen, sort: 'requests', after: { upTo: 900, value: 30, id } }),
    ],
    ['seen and sought', (columns) => columns.seen({ ...seen, sort: 'requests', q: 'NER_1', registered: false })],
    ...PROGRAM_SORTS.map(
      (sort): Question => [`programs by ${sort}`, (columns) => columns.programs({ ...seen, sort, named: ['barbot'] })],
    ),
    ...DEMAND_DIMENSIONS.map(
      (one): Question => [`demand by ${one}`, (columns) => columns.demand({ ...demand, by: [one] })],
    ),
    [
      'demand by two',
      (columns) => columns.demand({ ...demand, by: ['who', 'purpose'], sort: 'change', q: 'a', ascending: true }),
    ],
    [
      'demand for a license',
      (columns) => columns.demand({ ...demand, by: ['collection'], licenseType: 'use', sort: 'lastSeen' }),
    ],
    ['alarms', (columns) => columns.alarms({ now: END, limit: 5 })],
    ['divergences', (columns) => columns.divergences({ no: 7, limit: 5 })],
    ['licensed cells', (columns) => columns.licensedCells({ ...span, licenses: { except: [] } })],
    ['licensed groups', (columns) => columns.licensedGroups({ ...span, licenses: { only: ['lic_a'] } })],
    [
      'licensed groups without items',
      (columns) => columns.licensedGroups({ ...span, licenses: { except: ['lic_a'] }, contents: false }),
    ],
    ['licensed counts', (columns) => columns.licensedCounts({ ...span, licenses: { except: ['never'] } })],
    ['unlicensed', (columns) => columns.unlicensed(span)],
  ];
}

/** Groups come in any order, and their rows one after the other. */
function toComparable(answer: unknown): unknown {
  if (answer === null || typeof answer !== 'object' || !('rows' in answer) || !('groups' in answer)) return answer;
  const { groups, rows } = answer as Awaited<ReturnType<Columns['licensedGroups']>>;
  return groups
    .map(({ licenseId, purpose, start, end }) => ({
      key: `${licenseId} ${purpose}`,
      seq: [...rows.seq.subarray(start, end)],
      at: [...rows.at.subarray(start, end)],
      content: [...rows.content.subarray(start, end)],
      urls: Array.from({ length: end - start }, (_, i) => rows.urls.get(start + i)),
    }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

const KEYS = `content_no, coalesce(requester_id, ''), policy_no, reason, coalesce(purpose, ''), coalesce(permission, ''),
  coalesce(collection_id, ''), coalesce(crawler, ''), coalesce(license_id, ''), coalesce(claimed, ''),
  coalesce(verified, 0), enforced, policy_version, coalesce(rule_index, -1), coalesce(wanted, '')`;
const retire = (to: number) => [
  {
    sql: `insert into settings (name, value) values ('decisions_retired_to', $1)
          on conflict (name) do update set value = excluded.value`,
    params: [String(to)],
  },
  {
    sql: `insert into daily_counts (day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id,
            crawler, license_id, claimed, verified, enforced, policy_version, rule_index, wanted, requests)
          select at / ${DAY} * ${DAY}, ${KEYS}, count(*) from decisions where seq <= $1
          group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
          on conflict do nothing`,
    params: [to],
  },
  { sql: 'delete from decisions where seq <= $1', params: [to] },
];
const erase = (no: number) => {
  const params = [`partner_${no}`, `erased_${no}`];
  return [
    { sql: `update decisions set requester_id = $2, inputs = '{}' where requester_id = $1`, params },
    { sql: 'update decisions set claimed = $2 where claimed = $1', params },
    {
      sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
            values ('era_' || $1, $2, $1, 'columns', (select max(seq) from decisions), 40, 10, 1, 1)`,
      params,
    },
  ];
};

const eraseInputs = (to: number) => [
  {
    sql: `insert into settings (name, value) values ('inputs_erased_to', $1)
          on conflict (name) do update set value = excluded.value`,
    params: [String(to)],
  },
];

const ROUNDS = 9;
const ALWAYS = new Set(['find all', 'stats', 'report', 'visitors']);

async function compare(
  t: TestContext,
  { defaults = {}, cluster = '' }: { defaults?: Record<string, string | number>; cluster?: string },
): Promise<void> {
  t.diagnostic(`SEED=${runSeed}`);
  const random = seeded(runSeed);
  const { open, db, clickHouse, addContent, addDecisions, deleteContent, purge, retype, problems } = await bench(t, {
    cluster,
  });
  if (Object.keys(defaults).length > 0) await clickHouse.setDefaults(defaults);
  await addContent(Array.from({ length: ITEMS - 2 }, (_, i) => ({ no: i + 3 })));
  const [columns, file] = [open(), open({ inFile: true })];
  let seq = 0;
  const add = async (count: number): Promise<void> => {
    await addDecisions(Array.from({ length: count }, () => decide(random, ++seq)));
  };
  /** In no block yet: the first one is recent. */
  const addLately = async (count: number): Promise<void> => {
    await addDecisions([{ ...decide(random, ++seq), at: LATELY, contentNo: 0 }]);
    await add(count - 1);
  };
  const inNoBlock = async (): Promise<number> => {
    const sql = `select (value::json -> 'tail' ->> 'rows')::bigint as rows from settings where name = 'clickhouse_columns'`;
    return (await db.read<{ rows: number }>(sql))[0]?.rows ?? 0;
  };
  let round = 0;
  const assertSame = async (when: string): Promise<void> => {
    round += 1;
    // Each question once, and some each time.
    const asked = questions(random).filter(([name], i) => ALWAYS.has(name) || i % ROUNDS === round % ROUNDS);
    for (const [name, question] of asked) {
      const [own, expected] = [await ask(() => question(columns)), await ask(() => question(file))];
      assert.deepEqual(toComparable(own), toComparable(expected), `${name} ${when}`);
    }
  };
  await assertSame('without any');
  await add(600);
  await retype(5, 'video');
  for (const no of [8, 9]) await retype(no, random.pick(HOSTILE_TEXTS));
  await assertSame('at first');
  await add(9_000);
  await deleteContent(4);
  await assertSame('with a block, and without an item');
  await addLately(200);
  await deleteContent(7);
  await assertSame('with some in no block, and without an item of theirs');
  assert.ok((await inNoBlock()) > 150);
  await db.atomic([...erase(1), ...erase(2)]);
  await db.atomic(eraseInputs(300));
  await add(50);
  await assertSame('without two requesters, and some inputs');
  await db.atomic(retire(400));
  await purge(4);
  await deleteContent(6);
  await db.atomic(eraseInputs(seq - 100));
  await assertSame('without what left the log, and inputs of those in no block');
  await db.atomic([FORGET_NOW]);
  await assertSame('once all that is forgotten');
  await db.atomic(erase(3));
  await purge(7);
  await add(50);
  await assertSame('with late ones of those that were erased');
  assert.ok((await inNoBlock()) > 200);
  await add(9_000);
  await assertSame('with another block');
  assert.deepEqual(problems, []);
}

test('all questions have the same answers as in DuckDB', (t) => compare(t, {}));

test('all questions have the same answers from a cluster', { skip: !hasCluster }, (t) =>
  compare(t, { cluster: 'postern' }),
);

/** Defaults that were or are those of some version, or of some administrator. */
const HOSTILE = {
  async_insert: 1,
  wait_for_async_insert: 0,
  insert_deduplicate: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  session_timezone: 'America/St_Johns',
  mutations_sync: 0,
  lightweight_deletes_sync: 0,
  join_use_nulls: 0,
  group_by_use_nulls: 0,
  prefer_column_name_to_alias: 0,
  joined_subquery_requires_alias: 1,
  join_default_strictness: 'ANY',
  union_default_mode: 'DISTINCT',
  any_join_distinct_right_table_keys: 1,
  max_insert_block_size: 100,
  min_insert_block_size_rows: 0,
  min_insert_block_size_bytes: 0,
  input_format_parallel_parsing: 1,
  transform_null_in: 1,
  data_type_default_nullable: 1,
  aggregate_functions_null_for_empty: 1,
  empty_result_for_aggregation_by_empty_set: 1,
  count_distinct_implementation: 'uniq',
  cast_keep_nullable: 1,
  max_query_size: 1_000,
  limit: 3,
  offset: 1,
  final: 1,
  enable_positional_arguments: 0,
  extremes: 1,
  distributed_product_mode: 'deny',
};
test("a server's other defaults change no answer", { skip: isReal }, (t) => compare(t, { defaults: HOSTILE }));
