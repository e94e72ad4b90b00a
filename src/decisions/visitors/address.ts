/**
 * Judges asks by the addresses of their visitors. Promise: answers come from memory, and a check that falsely claims a
 * name, or claims it from an address that cannot be judged, has no requester. A requester that the caller names without
 * its user agent saying so is verified, never accused.
 */

import type { Failure } from '../../api/errors.ts';
import { type Identities, isDoubtful } from '../../requesters/identities/identities.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';
import type { Ask } from '../check/ask.ts';
import type { WhoDeps } from '../check/who.ts';
import { asVisitor } from '../check/who.ts';
import type { Owner } from './names.ts';
import { toUserAgent } from './visitors.ts';

export interface AddressDeps {
  identities: Pick<Identities, 'hasIdentities' | 'identify' | 'proofsOf'>;
  visitors: Pick<WhoDeps['visitors'], 'claims' | 'named'>;
}

type Asks = readonly (Ask | Failure)[];

/** Returns the asks, most of them as they were; a promise only where names are not in memory yet. */
export function judgeAddresses(deps: AddressDeps, asks: Asks): Asks | Promise<Asks> {
  let judged: (Ask | Failure)[] | undefined;
  const waiting: Promise<void>[] = [];
  for (let i = 0; i < asks.length; i++) {
    const ask = asks[i] as Ask | Failure;
    if ('code' in ask || !hasAddress(ask)) continue;
    const one = judge(deps, ask);
    if (one === ask) continue;
    const list = (judged ??= [...asks]);
    if (one instanceof Promise) waiting.push(one.then((known) => void (list[i] = known)));
    else list[i] = one;
  }
  if (judged === undefined) return asks;
  const answer = judged;
  return waiting.length === 0 ? answer : Promise.all(waiting).then(() => answer);
}

/** Only what nothing else has proven or refuted, and only now: past lists are not kept. */
export const hasAddress = ({ context, claimed, asOf }: Ask): boolean =>
  (context?.ip !== undefined || context?.ipUnreadable === true) &&
  (context.verified === undefined || isUnproven(context)) &&
  claimed === undefined &&
  asOf === undefined;

/** The proof of a requester says nothing about the crawler that the user agent names. */
const isUnproven = ({ userAgent, crawlerVerified }: NonNullable<Ask['context']>): boolean =>
  crawlerVerified === undefined && userAgent !== undefined && findCrawler(userAgent) !== null;

const pickAddress = ({ context }: Ask): string | null => context?.ip ?? null;

function judge(deps: AddressDeps, ask: Ask): Ask | Promise<Ask> {
  const { context = {} } = ask;
  const judged = context.verified === undefined ? judgeRequester(deps, ask) : ask;
  if (!isUnproven(context)) return judged;
  return judged instanceof Promise ? judged.then((one) => judgeCrawler(deps, one)) : judgeCrawler(deps, judged);
}

/** Adds whether the address proves the crawler that the user agent names, whether or not it also proves a requester. */
function judgeCrawler(deps: AddressDeps, ask: Ask): Ask | Promise<Ask> {
  const { context = {}, claimed } = ask;
  const crawler = findCrawler(context.userAgent ?? '');
  if (crawler === null || claimed !== undefined) return ask;
  const owner = deps.visitors.named(toUserAgent(crawler));
  const toAsk = (requesterId: Owner): Ask => {
    const { verified } = deps.identities.identify({ address: pickAddress(ask), requesterId, crawler: crawler.name });
    return { ...ask, context: { ...context, crawlerVerified: verified !== null } };
  };
  return owner instanceof Promise ? owner.then(toAsk) : toAsk(owner);
}

function judgeRequester(deps: AddressDeps, ask: Ask): Ask | Promise<Ask> {
  const { context: { userAgent } = {}, requesterId } = ask;
  if (requesterId === undefined && userAgent !== undefined) {
    const owner = deps.visitors.named(userAgent);
    return owner instanceof Promise
      ? owner.then((one) => judgeAnonymous(deps, ask, one))
      : judgeAnonymous(deps, ask, owner);
  }
  return judgeStated(deps, ask);
}

/** A name that an anonymous check only claims gives it no requester, but a false claim is reported. */
function judgeAnonymous(deps: AddressDeps, ask: Ask, owner: Owner): Ask | Promise<Ask> {
  const isFalse = owner != null && deps.identities.identify({ address: pickAddress(ask), requesterId: owner }).failed;
  return isFalse && !isVouched(deps, ask, owner) ? asVisitor(ask, { claimed: owner }) : judgeStated(deps, ask);
}

/** The caller vouches for the crawler that has this name: its address may be that of a proxy. */
function isVouched({ visitors }: AddressDeps, { context = {} }: Ask, owner: string): boolean {
  const crawler = context.crawlerVerified === true ? findCrawler(context.userAgent ?? '') : null;
  return crawler !== null && visitors.claims(toUserAgent(crawler), owner) === true;
}

function judgeStated(deps: AddressDeps, ask: Ask): Ask | Promise<Ask> {
  const { context: { userAgent } = {}, requesterId } = ask;
  const crawler = userAgent === undefined ? null : findCrawler(userAgent);
  if (requesterId === undefined || crawler === null || deps.identities.hasIdentities(requesterId)) {
    return judgeAs(deps, ask, crawler?.name ?? null);
  }
  // A user agent may name both. The proof of the crawler is the requester's only if the crawler's own name names it.
  const isSame = deps.visitors.claims(toUserAgent(crawler), requesterId);
  const go = (same: boolean) => judgeAs(deps, ask, same ? crawler.name : null);
  return isSame instanceof Promise ? isSame.then(go) : go(isSame);
}

function judgeAs(deps: AddressDeps, ask: Ask, crawler: string | null): Ask | Promise<Ask> {
  const { requesterId } = ask;
  if (crawler === null && requesterId === undefined) return ask;
  const found = deps.identities.identify({ address: pickAddress(ask), requesterId, crawler });
  const { verified, failed } = found;
  if (verified !== null) return asVisitor(ask, { ...(requesterId === undefined ? {} : { requesterId }), verified });
  if (!failed && !isDoubtful(found)) return ask;
  if (requesterId === undefined ? ask.context?.crawlerVerified === true : isVouched(deps, ask, requesterId)) return ask;
  if (requesterId !== undefined) return withoutClaim(deps, ask, { requesterId, failed });
  return failed ? asVisitor(ask, { claimed: crawler as string }) : ask;
}

/** A claim that failed, or that nothing can judge, is one only if the user agent makes it. */
function withoutClaim(
  { visitors }: AddressDeps,
  ask: Ask,
  { requesterId, failed }: { requesterId: string; failed: boolean },
): Ask | Promise<Ask> {
  const { context: { userAgent } = {}, license: _, ...rest } = ask;
  if (userAgent === undefined) return ask;
  const claims = visitors.claims(userAgent, requesterId);
  const toAsk = (isClaim: boolean): Ask => {
    if (!isClaim) return ask;
    return failed ? asVisitor(ask, { claimed: requesterId }) : asVisitor({ ...rest, context: ask.context }, {});
  };
  return claims instanceof Promise ? claims.then(toAsk) : toAsk(claims);
}
