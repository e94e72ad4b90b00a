/**
 * Requesters by their checks, and denials for want of a license by requester. Promise: a walk through the pages counts
 * the same decisions on each page, however many are made meanwhile: the first page fixes the last decision that counts.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { type DemandSort, type SeenSort, TREND_PARTS } from './seen-sorts.ts';
import {
  type DecisionFilter,
  inSnapshot,
  integer,
  readColumns,
  readRows,
  type Selection,
  select,
  text,
} from './sql.ts';

/** A page starts after the row with this value and id. */
export interface After {
  /** The last decision that counts. */
  upTo: number;
  value: number;
  id: string;
}

export interface SeenQuery {
  filter: Pick<DecisionFilter, 'from' | 'to' | 'enforced'>;
  /** Part of an id or a name; case is ignored. */
  q?: string | undefined;
  registered?: boolean | undefined;
  status?: string | undefined;
  sort: SeenSort;
  after: After | null;
  limit: number;
}

export interface Seen {
  id: string;
  /** null: not registered. */
  registered: { name: string; type: string | null; status: string; tags: string } | null;
  requests: number;
  allowed: number;
  /** Epoch ms; null: not seen in this span. */
  lastSeen: number | null;
  /** The sort value. */
  value: number;
}

export interface SeenPage<R> {
  rows: R[];
  /** The whole selection, not the page. */
  totalCount: number;
  upTo: number;
}

const SEEN_VALUES: Record<SeenSort, string> = {
  requests: 'requests',
  denied: 'requests - allowed',
  lastSeen: 'coalesce(last, -1)',
};

type SeenRow = Omit<Seen, 'registered'> & { name: string | null; type: string | null; status: string; tags: string };

/** Lists every requester that is registered or was seen in the span. */
export function answerSeen(connection: DuckDBConnection, query: SeenQuery): Promise<SeenPage<Seen>> {
  return inSnapshot(connection, async () => {
    const upTo = await readUpTo(connection, query.after);
    const terms = [searchTerm(query.q)];
    if (query.registered !== undefined) terms.push(query.registered ? 'name is not null' : 'name is null');
    if (query.status !== undefined) terms.push(`status = ${text(query.status)}`);
    const { totalCount, rows } = await readPage<SeenRow>(
      connection,
      `with seen as (
         select requester as number, count(*)::double as requests, (count(*) filter (reason = 0))::double as allowed,
           max(decided_at)::double as last
         ${await select(connection, query.filter)} and requester <> 0${upToTerm(query.after)}
         group by requester
       ), everybody as (
         select coalesce(named.id, registered.id) as id, name, type, status, tags, coalesce(requests, 0) as requests,
           coalesce(allowed, 0) as allowed, last
         from (select requesters.id, seen.* from seen join requesters using (number)) as named
         full join registered on registered.id = named.id
       ), picked as materialized (
         select *, last as "lastSeen", ${SEEN_VALUES[query.sort]} as value from everybody where ${terms.join(' and ')}
       )`,
      query,
    );
    return {
      upTo,
      totalCount,
      rows: rows.map(({ id, name, type, status, tags, requests, allowed, lastSeen, value }) => ({
        id,
        registered: name === null ? null : { name, type, status, tags },
        requests,
        allowed,
        lastSeen,
        value,
      })),
    };
  });
}

const PURPOSES_MAX = 10;
const CONTENT_MAX = 3;

export interface DemandQuery {
  filter: Pick<Selection, 'contentNo' | 'requesterId' | 'type' | 'purpose' | 'collectionId' | 'crawler' | 'enforced'>;
  /** Codes of ledger/reason. */
  reasons: readonly number[];
  /** Epoch ms, inclusive and exclusive. The same length of time before `from` is compared. */
  from: number;
  to: number;
  q?: string | undefined;
  sort: DemandSort;
  after: After | null;
  limit: number;
}

export interface Demand {
  /** null: all anonymous checks. */
  id: string | null;
  /** null: not registered. */
  name: string | null;
  denied: number;
  /** Denials in the same length of time before. */
  previous: number;
  uniqueContent: number;
  lastSeen: number;
  reasons: { reason: number; count: number }[];
  /** null: no purpose. */
  purposes: { purpose: string | null; denied: number }[];
  content: { no: number; id: string; denied: number }[];
  trend: number[];
  value: number;
}

const DEMAND_VALUES: Record<DemandSort, string> = {
  denied: 'denied',
  change: 'denied - previous',
  lastSeen: 'last',
};

type DemandRow = Omit<Demand, keyof Parts> & { number: number; id: string };

