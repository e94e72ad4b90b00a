/** Decisions by crawler, collection and other grounds, and those that were only observed. All of one snapshot. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { DictionaryName } from './dictionary.ts';
import type { Dimension } from './dimensions.ts';
import { integer, readColumns, readRows } from './sql.ts';

export interface Counted {
  /** null: none. */
  id: string | null;
  requests: number;
  allowed: number;
}

export interface CountedCrawler extends Counted {
  verified: number;
  spoofed: number;
}

export interface Breakdown {
  /** Decisions that were only observed. */
  observed: { requests: number; allowed: number };
  /** Decisions whose visitor claimed a name falsely. */
  spoofed: number;
  byCrawler: CountedCrawler[];
  byCollection: Counted[];
}

/** `from`: the decisions, as `select` returns them, enforced or not; `enforced`: those that the lists count. */
export async function readBreakdown(
  connection: DuckDBConnection,
  { from, enforced, limit }: { from: string; enforced: boolean; limit: number },
): Promise<Breakdown> {
  if (!(await hasGrounds(connection))) return NOTHING;
  // Counted in one scan, in an array: all groups are small numbers. The end of the transaction drops the table.
  await connection.run(
    `create temp table grounds as
     select crawler, collection, enforced, verified, reason, count(*) as n, count(*) filter (claimed <> 0) as spoofed
     ${from} group by crawler, collection, enforced, verified, reason`,
  );
  const isCounted = `enforced = ${enforced ? 1 : 0}`;
  const [[observed = 0] = [], [wouldAllow = 0] = [], [spoofed = 0] = []] = (await readColumns(
    connection,
    `select coalesce(sum(n) filter (enforced = 0), 0)::double,
       coalesce(sum(n) filter (enforced = 0 and reason = 0), 0)::double,
       coalesce(sum(spoofed) filter (${isCounted}), 0)::double from grounds`,
  )) as number[][];
  const top = (column: string, table: DictionaryName): string =>
    `select id, sum(n)::double as requests, coalesce(sum(n) filter (reason = 0), 0)::double as allowed,
       coalesce(sum(n) filter (verified <> 0), 0)::double as verified, sum(spoofed)::double as spoofed
     from grounds join ${table} on number = ${column} where ${isCounted} group by id order by requests desc, id limit ${integer(limit)}`;
  const crawlers = await readRows<CountedCrawler>(connection, top('crawler', 'crawlers'));
  const collections = await readRows<CountedCrawler>(connection, top('collection', 'collections'));
  return {
    observed: { requests: observed, allowed: wouldAllow },
    spoofed,
    byCrawler: crawlers,
    byCollection: collections.map(({ id, requests, allowed }) => ({ id, requests, allowed })),
  };
}

const NOTHING: Breakdown = { observed: { requests: 0, allowed: 0 }, spoofed: 0, byCrawler: [], byCollection: [] };

/** Only collections observe, so without these there is nothing to count. */
async function hasGrounds(connection: DuckDBConnection): Promise<boolean> {
  const [counts] = await readColumns(
    connection,
    `select (exists (from crawlers) or exists (from collections) or exists (from claims))::integer`,
  );
  return counts?.[0] === 1;
}

/** The rule that decided. */
export interface CountedRule {
  policyNo: number;
  version: number;
  /** null: the default action. */
  index: number | null;
}

export interface BreakdownGroup extends Counted {
  rule?: CountedRule;
}

const TABLES: Partial<Record<Dimension, DictionaryName>> = {
  collection: 'collections',
  crawler: 'crawlers',
  license: 'licenses',
  purpose: 'purposes',
  permission: 'permissions',
};

/** Counts the selected decisions by a dimension, the most frequent first, then by id. */
export async function readGroups(
  connection: DuckDBConnection,
  { from, by, limit }: { from: string; by: Dimension; limit: number },
): Promise<BreakdownGroup[]> {
  const counts = `count(*)::double as requests, (count(*) filter (reason = 0))::double as allowed ${from}`;
  const order = (ids: string): string => `order by requests desc, ${ids} limit ${integer(limit)}`;
  if (by === 'rule') {
    const rows = await readRows<CountedRule & { requests: number; allowed: number; index: number }>(
      connection,
      `select policy as "policyNo", version, rule as "index", ${counts} group by policy, version, rule
       ${order('policy, version desc, rule')}`,
    );
    return rows.map(({ requests, allowed, index, ...rule }) => {
      return { id: null, requests, allowed, rule: { ...rule, index: index < 0 ? null : index } };
    });
  }
  const table = TABLES[by];
  if (table === undefined) {
    return readRows<BreakdownGroup>(connection, `select ${by}::varchar as id, ${counts} group by ${by} ${order(by)}`);
  }
  return readRows<BreakdownGroup>(
    connection,
    `select id, requests, allowed from (select ${by} as number, ${counts} group by ${by})
     left join ${table} using (number) ${order('id nulls first')}`,
  );
}
