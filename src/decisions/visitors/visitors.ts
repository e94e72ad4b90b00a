/**
 * Finds the requester of a visitor by what it sends: a token, a signature, or only a name. Promise: `verified` is set
 * only for what was proven, and a claim that failed leads to no requester. Waits for no fetch; addresses are judged by
 * the check.
 */

import type { Clock } from '../../lib/clock.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { covers } from '../../requesters/license-tokens/audience.ts';
import type { LicenseTokens } from '../../requesters/license-tokens/license-tokens.ts';
import { normalizeAgent } from '../../requesters/signatures/agent.ts';
import type { SignedRequest } from '../../requesters/signatures/request.ts';
import type { Signatures } from '../../requesters/signatures/signatures.ts';
import type { Tokens } from '../../requesters/tokens/tokens.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { findCrawler, fromCrawlers } from '../../rules/crawlers/directory.ts';
import { isValid, type VerifiedKind } from '../../rules/facts.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { KnownNames, Owner, VisitorNames } from './names.ts';

/** The parts of a visitor's request that say or prove who it is. */
export interface Visit {
  /** Named by a proxy or a server that knows; not by the visitor. */
  requesterId: string | undefined;
  userAgent: string | undefined;
  /** The visitor's `Authorization`. */
  authorization: string | undefined;
  /** Where it asks; undefined: at no URL. */
  at: Locator | undefined;
  /** undefined: the request has no signature. */
  signed: SignedRequest | undefined;
}

/** A visitor as Postern knows it. Without an id, it is no registered requester. */
export interface Visitor {
  requesterId?: string;
  /** Absent: nothing is proven, except perhaps by its address. */
  verified?: VerifiedKind;
  /** The crawler that the user agent names signed the request. */
  crawlerVerified?: true;
  /** The requester or crawler that the visitor falsely claimed to be. */
  claimed?: string;
  /** The license of its License token: it may use no other. */
  licenseId?: string;
}

/** Reasons why no requester can be chosen. */
export type UnclearVisitor =
  | 'unreadable_user_agent'
  | 'ambiguous_requester'
  | 'invalid_token'
  | 'invalid_license_token';

export interface Visitors {
  /** Throws Unavailable. */
  find(visit: Visit): Promise<Visitor | UnclearVisitor>;
  /** Returns whether a visitor that only gave its name could sign its requests. Throws Unavailable. */
  couldSign(visitor: Pick<Visitor, 'requesterId'>, userAgent: string | undefined): Promise<boolean>;
  /** Returns whether the crawler that a user agent names has an agent that signs. */
  crawlerSigns(userAgent: string | undefined): boolean;
  /** Returns whether a user agent names the requester. Throws Unavailable. */
  claims(userAgent: string, requesterId: string): boolean | Promise<boolean>;
  /** Returns the requester that a user agent names. Throws Unavailable. */
  named(userAgent: string): Owner | Promise<Owner>;
}

/** The bound of a check. A longer one is refused, because what it hides must not be guessed; no browser sends one. */
const USER_AGENT_LENGTH_MAX = 1024;

const crawlersByAgent = fromCrawlers(
  (all): ReadonlyMap<string, Crawler> =>
    new Map(
      all.flatMap((crawler) =>
        crawler.identities.flatMap((one) => {
          const agent = one.kind === 'signature' ? normalizeAgent(one.agent) : undefined;
          return agent === undefined ? [] : [[agent, crawler] as const];
        }),
      ),
    ),
);

const signingCrawlers = fromCrawlers((): ReadonlySet<Crawler> => new Set(crawlersByAgent().values()));

/** Returns the tokens of a crawler as a user agent that names nothing else. */
export const toUserAgent = ({ userAgents }: Crawler): string => userAgents.join(' ');

/** Malformed ones too: such a visitor did not mean to be anonymous. */
const TOKEN = /^bearer\s+(svc_rt_.*)$/is;

/** Also without a token, and with one that is none. */
const LICENSE = /^license(?:\s+(.*))?$/is;

export interface VisitorDeps {
  names: KnownNames;
  tokens: Tokens;
  signatures: Signatures;
  licenseTokens: Pick<LicenseTokens, 'resolve' | 'server'>;
  clock: Pick<Clock, 'now'>;
  snapshot: Pick<Snapshot, 'findRequester'>;
}

