/** Finds the requester of a check that brings what its visitor sent, as `/v1/authorize` does. */
import { Failure, fail } from '../../api/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseVisited } from '../../lib/urls/locator.ts';
import type { SignedRequest } from '../../requesters/signatures/request.ts';
import type { UnclearVisitor, Visitor, Visitors } from '../visitors/visitors.ts';
import type { Ask } from './ask.ts';

export interface WhoDeps {
  visitors: Visitors;
  clock: Pick<Clock, 'now'>;
}

/** Returns each ask with the requester that its visitor is, or the reason why there is none. Throws Unavailable. */
export async function withVisitors(
  deps: WhoDeps,
  asks: readonly (Ask | Failure)[],
): Promise<readonly (Ask | Failure)[]> {
  // A promise for each check would cost a batch as much as their rules do.
  return asks.some(hasVisitor) ? Promise.all(asks.map((ask) => withVisitor(deps, ask))) : asks;
}

const hasVisitor = (ask: Ask | Failure): boolean => !(ask instanceof Failure) && ask.sent !== undefined;

type Sent = NonNullable<Ask['sent']>;

async function withVisitor({ visitors, clock }: WhoDeps, ask: Ask | Failure): Promise<Ask | Failure> {
  if (ask instanceof Failure || ask.sent === undefined) return ask;
  const { sent } = ask;
  const found = await visitors.find({
    requesterId: ask.requesterId,
    userAgent: ask.context?.userAgent,
    authorization: sent.visitor.authorization,
    at: ask.locator ?? parseVisited(sent.visitor.url ?? ''),
    signed: toSigned(sent, ask, clock.now()),
  });
  if (found === 'ambiguous_requester') return asNobody(ask);
  return typeof found === 'string' ? unclear(found) : asVisitor(ask, found);
}

/** Puts a visitor into an ask whose name several requesters have. It is decided as that of none of them. */
export const asNobody = (ask: Ask): Ask => ({ ...asVisitor(ask, {}), unclear: unclear('ambiguous_requester') });

/**
 * Puts a visitor into an ask. After a false claim it has no requester, and no license that was vouched for the one that
 * was claimed.
 */
export function asVisitor(ask: Ask, visitor: Visitor): Ask {
  const { requesterId, verified, claimed, licenseId } = visitor;
  const { requesterId: _, sent: __, license, ...others } = ask;
  const rest = license === undefined || claimed !== undefined ? others : { ...others, license };
  // A false claim proves nothing about a crawler either.
  const crawlerVerified = claimed === undefined ? visitor.crawlerVerified : ask.context && false;
  const context = {
    ...ask.context,
    ...(verified === undefined ? {} : { verified }),
    ...(crawlerVerified === undefined ? {} : { crawlerVerified }),
  };
  return {
    ...rest,
    ...(licenseId === undefined ? {} : { license: { id: licenseId } }),
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(verified === undefined && crawlerVerified === undefined ? {} : { context }),
    ...(claimed === undefined ? {} : { claimed }),
  };
}

function toSigned({ visitor, url: asked }: Sent, { context }: Ask, at: number): SignedRequest | undefined {
  const { method = 'GET', url = asked, signature, signatureInput, signatureAgent } = visitor;
  if (signatureInput === undefined || url === undefined) return undefined;
  return {
    method,
    authority: new URL(url).host,
    targetUri: url,
    headers: {
      signature,
      'signature-input': signatureInput,
      'signature-agent': signatureAgent,
      'user-agent': context?.userAgent,
    },
    at,
  };
}

const UNCLEAR = {
  unreadable_user_agent: ['context.userAgent', 'The user agent is longer than any browser sends.'],
  ambiguous_requester: [
    'context.userAgent',
    'Several requesters have this name or this agent; give it to one of them.',
  ],
  invalid_token: ['visitor.authorization', 'The token does not exist, was revoked or has expired.'],
  invalid_license_token: [
    'visitor.authorization',
    'The License token is not valid for this URL: it has expired, or its license was revoked. Get another one.',
  ],
} as const;

function unclear(why: UnclearVisitor): Failure {
  const [param, message] = UNCLEAR[why];
  return fail(param === 'visitor.authorization' ? 'invalid_token' : 'invalid_request', message, { param });
}
