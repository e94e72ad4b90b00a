/** Counts where a candidate decided otherwise than its policy: by requester, crawler, item or URL, and reason. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { LIMIT_CODES, parseCandidate } from '../ledger/candidate.ts';
import { type Reason, reasonOf } from '../ledger/reason.ts';
import { inSnapshot, integer, readColumns, readRows, text } from './sql.ts';

export interface DivergencesQuery {
  /** The number of the candidate. */
  no: number;
  policyNo: number;
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

const NONE: Divergences = {
  agreements: 0,
  newlyDenied: 0,
  newlyAllowed: 0,
  byRequester: [],
  byCrawler: [],
  byContent: [],
  byReason: [],
};

const TURNS = `(coalesce(sum(n) filter (allowed), 0))::double as "newlyDenied",
  (coalesce(sum(n) filter (not allowed), 0))::double as "newlyAllowed"`;

export async function answerDivergences(connection: DuckDBConnection, query: DivergencesQuery): Promise<Divergences> {
  return inSnapshot(connection, async () => {
    const outcomes = await readOutcomes(connection, query.no);
    if (outcomes.size === 0) return NONE;
    const decisions = await readDecisions(connection, query, outcomes);
    const read = async <Row>(columns: string, from: string, order: string): Promise<(Row & Turns)[]> =>
      readRows(
        connection,
        `select ${columns}, ${TURNS} from diverging ${from} group by all
         order by sum(n) desc, ${order} limit ${integer(query.limit)}`,
      );
    const [sums] = await readRows<Turns>(connection, `select ${TURNS} from diverging`);
    const { newlyDenied, newlyAllowed } = sums ?? NONE;
    return {
      agreements: decisions - newlyDenied - newlyAllowed,
      newlyDenied,
      newlyAllowed,
      byRequester: await read('id', 'left join requesters on number = requester', 'id nulls first'),
      byCrawler: await read('id as crawler', 'left join crawlers on number = crawler', 'id nulls first'),
      byContent: await read('id, url', 'left join content on number = content', 'id, url'),
      byReason: await readReasons(connection, outcomes),
    };
  });
}

/** The reasons of a candidate's decisions, by their numbers in the columns; null: allowed. */
type Outcomes = ReadonlyMap<number, Reason | null>;

async function readOutcomes(connection: DuckDBConnection, no: number): Promise<Outcomes> {
  const own = text(`[${integer(no)},`);
  const [numbers, texts] = await readColumns(
    connection,
    `select number, id from candidates where starts_with(id, ${own})`,
  );
  return new Map((numbers ?? []).map((number, i) => [number as number, parseCandidate(texts?.[i] as string).reason]));
}

/** Writes the divergences into a table, which the end of the snapshot drops, and counts all decisions. */
async function readDecisions(
  connection: DuckDBConnection,
  { policyNo }: DivergencesQuery,
  outcomes: Outcomes,
): Promise<number> {
  const list = (numbers: readonly number[]): string => [-1, ...numbers].map(integer).join(', ');
  const from = `from decisions where policy = ${integer(policyNo)} and candidate in (${list([...outcomes.keys()])})`;
  const allowing = [...outcomes].flatMap(([number, reason]) => (reason === null ? [number] : []));
  // Rules are compared: what a limit denied, the rules had allowed.
  const allowed = `reason in (${[0, ...LIMIT_CODES].map(integer).join(', ')})`;
  await connection.run(
    `create temp table diverging as
     select requester, crawler, content, case when content = 0 then url end as url, reason, candidate,
       ${allowed} as allowed, count(*) as n
     ${from} and ${allowed} <> (candidate in (${list(allowing)})) group by all`,
  );
  const [count] = await readColumns(connection, `select count(*)::double ${from}`);
  return count?.[0] as number;
}

async function readReasons(connection: DuckDBConnection, outcomes: Outcomes): Promise<Divergences['byReason']> {
  const rows = await readRows<{ reason: number; candidate: number; n: number }>(
    connection,
    'select reason, candidate, sum(n)::double as n from diverging group by reason, candidate order by reason, candidate',
  );
  const counts = new Map<string, Divergences['byReason'][number]>();
  for (const { reason, candidate, n } of rows) {
    const from = LIMIT_CODES.includes(reason) ? null : reasonOf(reason);
    const to = outcomes.get(candidate) ?? null;
    const known = counts.get(`${from} ${to}`) ?? { from, to, count: 0 };
    known.count += n;
    counts.set(`${from} ${to}`, known);
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count);
}
