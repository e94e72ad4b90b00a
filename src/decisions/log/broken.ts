/** Lists accesses that broke robots.txt as it was then. The work of one page is bounded: it may have few entries. */
import { type Page, toCursor } from '../../db/page.ts';
import type { DecisionFilter, DecisionFinder } from '../history/filter.ts';
import type { LoggedDecision, RobotsBreak, RobotsJudge } from '../history/logged.ts';
import { parseDecisionId } from '../ledger/decision.ts';

/** Accesses that are looked at for one page. */
const LOOKED_MAX = 2_000;
const CHUNK = 500;

type Keep = (decisions: readonly LoggedDecision[]) => Promise<LoggedDecision[]>;

/** Returns a function that keeps the accesses that broke robots.txt in the wanted way, and says how. */
export const keepBroken =
  (robots: RobotsJudge, wanted: RobotsBreak | 'any'): Keep =>
  async (decisions) => {
    const found = await robots.judge(decisions);
    return decisions.flatMap((decision, i) => {
      const broken = found[i] ?? null;
      const isWanted = broken !== null && (wanted === 'any' || wanted === broken);
      return isWanted ? [{ ...decision, robots: broken }] : [];
    });
  };

interface Deps {
  finder: DecisionFinder;
  read(seqs: readonly number[]): Promise<LoggedDecision[]>;
  keep: Keep;
}

export async function findBroken(
  { finder, read, keep }: Deps,
  filter: DecisionFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<Page<LoggedDecision>> {
  const data: LoggedDecision[] = [];
  let at = before;
  let totalCount = 0;
  for (let looked = 0; looked < LOOKED_MAX && data.length <= limit; looked += CHUNK) {
    const found = await finder.find(filter, { before: at, limit: CHUNK });
    totalCount = found.totalCount;
    data.push(...(await keep(await read(found.seqs))));
    at = found.seqs.length < CHUNK ? null : (found.seqs.at(-1) as number);
    if (at === null) break;
  }
  const last = data[limit - 1];
  // The rest of what was found comes again with the next page.
  if (data.length > limit && last !== undefined) at = parseDecisionId(last.id as string)?.seq ?? null;
  return {
    data: data.slice(0, limit),
    hasMore: at !== null,
    totalCount,
    nextCursor: at === null ? null : toCursor(String(at)),
  };
}
