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
const grantOf = (one: Evaluation): string =>
  one.verdict.reason === null ? `${permissionsOf(one)} ${termsOf(one)}` : 'denied';

const permissionsOf = ({ verdict: { permissions } }: Evaluation): string => JSON.stringify(permissions.toSorted());

const NO_TERMS = JSON.stringify([null, null]);

function termsOf({ verdict: { rule }, facts }: Evaluation): string {
  const limit = rule?.limit ?? null;
  // Of pages, all readings count as the plainest one.
  const isOfPage = limit?.scope === 'content' && facts.content === null;
  const claim = limit === null ? null : isOfPage ? limit.id : toClaim(limit, '', facts).key;
  return JSON.stringify([claim, rule?.licenseOf?.(facts)?.id ?? null]);
}

/**
 * Returns the number of the spelling that decides for a loose router: one that is denied, else one that has a limit or
 * a license, else the first. Undefined: two items of different policies are meant, or it is allowed on different terms.
 */
export function decidingSpelling(all: readonly Evaluation[]): number | undefined {
  if (hasItemsOfTwoPolicies(all)) return undefined;
  const denied = all.findIndex((one) => !letsThrough(one));
  if (denied !== -1) return denied;
  const allowed = all.flatMap((one, i) => (one.verdict.reason === null ? [i] : []));
  if (new Set(allowed.map((i) => permissionsOf(all[i] as Evaluation))).size > 1) return undefined;
  const onTerms = allowed.filter((i) => termsOf(all[i] as Evaluation) !== NO_TERMS);
  const terms = new Set(onTerms.map((i) => termsOf(all[i] as Evaluation)));
  return terms.size > 1 ? undefined : (onTerms[0] ?? 0);
}

function hasItemsOfTwoPolicies(all: readonly Evaluation[]): boolean {
  const found = new Map(all.flatMap(({ facts: { content }, policy }) => (content ? [[content.id, policy.id]] : [])));
  return new Set(found.values()).size > 1;
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

/** Returns the same for the spellings of a loose router. */
export function verdictOfSpellings(all: readonly Evaluation[]): Verdict {
  const i = decidingSpelling(all);
  return i === undefined ? REFUSED : (all[i] as Evaluation).verdict;
}
