/**
 * The same decisions in PostgreSQL, ClickHouse and DuckDB. All values of a decision follow from its number, by
 * arithmetic of integers that the three understand alike. Names have the numbers that ClickHouse and DuckDB give them.
 */
import type { TestClickHouse } from '../kit/clickhouse.ts';
import { query } from '../kit/postgres.ts';
import { kindOf, table } from '../src/decisions/history/clickhouse/tables.ts';
import type { DictionaryName } from '../src/decisions/history/columns/dictionary.ts';
import { openStore } from '../src/decisions/history/columns/duckdb.ts';
import { openPrograms } from '../src/decisions/history/columns/programs.ts';
import { QUARTER_HOUR_MS } from '../src/decisions/history/columns/sql.ts';
import { findProgram } from '../src/rules/crawlers/program.ts';
import { TERMS } from './statements.ts';

export const ITEMS = 100_000;
export const LICENSES = 1_000;
const REQUESTERS = 101_000;
const PAGES = 10_000;
/** Decisions of a month. */
const A_MONTH = 10_000_000;
const LEDGER_NO = 7;

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36',
  'PartnerBot/2.1 (+https://partner.example/bot)',
  'FeedReader/7.3.2 linux',
];

/** The spelling of an engine: a division of integers, and rows with consecutive numbers. */
interface Dialect {
  div(a: string, b: number): string;
  rows(after: number, to: number): string;
}

const POSTGRES: Dialect = {
  div: (a, b) => `((${a}) / ${b})`,
  rows: (after, to) => `generate_series(${after + 1}::bigint, ${to}::bigint) as every(n)`,
};
const CLICKHOUSE: Dialect = {
  div: (a, b) => `intDiv(${a}, ${b})`,
  rows: (after, to) => `(select number::bigint as n from numbers(${after + 1}, ${to - after})) as every`,
};
const DUCKDB: Dialect = {
  div: (a, b) => `((${a}) // ${b})`,
  rows: (after, to) => `(select range as n from range(${after + 1}, ${to + 1})) as every`,
};

/** The last month that is over, UTC, with ten million decisions; those before it come at the same pace. */
export interface Plan {
  total: number;
  from: number;
  month: { from: number; to: number; period: string };
}

/** Where the decisions are. */
export interface Ground {
  url: string;
  clickHouse: string;
  dataDir: string;
  columnsFile: string;
  plan: Plan;
}

export function planOf(total: number, now: number): Plan {
  const today = new Date(now);
  const to = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
  const before = new Date(to - 1);
  const from = Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), 1);
  const month = { from, to, period: before.toISOString().slice(0, 7) };
  return { total, from: to - Math.ceil((total * (to - from)) / A_MONTH), month };
}

/** Four numbers below 2^20 that look random. */
const MIXED = [2_654_435_761, 2_246_822_519, 3_266_489_917, 668_265_263];

function rowsSql({ from, month }: Plan, { div, rows }: Dialect, after: number, to: number): string {
  const spread = MIXED.map((prime, i) => `(n * ${prime}) % 4294967296 as x${i}`);
  const mixed = MIXED.map((_, i) => `${div(`(x${i} * (${div(`x${i}`, 1_024)} + 1)) % 4294967291`, 4_096)} as r${i}`);
  const license = `case when r1 % 10 < 8 then 1 + r2 % ${LICENSES} else 0 end`;
  const grounds = `n, r0, r1, r2, r3, ${from} + ${div(`(n - 1) * ${(month.to - month.from) / 1_000}`, A_MONTH / 1_000)} as decided,
    case when r0 % 10 = 0 then 1 + r3 % ${PAGES} else 0 end as page_no, ${license} as license_no`;
  return `select n, r0, r1, r2, r3, decided, page_no, license_no,
      case when page_no > 0 then 0 else 1 + ${div(`(${div('r0', 16)} % 1000) * (r3 % 1000)`, 10)} end as content_no,
      case when license_no > 0 then license_no when r2 % 4 = 0 then 0
        else ${LICENSES + 1} + ${div('(r2 % 1000) * (r3 % 1000)', 10)} end as requester_no,
      case when r1 % 10 < 8 then 0 when r1 % 10 = 8 then 7 else 1 end as reason_no,
      1 + ${div('r1', 16)} % 4 as purpose_no,
      case when page_no > 0 then 1 + r3 % 20 else 0 end as collection_no,
      case when license_no = 0 and r2 % 8 = 1 then 1 + r3 % 30 else 0 end as crawler_no,
      case when page_no > 0 and r3 % 16 = 0 then 0 else 1 end as enforced_no,
      ${div('r1', 64)} % 10 as rule_no, ${div('r3', 8)} % ${AGENTS.length} as agent_no
    from (select ${grounds} from (select n, ${mixed.join(', ')} from (select n, ${spread.join(', ')} from ${rows(after, to)}) as spread) as mixed) as grounds`;
}

