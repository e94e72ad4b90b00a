/**
 * Checks of a URL that servers may read in several ways: they are decided under each reading. Promise: where the
 * readings do not all allow the same, nothing is allowed; where they do, it is one decision with one use of its limit.
 */
import { UndecidedUrl } from '../content/address.ts';
import type { Locator } from '../lib/locator.ts';
import type { Ask } from './ask.ts';
import type { Evaluation } from './decide.ts';
import { evaluate, toClaim } from './draft.ts';
import type { Subject } from './facts.ts';

/** Returns why a check of several readings gets no decision; undefined if it gets one. */
export function refusedReadings(subject: Subject, ask: Ask, at: number): UndecidedUrl | undefined {
  const { others, missing, requester } = subject;
  if (others === undefined) return undefined;
  const first = evaluate(subject, ask, at);
  const rest = others.map((other) => evaluate({ ...other, requester }, ask, at));
  return areAlike(first, rest, missing === true)
    ? undefined
    : new UndecidedUrl(ask.locator as Locator, 'ambiguous_readings');
}

/** Not enforced is let through, too. */
const letsThrough = ({ verdict, facts }: Evaluation): boolean => verdict.reason === null || facts.place.observed;

/** A reading that finds nothing does not allow. */
function areAlike(first: Evaluation, rest: readonly Evaluation[], missing: boolean): boolean {
  const all = [first, ...rest];
  if (!all.some(letsThrough)) return true;
  if (missing || !all.every(letsThrough)) return false;
  const given = grantOf(first);
  return rest.every((one) => grantOf(one) === given);
}

/** Returns a text that is equal where the same is allowed, by the same license and under the same limit. */
function grantOf({ verdict: { reason, rule, permissions }, facts }: Evaluation): string {
  if (reason !== null) return 'denied';
  const limit = rule?.limit ?? null;
  // Of pages, all readings count as the plainest one.
  const isOfPage = limit?.scope === 'content' && facts.content === null;
  const claim = limit === null ? null : isOfPage ? limit.id : toClaim(limit, '', facts).key;
  return JSON.stringify([permissions.toSorted(), claim, rule?.licenseOf?.(facts)?.id ?? null]);
}