/** Lists the denials for these reasons by requester. */
export function answerDemand(connection: DuckDBConnection, query: DemandQuery): Promise<SeenPage<Demand>> {
  return inSnapshot(connection, async () => {
    const upTo = await readUpTo(connection, query.after);
    const { from, to } = query;
    const denials = `${await select(connection, { ...query.filter, from: from - (to - from), to })}
      and reason in (${query.reasons.map(integer).join(', ')})${upToTerm(query.after)}`;
    const now = `decided_at >= ${integer(from)}`;
    const { totalCount, rows } = await readPage<DemandRow>(
      connection,
      `with counted as (
         select requester as number, (count(*) filter (${now}))::double as denied,
           (count(*) filter (not (${now})))::double as previous,
           (count(distinct content) filter (${now} and content <> 0))::double as "uniqueContent", max(decided_at)::double as last
         ${denials} group by requester having denied > 0
       ), named as (
         select counted.*, coalesce(requesters.id, '') as id, registered.name from counted
         left join requesters using (number) left join registered on registered.id = requesters.id
       ), picked as materialized (
         select *, last as "lastSeen", ${DEMAND_VALUES[query.sort]} as value from named where ${searchTerm(query.q)}
       )`,
      query,
    );
    const shown = rows.map(({ number }) => integer(number)).join(', ');
    const ofShown = `${denials} and ${now} and requester in (${shown})`;
    const parts = shown === '' ? undefined : await readParts(connection, ofShown, query);
    return {
      upTo,
      totalCount,
      rows: rows.map(({ number, id, name, denied, previous, uniqueContent, lastSeen, value }) => ({
        id: id === '' ? null : id,
        name,
        denied,
        previous,
        uniqueContent,
        lastSeen,
        value,
        reasons: parts?.reasons.get(number) ?? [],
        purposes: parts?.purposes.get(number) ?? [],
        content: parts?.content.get(number) ?? [],
        trend: parts?.trend.get(number) ?? [],
      })),
    };
  });
}

type Parts = Pick<Demand, 'reasons' | 'purposes' | 'content' | 'trend'>;

/** Breaks down the denials of the page, by the number of the requester. */
async function readParts(
  connection: DuckDBConnection,
  denials: string,
  { from, to }: DemandQuery,
): Promise<{ [Part in keyof Parts]: Map<number, Demand[Part]> }> {
  const grouped = async <Row, Part>(sql: string, toPart: (rows: Row[]) => Part): Promise<Map<number, Part>> => {
    const rows = await readRows<Row & { requester: number }>(connection, sql);
    return new Map([...Map.groupBy(rows, (row) => row.requester)].map(([owner, own]) => [owner, toPart(own)]));
  };
  // Found once and counted four times; the end of the transaction drops the table.
  await connection.run(
    `create temp table denials as select requester, content as item, purpose, reason, decided_at ${denials}`,
  );
  const most = (by: string, max: number): string =>
    `qualify row_number() over (partition by requester order by n desc, ${by}) <= ${max} order by requester, n desc, ${by}`;
  return {
    reasons: await grouped<{ reason: number; n: number }, Demand['reasons']>(
      `select requester, reason, count(*)::double as n from denials group by requester, reason
       order by requester, n desc, reason`,
      (rows) => rows.map(({ reason, n }) => ({ reason, count: n })),
    ),
    purposes: await grouped<{ id: string | null; n: number }, Demand['purposes']>(
      `select requester, purposes.id, n from
         (select requester, purpose, count(*)::double as n from denials group by requester, purpose)
       left join purposes on purposes.number = purpose ${most('purposes.id nulls first', PURPOSES_MAX)}`,
      (rows) => rows.map(({ id, n }) => ({ purpose: id, denied: n })),
    ),
    content: await grouped<{ no: number; id: string; n: number }, Demand['content']>(
      `select requester, content.number as no, content.id, n from
         (select requester, item, count(*)::double as n from denials group by requester, item)
       join content on content.number = item ${most('content.id', CONTENT_MAX)}`,
      (rows) => rows.map(({ no, id, n }) => ({ no, id, denied: n })),
    ),
    trend: await grouped<{ part: number; n: number }, number[]>(
      `select requester, ((decided_at - ${integer(from)}) * ${TREND_PARTS} // ${integer(to - from)})::double as part,
         count(*)::double as n
       from denials group by requester, part`,
      (rows) => {
        const trend = Array.from({ length: TREND_PARTS }, () => 0);
        for (const { part, n } of rows) trend[part] = n;
        return trend;
      },
    ),
  };
}

/** A first page counts all of its snapshot. */
const upToTerm = (after: After | null): string => (after === null ? '' : ` and seq <= ${integer(after.upTo)}`);

/** Returns the last decision that counts. */
async function readUpTo(connection: DuckDBConnection, after: After | null): Promise<number> {
  if (after !== null) return after.upTo;
  const [newest] = await readColumns(connection, 'select coalesce(max(seq), 0)::double from decisions');
  return newest?.[0] as number;
}

const searchTerm = (q: string | undefined): string =>
  q === undefined
    ? 'true'
    : `(contains(lower(id), lower(${text(q)})) or contains(lower(coalesce(name, '')), lower(${text(q)})))`;

/** Reads a page of the table `picked`, by value (descending) and id, and counts all of it. */
async function readPage<Row extends { id: string }>(
  connection: DuckDBConnection,
  tables: string,
  { after, limit }: { after: After | null; limit: number },
): Promise<{ totalCount: number; rows: Row[] }> {
  const rest =
    after === null
      ? 'true'
      : `value < ${integer(after.value)} or value = ${integer(after.value)} and id > ${text(after.id)}`;
  const rows = await readRows<Row & { totalCount: number; id: string | null }>(
    connection,
    `${tables} select (select count(*) from picked)::double as "totalCount", page.* from (select 1) left join
      (select * from picked where ${rest} order by value desc, id limit ${integer(limit)}) as page on true
      order by value desc, id`,
  );
  // An empty page is one row of nulls.
  return { totalCount: rows[0]?.totalCount ?? 0, rows: rows.filter(({ id }) => id !== null) };
}