const URL_SQL = (page: string): string => `'publisher.example/news/' || ${page}::varchar`;
const idSql = (kind: string, no: string): string => `'${kind}_' || ${no}::varchar`;
const licenseSql = (no: string): string => `'lic_0' || lpad(${no}::varchar, 25, '0')`;

/** The columns of a decision in the order of both tables. */
function columnsSql(plan: Plan, dialect: Dialect, after: number, to: number): string {
  const programs = programNumbers();
  const program = `case ${programs.map((number, i) => `when agent_no = ${i} then ${number}`).join(' ')} else 0 end`;
  return `select n, decided, ${dialect.div('decided', QUARTER_HOUR_MS)}, content_no, requester_no, 1, reason_no,
      purpose_no, 0, collection_no, crawler_no, license_no, 0, case when crawler_no > 0 then 3 else 0 end, enforced_no, 1,
      rule_no, 0, 0, case when page_no > 0 then ${URL_SQL('page_no')} end, null, page_no, ${program}
    from (${rowsSql(plan, dialect, after, to)}) as decided`;
}

/** The inputs of a check, as SQL: each visitor has an address of its own. */
function inputsSql(agent: string): string {
  const [before, after] = JSON.stringify({ context: { userAgent: agent, ip: '?' } }).split('?') as [string, string];
  const address = ['10', ...['r0', 'r1', 'r2'].map((r) => `' || ${r} % 256 || '`)].join('.');
  return `'${before}${address}${after}'`;
}

/** Numbers of programs follow from their names. */
function programNumbers(): number[] {
  const never = (): never => {
    throw new Error('nothing is stored');
  };
  const store = { named: never, frequent: never, name: never, nextLife: never, putSketches: never };
  const programs = openPrograms(store);
  return AGENTS.map((agent) => programs.toNumber(findProgram(agent)));
}

/** Kinds of names, how many there are, and the text of each. */
const NAMES: readonly (readonly [DictionaryName, count: number, sql: string])[] = [
  ['requesters', REQUESTERS, idSql('partner', 'n')],
  ['purposes', 4, idSql('purpose', 'n')],
  ['collections', 20, idSql('col', 'n')],
  ['crawlers', 30, idSql('crawler', 'n')],
  ['licenses', LICENSES, licenseSql('n')],
  ['pages', PAGES, URL_SQL('n')],
];

/** Items, and the license of each partner with terms. */
export async function addRecords(url: string): Promise<void> {
  await query(url, `insert into settings (name, value) values ('ledger_no', '${LEDGER_NO}') on conflict do nothing`);
  await query(
    url,
    `insert into content (no, id, external_id, title, title_words, type, source, policy_id, metadata, tags, status,
       revision, created_at, updated_at)
     select n, 'cnt_' || lpad(n::text, 26, '0'), 'article-' || n, 'Title ' || n, '', 'article', 'https://publisher.example/' || n,
       'pol_default', '{}', '[]', 'active', 1, 1, 1 from generate_series(1, ${ITEMS}) as every(n)`,
  );
  await query(
    url,
    `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms)
     select ${licenseSql('n')}, ${idSql('partner', 'n')}, right(${licenseSql('n')}, 16), 1, 1, 1, '${JSON.stringify(TERMS)}'
     from generate_series(1, ${LICENSES}) as every(n)`,
  );
  await query(url, 'analyze content');
}

