/**
 * Turns the body of a check into an ask, or refuses what its schema cannot: one rule for single checks, batches,
 * simulation.
 */

import { Failure, fail } from '../errors.ts';
import { checkOf, validItem } from '../http/validate.ts';
import { parseIso } from '../lib/clock.ts';
import type { Caller } from '../permissions.ts';
import { CheckRequest } from './schema.ts';

/** An accepted check. `asOf`: the time to decide as of, in epoch ms; without it, now. */
export type Ask = Omit<CheckRequest, 'asOf'> & { asOf?: number };

const isCheck = checkOf(CheckRequest);

export interface AskTerms {
  caller: Caller;
  /** The clock of decisions, epoch ms. */
  now(): number;
  /** Nothing is ever recorded here, so `asOf` needs no `dryRun`. */
  dry: boolean;
}

/** Returns one check of a list as an ask, or the reason it is refused. */
export function acceptOne(terms: AskTerms, one: unknown): Ask | Failure {
  try {
    return accept(terms, validItem(CheckRequest, isCheck, one, 'check'));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Throws invalid_request. */
export function accept({ caller, now, dry }: AskTerms, request: CheckRequest): Ask {
  if (caller.readOnly && request.license !== undefined) {
    // Anybody can use a public key, so a license that it claims proves nothing.
    throw fail('invalid_request', 'A public key cannot vouch for a license; ask with a secret key.', {
      param: 'license',
    });
  }
  if (request.asOf === undefined) return request as Ask;
  if (!dry && request.dryRun !== true) {
    throw fail('invalid_request', 'Only a dry run can be decided as of a past time; add `"dryRun": true`.', {
      param: 'asOf',
    });
  }
  const asOf = parseIso(request.asOf) as number;
  if (asOf > now()) throw fail('invalid_request', '`asOf` must not be in the future.', { param: 'asOf' });
  return { ...request, asOf };
}
