/** Whether a check may be asked as it stands: what its schema cannot say. One rule for single checks, batches, simulation. */
import { Compile } from 'typebox/compile';
import { Failure, fail } from '../errors.ts';
import type { Caller } from '../http/auth.ts';
import { validItem } from '../http/validate.ts';
import { asOfMoment } from './past.ts';
import { CheckRequest } from './schema.ts';

const compiledCheck = Compile(CheckRequest);

export interface Terms {
  caller: Caller;
  /** Epoch ms. */
  now: number;
  /** Nothing is ever recorded here, so `asOf` needs no `dryRun`. */
  dry: boolean;
}

/** One check of a list, or why it is refused. */
export function acceptOne(terms: Terms, one: unknown): CheckRequest | Failure {
  try {
    const request = validItem(CheckRequest, compiledCheck, one, 'check');
    accept(terms, request);
    return request;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Throws invalid_request. */
export function accept({ caller, now, dry }: Terms, request: CheckRequest): void {
  if (caller.readOnly && request.license !== undefined) {
    // A public key is in anybody's hands: its word for a licence counts for nothing.
    throw fail('invalid_request', 'A public key cannot vouch for a license; ask with a secret key.', {
      param: 'license',
    });
  }
  const asOf = asOfMoment(request);
  if (asOf === undefined) return;
  if (!dry && request.dryRun !== true) {
    throw fail('invalid_request', 'Only a dry run can be decided as of a moment; add `"dryRun": true`.', {
      param: 'asOf',
    });
  }
  if (asOf > now) throw fail('invalid_request', '`asOf` must not be in the future.', { param: 'asOf' });
}
