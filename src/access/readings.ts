/**
 * Checks of a URL that servers may read in several ways: they are decided under each reading. Promise: where the
 * readings do not all allow the same, nothing is allowed; where they do, it is one decision with one use of its limit.
 */
import { UndecidedUrl } from '../content/address.ts';
import type { Locator } from '../lib/locator.ts';
import { areAlike } from './alike.ts';
import type { Ask } from './ask.ts';
import { evaluate } from './draft.ts';
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
