/** Counts where a candidate decided otherwise than its policy: by requester, crawler, item or URL, and reason. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { decodeReason, type Reason } from '../../../rules/reason.ts';
import { LIMIT_CODES, parseCandidate } from '../../ledger/codes.ts';
import { inSnapshot, integer, readColumns, readRows, text } from './sql.ts';

export interface DivergencesQuery {
  /** The number of the candidate. */
  no: number;
  /** Length of the lists. */
  limit: number;
}

export interface Turns {
  newlyDenied: number;
  newlyAllowed: number;
}

/** The most divergences first. */
export interface Divergences extends Turns {
  agreements: number;
  byRequester: ({ id: string | null } & Turns)[];
  byCrawler: ({ crawler: string | null } & Turns)[];
  /** By the id of an item, or by URL. */
  byContent: ({ id: string | null; url: string | null } & Turns)[];
  byReason: { from: Reason | null; to: Reason | null; count: number }[];
}

/** The reasons of a candidate's decisions, by their numbers in the columns; null: allowed. */
type Outcomes = ReadonlyMap<number, Reason | null>;

/** Denials by a limit or a quota: the rules had allowed, and rules are compared. */
const ALLOWED = `reason in (${[0, ...LIMIT_CODES].map(integer).join(', ')})`;

export function answerDivergences(connection: DuckDBConnection, query: DivergencesQuery): Promise<Divergences> {
  return inSnapshot(connection, async () => {
    const outcomes = await readOutcomes(connection, query.no);
    const sums = await readSums(connection, outcomes);
    const lists = sums.byReason.length === 0 ? NO_LISTS : await readLists(connection, outcomes, query);
    return { ...sums, ...lists };
  });
}

async function readOutcomes(connection: DuckDBConnection, no: number): Promise<Outcomes> {
  const own = text(`[${integer(no)},`);
  const [numbers, texts] = await readColumns(
    connection,
    `select number, id from candidates where starts_with(id, ${own})`,
  );
  return new Map((numbers ?? []).map((number, i) => [number as number, parseCandidate(texts?.[i] as string).reason]));
}

const inList = (column: string, numbers: readonly number[]): string =>
  numbers.length === 0 ? 'false' : `${column} in (${numbers.map(integer).join(', ')})`;

type Sums = Pick<Divergences, 'agreements' | 'newlyDenied' | 'newlyAllowed' | 'byReason'>;

async function readSums(connection: DuckDBConnection, outcomes: Outcomes): Promise<Sums> {
  const rows = await readRows<{ reason: number; candidate: number; n: number }>(
    connection,
    `select reason, candidate, count(*)::double as n from decisions where ${inList('candidate', [...outcomes.keys()])}
     group by all order by all`,
  );
  const sums = { agreements: 0, newlyDenied: 0, newlyAllowed: 0 };
  const reasons = new Map<string, Divergences['byReason'][number]>();
  for (const { reason, candidate, n } of rows) {
    const from = LIMIT_CODES.includes(reason) ? null : decodeReason(reason);
    const to = outcomes.get(candidate) ?? null;
    if ((from === null) === (to === null)) {
      sums.agreements += n;
      continue;
    }
    sums[from === null ? 'newlyDenied' : 'newlyAllowed'] += n;
    const known = reasons.get(`${from} ${to}`) ?? { from, to, count: 0 };
    known.count += n;
    reasons.set(`${from} ${to}`, known);
  }
  return { ...sums, byReason: [...reasons.values()].toSorted((a, b) => b.count - a.count) };
}

type Lists = Pick<Divergences, 'byRequester' | 'byCrawler' | 'byContent'>;
const NO_LISTS: Lists = { byRequester: [], byCrawler: [], byContent: [] };

async function readLists(connection: DuckDBConnection, outcomes: Outcomes, { limit }: DivergencesQuery) {
  const pickNumbers = (allowed: boolean): number[] =>
    [...outcomes].flatMap(([number, reason]) => ((reason === null) === allowed ? [number] : []));
  const diverging = `(${ALLOWED} and ${inList('candidate', pickNumbers(false))}
    or not ${ALLOWED} and ${inList('candidate', pickNumbers(true))})`;
  // Names are looked up for the groups, not for each decision.
  const read = <Row>(by: string, names: string): Promise<(Row & Turns)[]> =>
    readRows(
      connection,
      `select ${names}, denied::double as "newlyDenied", (n - denied)::double as "newlyAllowed"
       from (select ${by}, count(*) as n, count(*) filter (${ALLOWED}) as denied from decisions where ${diverging} group by all)
       order by n desc, id nulls first${by.includes('url') ? ', url' : ''} limit ${integer(limit)}`,
    );
  const named = (table: string): string => `(select id from ${table} where number = key) as id`;
  const byCrawler = await read<{ id: string | null }>('crawler as key', named('crawlers'));
  return {
    byRequester: await read<{ id: string | null }>('requester as key', named('requesters')),
    byCrawler: byCrawler.map(({ id: crawler, ...turns }) => ({ crawler, ...turns })),
    byContent: await read<{ id: string | null; url: string | null }>(
      'content as key, case when content = 0 then url end as url',
      `${named('content')}, url`,
    ),
  };
}
