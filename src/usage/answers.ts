/**
 * The questions the columns answer, and their SQL. Each answer is of one moment: a report's queries share a transaction,
 * so its parts add up. Numbers only: contents by number and id, requesters by id; titles are the records' business.
 */
import { type DuckDBConnection, type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import { cellMs, fold, QUARTER_HOUR_MS, type Series } from './series.ts';

export interface ReportQuery {
  contentNo?: number | undefined;
  requesterId?: string | undefined;
  /** The type the item has now. */
  type?: string | undefined;
  /** A code of ledger/reason; 0 = allowed. */
  reason?: number | undefined;
  /** Epoch ms, inclusive and exclusive. */
  from: number;
  to: number;
  /** Starts of the buckets, ascending; the first may lie before `from`. */
  starts: readonly number[];
  /** Length of the top lists. */
  limit: number;
}

export interface ColumnsReport {
  series: Series;
  /** Decisions by reason code, 0 = allowed; only codes that occur. */
  reasons: { reason: number; count: number }[];
  uniqueRequesters: number;
  uniqueContent: number;
  topContent: { no: number; id: string; requests: number }[];
  topRequesters: { id: string; requests: number }[];
}

export interface DecisionFilter {
  contentNo?: number | undefined;
  requesterId?: string | undefined;
  policyNo?: number | undefined;
  allowed?: boolean | undefined;
  /** A code of ledger/reason; 0 = allowed. */
  reason?: number | undefined;
  /** Only places above it. */
  after?: number | undefined;
  /** Epoch ms, inclusive and exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** `before`: only places below it; null for the newest. */
export interface FindPage {
  before: number | null;
  limit: number;
}

export interface Found {
  /** Places in the ledger, newest first. */
  seqs: number[];
  /** Of the whole selection, wherever the page stands. */
  totalCount: number;
}

export interface Stats {
  total: number;
  allowed: number;
}

/** Moments of the oldest and the newest decision. */
export interface Bounds {
  first: number;
  last: number;
}

/** DuckDB compares a list value by value; beyond this many it is faster as a table. */
const IN_LIST_MAX = 4;

export async function answerStats(connection: DuckDBConnection, nos: readonly number[]): Promise<Map<number, Stats>> {
  const list = nos.map(integer).join(', ');
  const [content, total, allowed] = await columnsOf(
    connection,
    `select content, count(*)::double, (count(*) filter (reason = 0))::double
     from decisions where content in (${nos.length > IN_LIST_MAX ? `select unnest([${list}])` : list}) group by content`,
  );
  return new Map(
    content?.map((no, i) => [no as number, { total: total?.[i] as number, allowed: allowed?.[i] as number }]),
  );
}

export async function answerBounds(connection: DuckDBConnection): Promise<Bounds | null> {
  const [first, last] = await columnsOf(
    connection,
    'select min(decided_at)::double, max(decided_at)::double from decisions',
  );
  return typeof first?.[0] === 'number' ? { first: first[0], last: last?.[0] as number } : null;
}

export async function answerFind(connection: DuckDBConnection, filter: DecisionFilter, page: FindPage): Promise<Found> {
  return inSnapshot(connection, async () => {
    const selection = await selectionOf(connection, filter);
    const before = page.before === null ? '' : ` and seq < ${integer(page.before)}`;
    const [seqs] = await columnsOf(
      connection,
      `select seq::double from (select seq from decisions where ${selection}${before} order by seq desc limit ${integer(page.limit)})
       order by seq desc`,
    );
    const [count] = await columnsOf(connection, `select count(*)::double from decisions where ${selection}`);
    return { seqs: (seqs ?? []) as number[], totalCount: count?.[0] as number };
  });
}

export async function answerReport(connection: DuckDBConnection, query: ReportQuery): Promise<ColumnsReport> {
  return inSnapshot(connection, async () => {
    const selection = await selectionOf(connection, query);
    const [reasons, counts] = await columnsOf(
      connection,
      `select reason, count(*)::double from decisions where ${selection} group by reason order by reason`,
    );
    const contents = await topOf(connection, { selection, column: 'content', names: 'content', limit: query.limit });
    const requesters = await topOf(connection, {
      selection: `${selection} and requester <> 0`,
      column: 'requester',
      names: 'requesters',
      limit: query.limit,
    });
    return {
      series: await seriesOf(connection, selection, query.starts),
      reasons: (reasons ?? []).map((reason, i) => ({ reason: reason as number, count: counts?.[i] as number })),
      uniqueContent: contents.unique,
      uniqueRequesters: requesters.unique,
      topContent: contents.top.map(({ number, id, requests }) => ({ no: number, id, requests })),
      topRequesters: requesters.top.map(({ id, requests }) => ({ id, requests })),
    };
  });
}

async function seriesOf(connection: DuckDBConnection, selection: string, starts: readonly number[]): Promise<Series> {
  let length = cellMs(starts);
  if (length > 0 && length < QUARTER_HOUR_MS) {
    // Boundaries from before zones kept to whole quarters of an hour: most likely there are no decisions that old.
    const [first, last] = await columnsOf(
      connection,
      `select min(decided_at)::double, max(decided_at)::double from decisions where ${selection}`,
    );
    if (typeof first?.[0] === 'number') length = cellMs(starts, first[0], last?.[0] as number);
  }
  const [at, requests, allowed] = await columnsOf(
    connection,
    `select min(decided_at)::double, count(*)::double, (count(*) filter (reason = 0))::double from decisions
     where ${selection} group by ${length === 0 ? '()' : `decided_at // ${integer(length)}`} having count(*) > 0`,
  );
  return fold(starts, {
    at: (at ?? []) as number[],
    requests: (requests ?? []) as number[],
    allowed: (allowed ?? []) as number[],
  });
}

interface Top {
  selection: string;
  column: 'content' | 'requester';
  /** The table that has the ids. */
  names: 'content' | 'requesters';
  limit: number;
}

/** How many different ones there are, and those with the most decisions, equals by the text of their id. */
async function topOf(
  connection: DuckDBConnection,
  { selection, column, names, limit }: Top,
): Promise<{ unique: number; top: { number: number; id: string; requests: number }[] }> {
  // Ids are looked up only for those that can be among the top: with a million requesters that is most of the work.
  const [unique, numbers, ids, requests] = await columnsOf(
    connection,
    `with counts as materialized (select ${column} as number, count(*) as n from decisions where ${selection} group by ${column})
     select (select count(*) from counts)::double, number, id, n::double
     from counts join ${names} using (number)
     where n >= (select min(n) from (select n from counts order by n desc limit ${integer(limit)}))
     order by n desc, id limit ${integer(limit)}`,
  );
  return {
    unique: (unique?.[0] as number | undefined) ?? 0,
    top: (numbers ?? []).map((number, i) => ({
      number: number as number,
      id: ids?.[i] as string,
      requests: requests?.[i] as number,
    })),
  };
}

type Selection = DecisionFilter & Pick<ReportQuery, 'type'>;

async function selectionOf(connection: DuckDBConnection, filter: Selection): Promise<string> {
  const terms = ['true'];
  if (filter.contentNo !== undefined) terms.push(`content = ${integer(filter.contentNo)}`);
  if (filter.policyNo !== undefined) terms.push(`policy = ${integer(filter.policyNo)}`);
  if (filter.allowed !== undefined) terms.push(filter.allowed ? 'reason = 0' : 'reason <> 0');
  if (filter.reason !== undefined) terms.push(`reason = ${integer(filter.reason)}`);
  if (filter.after !== undefined) terms.push(`seq > ${integer(filter.after)}`);
  if (filter.from !== undefined) terms.push(`decided_at >= ${integer(filter.from)}`);
  if (filter.to !== undefined) terms.push(`decided_at < ${integer(filter.to)}`);
  if (filter.requesterId !== undefined) {
    const [number] = await columnsOf(connection, 'select number from requesters where id = $1', [filter.requesterId]);
    terms.push(number?.[0] === undefined ? 'false' : `requester = ${integer(number[0] as number)}`);
  }
  if (filter.type !== undefined) {
    terms.push(`content in (select number from content where type = ${text(filter.type)})`);
  }
  return terms.join(' and ');
}

/** Written into the text: a number bound as a parameter arrives as a double, and the column would be turned into one. */
function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not an integer: ${value}`);
  return String(value);
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

async function columnsOf(connection: DuckDBConnection, sql: string, params: string[] = []): Promise<DuckDBValue[][]> {
  const result = await connection.run(
    sql,
    params,
    params.map(() => VARCHAR),
  );
  return result.getColumns();
}

async function inSnapshot<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('begin');
  try {
    return await work();
  } finally {
    await connection.run('rollback').catch(() => {});
  }
}