export function openVisitors(deps: VisitorDeps): Visitors {
  const { names, signatures } = deps;
  const named = (userAgent: string): Owner | Promise<Owner> => {
    const known = names.read();
    return known instanceof Promise ? known.then((read) => read.named(userAgent)) : known.named(userAgent);
  };
  return {
    async find(visit) {
      const { userAgent, authorization, signed } = visit;
      if (userAgent !== undefined && userAgent.length > USER_AGENT_LENGTH_MAX) return 'unreadable_user_agent';
      const proven = authorization === undefined ? undefined : byToken(deps, visit, authorization);
      if (proven !== undefined) return proven;
      const known = names.read();
      const read = known instanceof Promise ? await known : known;
      return (signed && bySignature(signatures, read, visit, signed)) ?? byName(read, visit);
    },
    async couldSign({ requesterId }, userAgent) {
      const crawler = userAgent === undefined ? null : findCrawler(userAgent);
      if (crawler !== null && signingCrawlers().has(crawler)) return true;
      return requesterId !== undefined && (await names.read()).signs(requesterId);
    },
    crawlerSigns(userAgent) {
      const crawler = userAgent === undefined ? null : findCrawler(userAgent);
      return crawler !== null && signingCrawlers().has(crawler);
    },
    claims(userAgent, requesterId) {
      const owner = named(userAgent);
      return owner instanceof Promise ? owner.then((one) => one === requesterId) : owner === requesterId;
    },
    named,
  };
}

/** Returns undefined for credentials that are not Postern's. */
function byToken(
  deps: VisitorDeps,
  visit: Visit,
  authorization: string,
): Promise<Visitor | UnclearVisitor> | undefined {
  const token = TOKEN.exec(authorization)?.[1];
  if (token !== undefined) return byRequesterToken(deps.tokens, token);
  const license = deps.licenseTokens.server === null ? null : LICENSE.exec(authorization);
  return license === null ? undefined : byLicense(deps, visit, license[1] ?? '');
}

async function byRequesterToken(tokens: Tokens, text: string): Promise<Visitor | UnclearVisitor> {
  const presented = await tokens.resolve(text);
  return 'fault' in presented ? 'invalid_token' : { requesterId: presented.requesterId, verified: 'token' };
}

/** A token proves its requester only where it holds, and while its license does. */
async function byLicense(
  { licenseTokens, clock, snapshot }: VisitorDeps,
  { at }: Visit,
  text: string,
): Promise<Visitor | UnclearVisitor> {
  const found = licenseTokens.resolve(text.trimEnd());
  const token = found instanceof Promise ? await found : found;
  if (token === undefined || at === undefined || !covers(token.covered, at)) return 'invalid_license_token';
  const { requesterId, licenseId } = token;
  const { licenses } = await snapshot.findRequester(requesterId);
  const license = licenses.find(({ id }) => id === licenseId);
  if (license === undefined || !isValid(license, clock.now())) return 'invalid_license_token';
  return { requesterId, licenseId, verified: 'license' };
}

/** Returns undefined where signatures neither prove nor disprove anything. */
function bySignature(
  signatures: Signatures,
  names: VisitorNames,
  visit: Visit,
  signed: SignedRequest,
): Visitor | UnclearVisitor | undefined {
  const isKnown = (agent: string): boolean => names.agents.has(agent) || crawlersByAgent().has(agent);
  const found = signatures.verify(signed, { has: isKnown });
  if (found.outcome === 'none' || found.outcome === 'unknown') return undefined;
  const owner = findOwner(names, visit, found.agent);
  if (found.outcome === 'failed') return { claimed: owner ?? crawlersByAgent().get(found.agent)?.name ?? found.agent };
  if (owner === null) return 'ambiguous_requester';
  const crawler = isOfCrawler(names, visit, { agent: found.agent, owner }) ? { crawlerVerified: true as const } : {};
  return { ...(owner === undefined ? {} : { requesterId: owner }), verified: 'signature', ...crawler };
}

/** Returns whether an agent signs for the crawler that the user agent names: its own, or that of its requester. */
function isOfCrawler(
  names: VisitorNames,
  { userAgent }: Visit,
  { agent, owner }: { agent: string; owner: string | undefined },
): boolean {
  const crawler = userAgent === undefined ? null : findCrawler(userAgent);
  if (crawler === null) return false;
  return (
    crawlersByAgent().get(agent) === crawler || (owner !== undefined && names.named(toUserAgent(crawler)) === owner)
  );
}

/** Returns the requester of an agent. The agent of a crawler also signs for the requester that has its name. */
function findOwner(names: VisitorNames, { userAgent }: Visit, agent: string): Owner {
  const owner = names.signing(agent);
  const crawler = crawlersByAgent().get(agent);
  if (owner !== undefined || crawler === undefined || userAgent === undefined) return owner;
  return findCrawler(userAgent) === crawler ? names.named(userAgent) : undefined;
}

function byName(names: VisitorNames, { userAgent, requesterId }: Visit): Visitor | UnclearVisitor {
  if (requesterId !== undefined) return { requesterId };
  const id = userAgent === undefined ? undefined : names.named(userAgent);
  if (id === null) return 'ambiguous_requester';
  return id === undefined ? {} : { requesterId: id };
}
