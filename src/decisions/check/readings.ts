/**
 * Checks of a URL that servers may read in several ways: they are decided under each reading. Promise: where the
 * readings do not all allow the same, nothing is allowed; where they do, it is one decision with one use of its limit.
 * A URL that the caller's router reads more loosely than the host says is decided by looser rules, too. Promise: what
 * is denied by either of them is denied, as that decision.
 */
import { UndecidedUrl } from '../../content/undecided.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { areAlike, decidingSpelling } from '../../rules/alike.ts';
import type { Ask } from './ask.ts';
import { evaluate } from './draft.ts';
import type { PlacedSubject, Subject } from './facts.ts';

/** Returns the subject that a check of several readings is decided on, or why it gets no decision. */
export function decidingReading(subject: Subject, ask: Ask, at: number): Subject | UndecidedUrl {
  const { others, missing, requester, spelled } = subject;
  if (others === undefined) return subject;
  const first = evaluate(subject, ask, at);
  const rest = others.map((other) => evaluate({ ...other, requester }, ask, at));
  if (spelled === true) {
    const deciding = decidingSpelling([first, ...rest]);
    if (deciding !== undefined) return withFirst(subject, others, deciding);
    return new UndecidedUrl(ask.locator as Locator, 'ambiguous_content');
  }
  return areAlike(first, rest, missing === true)
    ? subject
    : new UndecidedUrl(ask.locator as Locator, 'ambiguous_readings');
}

/** Puts the subject that decides first. */
function withFirst(subject: Subject, others: readonly PlacedSubject[], i: number): Subject {
  if (i === 0) return subject;
  const { requester, missing, spelled, others: _, ...first } = subject;
  const deciding = others[i - 1] as PlacedSubject;
  return { ...deciding, requester, missing, spelled, others: [first, ...others.filter((one) => one !== deciding)] };
}
