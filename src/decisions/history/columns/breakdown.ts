/** Decisions by crawler, collection and other grounds, and those that were only observed. All of one snapshot. */
import type { Dimension } from './dimensions.ts';
import { type Grouping, OUTCOMES, readMost } from './groups.ts';
import type { SqlReader } from './reader.ts';

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
  reader: SqlReader,
  { from, enforced, limit }: { from: string; enforced: boolean; limit: number },
): Promise<Breakdown> {
  if (!(await hasGrounds(reader))) return NOTHING;
  // Counted in one scan, in an array: all groups are small numbers.
  await reader.keep(
    'grounds',
    `select crawler, collection, enforced, verified, reason, count(*) as n, count(*) filter (where claimed <> 0) as spoofed
     ${from} group by crawler, collection, enforced, verified, reason`,
  );
  const isCounted = `enforced = ${enforced ? 1 : 0}`;
  const [[observed = 0] = [], [wouldAllow = 0] = [], [spoofed = 0] = []] =
    (await reader.columns(`select coalesce(sum(n) filter (where enforced = 0), 0)::double,
       coalesce(sum(n) filter (where enforced = 0 and reason = 0), 0)::double,
       coalesce(sum(spoofed) filter (where ${isCounted}), 0)::double from grounds`)) as number[][];
  const readTop = async (by: 'crawler' | 'collection') => {
    const shown = `from grounds where ${isCounted} and ${by} <> 0`;
    return (await readMost(reader, { from: shown, by: [by], counts: COUNTS, isSmall: true }, limit)).groups;
  };
  const crawlers = await readTop('crawler');
  const collections = await readTop('collection');
  return {
    observed: { requests: observed, allowed: wouldAllow },
    spoofed,
    byCrawler: crawlers.map(({ ids: [id = null], numbers: _, ...counts }) => ({ id, ...counts })),
    byCollection: collections.map(({ ids: [id = null], requests, allowed }) => ({ id, requests, allowed })),
  };
}

/** Counts of `grounds`, which has a number of decisions in each row. */
const COUNTS = {
  requests: 'sum(n)',
  allowed: 'coalesce(sum(n) filter (where reason = 0), 0)',
  verified: 'coalesce(sum(n) filter (where verified <> 0), 0)',
  spoofed: 'sum(spoofed)',
};

const NOTHING: Breakdown = { observed: { requests: 0, allowed: 0 }, spoofed: 0, byCrawler: [], byCollection: [] };

/** Only collections observe, so without these there is nothing to count. */
async function hasGrounds(reader: SqlReader): Promise<boolean> {
  const [counts] = await reader.columns(
    `select (${['crawlers', 'collections', 'claims'].map((table) => `(select count(*) from ${table})`).join(' + ')})::double`,
  );
  return counts?.[0] !== 0;
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

/** Counts the selected decisions by a dimension, the most frequent first, then by id. */
export async function readGroups(
  reader: SqlReader,
  { from, by, limit, isSmall }: { from: string; by: Dimension; limit: number; isSmall: boolean },
): Promise<BreakdownGroup[]> {
  const isRule = by === 'rule';
  const grouping: Grouping<keyof typeof OUTCOMES> = {
    from,
    by: isRule ? ['policy', 'version', 'rule'] : [by],
    counts: OUTCOMES,
    isSmall,
  };
  const { groups } = await readMost(reader, grouping, limit);
  return groups.map(({ ids: [id = null], numbers: [policyNo = 0, version = 0, index = 0], requests, allowed }) =>
    isRule
      ? { id: null, requests, allowed, rule: { policyNo, version, index: index < 0 ? null : index } }
      : { id, requests, allowed },
  );
}