/** Writes decisions after a number into PostgreSQL, as a ledger has them. */
export async function addDecisions(url: string, plan: Plan, after: number, to: number): Promise<void> {
  const inputs = AGENTS.map((agent, i) => `when ${i} then ${inputsSql(agent)}`).join(' ');
  await query(
    url,
    `insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, rule_index,
       rule_priority, license_id, inputs, url, collection_id, crawler, verified, purpose, enforced)
     select n, decided, content_no, case when requester_no > 0 then ${idSql('partner', 'requester_no')} end, 1, 1,
       reason_no, rule_no, rule_no + 1, case when license_no > 0 then ${licenseSql('license_no')} end,
       case agent_no ${inputs} end, case when page_no > 0 then ${URL_SQL('page_no')} end,
       case when collection_no > 0 then ${idSql('col', 'collection_no')} end,
       case when crawler_no > 0 then ${idSql('crawler', 'crawler_no')} end, case when crawler_no > 0 then 3 end,
       ${idSql('purpose', 'purpose_no')}, enforced_no
     from (${rowsSql(plan, POSTGRES, after, to)}) as decided`,
  );
  await query(url, `select setval('decisions_seq_seq', ${to})`);
  await query(url, 'analyze decisions');
}

/** Gives names their numbers in PostgreSQL, from which ClickHouse copies them. */
export async function addNames(url: string): Promise<void> {
  for (const [name, count, sql] of NAMES) {
    await query(
      url,
      `insert into column_names (kind, number, id) select ${kindOf(name)}, n, ${sql} from generate_series(1, ${count}) as every(n)`,
    );
  }
}

const ROWS_AT_ONCE = 4_000_000;

/**
 * Fills the table of ClickHouse up to a number, and says in PostgreSQL that a writer did. The columns were opened on
 * empty records before.
 */
export async function fillClickHouse(
  server: TestClickHouse,
  { database, url, plan, to }: { database: string; url: string; plan: Plan; to: number },
): Promise<void> {
  for (let after = 0; after < to; after += ROWS_AT_ONCE) {
    const last = Math.min(to, after + ROWS_AT_ONCE);
    await server.query(
      `insert into ${table('decisions')} ${columnsSql(plan, CLICKHOUSE, after, last)}
       settings max_insert_threads = 1, min_insert_block_size_rows = ${ROWS_AT_ONCE}, min_insert_block_size_bytes = 2000000000,
         max_threads = 2`,
      database,
    );
  }
  const state = `jsonb_build_object('to', ${to}, 'newest', jsonb_build_object('first', ${Math.max(to - 999, 1)}, 'rows', ${Math.min(to, 1_000)}))`;
  await query(url, `update settings set value = (value::jsonb || ${state})::text where name = 'clickhouse_columns'`);
}

/** Makes the file that a node without ClickHouse would have built of the same decisions. */
export async function fillDuckDb(file: string, plan: Plan, to: number): Promise<void> {
  const { store } = await openStore(file, 1_024);
  try {
    for (const [name, count, sql] of NAMES) {
      await store.writer.run(`insert into ${name} select n, ${sql} from range(1, ${count + 1}) as every(n)`);
    }
    await store.writer.run(
      `insert into content select n, 'cnt_' || lpad(n::varchar, 26, '0'), 'article' from range(1, ${ITEMS + 1}) as every(n)`,
    );
    for (let after = 0; after < to; after += ROWS_AT_ONCE) {
      await store.writer.run(
        `insert into decisions ${columnsSql(plan, DUCKDB, after, Math.min(to, after + ROWS_AT_ONCE))}`,
      );
    }
    await store.writer.run(
      `update position set ledger_no = '${LEDGER_NO}', decisions_seq = ${to}, changes_seq = 0, changes_at = 0`,
    );
  } finally {
    store.close();
  }
}
