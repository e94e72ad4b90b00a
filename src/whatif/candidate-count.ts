/** Counts what a candidate has decided so far: exact, in a thread of its own. */
import type { Counted } from './candidate-sql.ts';
import { CandidateCounter, type CandidateTally, type Divergences } from './candidate-tally.ts';
import type { PresentItem } from './impact.ts';
import type { ImpactSource } from './impact-source.ts';

export interface CandidateQuestion {
  candidate: Counted & { policyId: string; afterSeq: number };
  /** Length of the lists. */
  limit: number;
}

/** Figures with names, the most divergences first. */
export interface CandidateFigures extends Divergences {
  decisions: number;
  agreements: number;
  byRequester: ({ id: string | null; name: string | null } & Divergences)[];
  byCrawler: ({ crawler: string | null } & Divergences)[];
  byContent: ({
    id: string | null;
    externalId: string | null;
    title: string | null;
    /** null for an item. */
    url: string | null;
  } & Divergences)[];
  byReason: CandidateTally['byReason'];
}

/** `rest` is called with the time at which each page began. */
export async function countCandidate(
  source: ImpactSource,
  { candidate, limit }: CandidateQuestion,
  rest: (began: number) => Promise<void>,
): Promise<CandidateFigures> {
  const counter = new CandidateCounter();
  const upTo = await source.head();
  for (let after: number | null = candidate.afterSeq; after !== null; ) {
    const began = performance.now();
    const page = await source.candidatePage(candidate, { after, upTo });
    for (const group of page.groups) counter.add(group);
    after = page.last;
    if (after !== null) await rest(began);
  }
  return toFigures(source, counter.tally(), candidate.policyId, limit);
}

async function toFigures(
  source: ImpactSource,
  { agreements, newlyDenied, newlyAllowed, byReason, ...by }: CandidateTally,
  policyId: string,
  limit: number,
): Promise<CandidateFigures> {
  const requesters = top(by.byRequester, limit);
  const contents = top(by.byContent, limit);
  const names = await source.names(requesters.flatMap(([id]) => id ?? []));
  const items = await source.items(
    contents.flatMap(([key]) => (typeof key === 'number' ? key : [])),
    policyId,
  );
  return {
    decisions: agreements + newlyDenied + newlyAllowed,
    agreements,
    newlyDenied,
    newlyAllowed,
    byRequester: requesters.map(([id, turns]) => ({ id, name: id === null ? null : (names.get(id) ?? id), ...turns })),
    byCrawler: top(by.byCrawler, limit).map(([crawler, turns]) => ({ crawler, ...turns })),
    byContent: contents.flatMap(([key, turns]) => {
      const named = typeof key === 'string' ? { ...NO_ITEM, url: key } : toNamed(items.get(key));
      return named === undefined ? [] : [{ ...named, ...turns }];
    }),
    byReason,
  };
}

const NO_ITEM = { id: null, externalId: null, title: null };

const toNamed = (item: PresentItem | undefined) =>
  item && { id: item.facts.id, externalId: item.facts.externalId, title: item.title, url: null };

/** The most divergences first, then in the order of the keys. */
function top<K extends string | number | null>(by: ReadonlyMap<K, Divergences>, limit: number): [K, Divergences][] {
  const sum = ({ newlyDenied, newlyAllowed }: Divergences): number => newlyDenied + newlyAllowed;
  const sorted = [...by].toSorted(([a, one], [b, other]) => sum(other) - sum(one) || ((a ?? '') < (b ?? '') ? -1 : 1));
  return sorted.slice(0, limit);
}
