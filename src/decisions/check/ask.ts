/**
 * Turns the body of a check into an ask, or refuses what its schema cannot: one rule for single checks, batches,
 * simulation.
 */

import { type Failure, fail } from '../../api/errors.ts';
import { caught, lazyCheck, validItem } from '../../api/http/validate.ts';
import type { Caller } from '../../api/permissions.ts';
import { parseIso } from '../../lib/clock.ts';
import { type Locator, parseVisited } from '../../lib/urls/locator.ts';
import { CheckRequest } from './schema.ts';

/**
 * An accepted check. It has a `contentId` or a `locator`, the URL that was asked for. `asOf`: the time to decide as of,
 * in epoch ms; without it, now.
 */
export type Ask = Omit<CheckRequest, 'asOf' | 'url' | 'visitor' | 'license'> & {
  license?: AskedLicense;
  locator?: Locator;
  asOf?: number;
  /** The proofs that the visitor sent, and to which URL; until its requester is found. */
  sent?: { visitor: NonNullable<CheckRequest['visitor']>; url: string | undefined };
  /** The requester or crawler that the visitor falsely claimed to be. */
  claimed?: string;
  /** Several requesters have the name that its visitor gave. It is refused so, unless the decision is only observed. */
  unclear?: Failure;
};

/** A license that the caller vouches for, or the only one that the check may use: that of its License token. */
export type AskedLicense = NonNullable<CheckRequest['license']> | { id: string };

const isCheck = lazyCheck(CheckRequest);

export interface AskTerms {
  caller: Caller;
  /** The clock of decisions, epoch ms. */
  now(): number;
  /** Nothing is ever recorded here, so `asOf` needs no `dryRun`. */
  dry: boolean;
}

/** Returns one check of a list as an ask, or the reason it is refused. */
export const acceptOne = (terms: AskTerms, one: unknown): Ask | Failure =>
  caught(() => accept(terms, validItem(CheckRequest, isCheck, one, 'check')));

/** Throws invalid_request. */
export function accept({ caller, now, dry }: AskTerms, request: CheckRequest): Ask {
  requireSound(caller, request);
  const found = request.url === undefined ? byId(request) : byUrl(request, request.url);
  const asked = request.visitor === undefined ? found : bringVisitor(found, request, dry);
  if (request.asOf === undefined) return asked;
  if (!dry && request.dryRun !== true) {
    throw fail('invalid_request', 'Only a dry run can be decided as of a past time; add `"dryRun": true`.', {
      param: 'asOf',
    });
  }
  const asOf = parseIso(request.asOf) as number;
  if (asOf > now()) throw fail('invalid_request', '`asOf` must not be in the future.', { param: 'asOf' });
  return { ...asked, asOf };
}

/** The claims of a calling server. Anybody can use a public key, so a claim that comes with it proves nothing. */
const CLAIMS: readonly { param: string; does: string; value: (request: CheckRequest) => unknown }[] = [
  { param: 'license', does: 'vouch for a license', value: ({ license }) => license },
  { param: 'context.verified', does: 'vouch for who is asking', value: ({ context }) => context?.verified },
  { param: 'context.crawlerVerified', does: 'vouch for a crawler', value: ({ context }) => context?.crawlerVerified },
  { param: 'context.attributes', does: 'state attributes', value: ({ context }) => context?.attributes },
];

/** Throws invalid_request for what a caller may not vouch for, and for an address that contradicts itself. */
function requireSound(caller: Caller, request: CheckRequest): void {
  const claim = caller.readOnly ? CLAIMS.find(({ value }) => value(request) !== undefined) : undefined;
  if (claim !== undefined) {
    const message = `A public key cannot ${claim.does}; ask with a secret key.`;
    throw fail('invalid_request', message, { param: claim.param });
  }
  if (request.context?.ip !== undefined && request.context.ipUnreadable === true) {
    const message = 'Give the address as `context.ip`, or say that it cannot be read, not both.';
    throw fail('invalid_request', message, { param: 'context.ipUnreadable' });
  }
}

/** Throws invalid_request. */
function bringVisitor(ask: Ask, { visitor, url, context }: CheckRequest, dry: boolean): Ask {
  if (dry) throw fail('invalid_request', 'A simulation has no visitor; give its `requesterId`.', { param: 'visitor' });
  if (context?.verified !== undefined || context?.crawlerVerified !== undefined) {
    const message = 'Let Postern verify the visitor, or vouch for it in `context`, not both.';
    throw fail('invalid_request', message, { param: 'visitor' });
  }
  return { ...ask, sent: { visitor: visitor as NonNullable<CheckRequest['visitor']>, url } };
}

function byId(request: CheckRequest): Ask {
  if (request.urls !== undefined) {
    const message = '`urls` says how your router reads the path of `url`: ask by `url`, or leave it out.';
    throw fail('invalid_request', message, { param: 'urls' });
  }
  if (request.contentId !== undefined) return request as Ask;
  throw fail('invalid_request', '`contentId` is required, or `url`: the address that was asked for.', {
    param: 'contentId',
  });
}

function byUrl({ url: _, ...request }: CheckRequest, url: string): Ask {
  if (request.contentId !== undefined) {
    throw fail('invalid_request', 'Ask by `contentId` or by `url`, not by both.', { param: 'url' });
  }
  const locator = parseVisited(url);
  if (locator !== undefined) return { ...request, locator } as Ask;
  const why = 'Servers may read the host or the path of this URL differently, so nothing decides about it.';
  throw fail('invalid_request', `${why} Ask for the URL as a browser sends it.`, { param: 'url' });
}
