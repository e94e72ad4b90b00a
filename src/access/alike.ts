/** Compares what the readings of a URL allow. Pure: one rule for checks, candidates, previews and cases. */
import { toClaim } from './claim.ts';
import type { Evaluation, Verdict } from './decide.ts';

/** Returns whether a check of these readings gets a decision. `missing`: another reading finds nothing. */
export function areAlike(first: Evaluation, rest: readonly Evaluation[], missing: boolean): boolean {
  const all = [first, ...rest];
  if (!all.some(letsThrough)) return true;
  // A reading that finds nothing does not allow.
  if (missing || !all.every(letsThrough)) return false;
  const given = grantOf(first);
  return rest.every((one) => grantOf(one) === given);
}

/** Not enforced is let through, too. */
const letsThrough = ({ verdict, facts }: Evaluation): boolean => verdict.reason === null || facts.place.observed;

/** Returns a text that is equal where the same is allowed, by the same license and under the same limit. */
function grantOf({ verdict: { reason, rule, permissions }, facts }: Evaluation): string {
  if (reason !== null) return 'denied';
  const limit = rule?.limit ?? null;
  // Of pages, all readings count as the plainest one.
  const isOfPage = limit?.scope === 'content' && facts.content === null;
  const claim = limit === null ? null : isOfPage ? limit.id : toClaim(limit, '', facts).key;
  return JSON.stringify([permissions.toSorted(), claim, rule?.licenseOf?.(facts)?.id ?? null]);
}

const REFUSED: Verdict = { reason: 'policy_denied', rule: null, permissions: [] };

/**
 * Returns what other rules would make of a check with these readings. One that would be refused counts as denied, for
 * the reason of the first reading that is denied.
 */
export function verdictOfAll(first: Evaluation, rest: readonly Evaluation[], missing: boolean): Verdict {
  const isOne = rest.length === 0 && !missing;
  if (isOne || areAlike(first, rest, missing)) return first.verdict;
  return [first, ...rest].find(({ verdict }) => verdict.reason !== null)?.verdict ?? REFUSED;
}
