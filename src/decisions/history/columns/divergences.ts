/** Counts where a candidate decided otherwise than its policy: by requester, crawler, item or URL, and reason. */
import { decodeReason, type Reason } from '../../../rules/reason.ts';
import { LIMIT_CODES, parseCandidate } from '../../ledger/codes.ts';
import { type Grouped, readMost } from './groups.ts';
import type { SqlReader } from './reader.ts';
import { integer, text } from './sql.ts';
import { type CountedWho, toVisitor } from './who.ts';

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
  byWho: ({ visitor: CountedWho } & Turns)[];
  byCrawler: ({ crawler: string | null } & Turns)[];
  /** By the id of an item, or by URL. */
  byContent: ({ id: string | null; url: string | null } & Turns)[];
  byReason: { from: Reason | null; to: Reason | null; count: number }[];
}

/** The reasons of a candidate's decisions, by their numbers in the columns; null: allowed. */
type Outcomes = ReadonlyMap<number, Reason | null>;

/** Denials by a limit or a quota: the rules had allowed, and rules are compared. */
const ALLOWED = `reason in (${[0, ...LIMIT_CODES].map(integer).join(', ')})`;

export function answerDivergences(reader: SqlReader, query: DivergencesQuery): Promise<Divergences> {
  return reader.inSnapshot(async () => {
    const outcomes = await readOutcomes(reader, query.no);
    const sums = await readSums(reader, outcomes);
    const lists = sums.byReason.length === 0 ? NO_LISTS : await readLists(reader, outcomes, query);
    return { ...sums, ...lists };
  });
}

async function readOutcomes(reader: SqlReader, no: number): Promise<Outcomes> {
  const own = text(`[${integer(no)},`);
  const [numbers, texts] = await reader.columns(`select number, id from candidates where startsWith(id, ${own})`);
  return new Map((numbers ?? []).map((number, i) => [number as number, parseCandidate(texts?.[i] as string).reason]));
}

const inList = (column: string, numbers: readonly number[]): string =>
  numbers.length === 0 ? 'false' : `${column} in (${numbers.map(integer).join(', ')})`;

type Sums = Pick<Divergences, 'agreements' | 'newlyDenied' | 'newlyAllowed' | 'byReason'>;

async function readSums(reader: SqlReader, outcomes: Outcomes): Promise<Sums> {
  const rows = await reader.rows<{
    reason: number;
    candidate: number;
    n: number;
  }>(`select reason, candidate, count(*)::double as n from decisions where ${inList('candidate', [...outcomes.keys()])}
     group by reason, candidate order by reason, candidate`);
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

type Lists = Pick<Divergences, 'byRequester' | 'byWho' | 'byCrawler' | 'byContent'>;
const NO_LISTS: Lists = { byRequester: [], byWho: [], byCrawler: [], byContent: [] };

async function readLists(reader: SqlReader, outcomes: Outcomes, { limit }: DivergencesQuery): Promise<Lists> {
  const pickNumbers = (allowed: boolean): number[] =>
    [...outcomes].flatMap(([number, reason]) => ((reason === null) === allowed ? [number] : []));
  const diverging = `(${ALLOWED} and ${inList('candidate', pickNumbers(false))}
    or not ${ALLOWED} and ${inList('candidate', pickNumbers(true))})`;
  const counts = {
    n: 'count(*)',
    newlyDenied: `count(*) filter (where ${ALLOWED})`,
    newlyAllowed: `count(*) filter (where not ${ALLOWED})`,
  };
  const read = async (by: readonly Grouped[]) => {
    const { groups } = await readMost(reader, { from: `from decisions where ${diverging}`, by, counts }, limit);
    return groups.map(({ ids: [id = null, url = null], newlyDenied, newlyAllowed }) => {
      return { id, url, turns: { newlyDenied, newlyAllowed } };
    });
  };
  return {
    byRequester: (await read(['requester'])).map(({ id, turns }) => ({ id, ...turns })),
    byWho: (await read(['who'])).map(({ id, turns }) => ({ visitor: toVisitor(id), ...turns })),
    byCrawler: (await read(['crawler'])).map(({ id: crawler, turns }) => ({ crawler, ...turns })),
    byContent: (await read(['content', 'url'])).map(({ id, url, turns }) => ({ id, url, ...turns })),
  };
}
