/**
 * Turns a decision into an answer for a proxy: a status and headers, no body. 200 exactly when access is allowed or
 * only observed; every other denial is 403, or 401, 402 or 429 where the proxy is configured for it. 402 only with an
 * offer that would turn the denial.
 */
import { fail } from '../../api/errors.ts';
import { offerHeaders } from '../../requesters/offers/headers.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import { type Decision, retryAfter } from '../ledger/decision.ts';
import { limitFields } from '../ledger/limit-fields.ts';
import { type Body, bodyHeaders, type Refusal, toBody } from './body.ts';
import { offeredIn } from './remedies.ts';
import type { AuthorizeOptions } from './schema.ts';
import type { Unclear } from './target.ts';

export interface ProxyAnswer {
  status: number;
  headers: Record<string, string>;
  /** null: the proxy is to show its own. */
  body?: Body | null;
}

const ALWAYS = {
  // Proxies copy these to the application. A missing one would leave the visitor's own in place.
  'x-postern-requester': '',
  'x-postern-decision': '',
  'x-postern-crawler': '',
  'x-postern-verified': '',
  'x-postern-would': '',
};

/** An answer about one visitor. A denial is for one time as well. */
const DENIED = { ...ALWAYS, 'cache-control': 'no-store' };
/**
 * Proxies copy both to the page: a cache in front of the proxy would give it to visitors that are denied. `Vary` has
 * what a decision depends on, for caches that keep private pages all the same.
 */
const ALLOWED = { ...ALWAYS, 'cache-control': 'private', vary: 'Authorization, Signature, User-Agent' };

/** Returns the statuses that fit a denial, the best first: 402 with an offer, 401 for an unknown visitor, 429, 403. */
function fittingStatuses({ reason, requesterId, quota }: Decision, offered: readonly Offered[]): number[] {
  // A quota for the whole license never begins again.
  const isOver = reason === 'rate_limit_exceeded' || (reason === 'quota_exceeded' && quota?.resetAt != null);
  if (isOver) return [429, 403];
  const isUnknown = reason === 'no_license' && requesterId === null;
  return [...(offered.length > 0 ? [402] : []), ...(isUnknown ? [401] : []), 403];
}

/** Offers that would turn a denial, and the URL that was asked for. */
export interface Offers {
  offered: readonly Offered[];
  url: string;
}

const NONE: Offers = { offered: [], url: '' };

export function toAnswer(
  decision: Decision,
  { denyStatus = '' }: AuthorizeOptions,
  { offered, url }: Offers = NONE,
): ProxyAnswer {
  if (decision.allowed || !decision.enforced) return { status: 200, headers: { ...ALLOWED, ...toHeaders(decision) } };
  const headers: ProxyAnswer['headers'] = { ...DENIED, ...toHeaders(decision) };
  const fitting = fittingStatuses(decision, offered);
  const passed = ['403', ...denyStatus.split(',')];
  const status = fitting.find((one) => passed.includes(String(one))) ?? 403;
  Object.assign(headers, offerHeaders(offered, url), { 'x-postern-status': String(fitting[0]) });
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return { status, headers };
}

/**
 * Answers for an address without an item: nothing was decided or recorded. Without a host nothing is open, because an
 * item or a collection of some host may deny the path: throws invalid_request.
 */
export function toUnknownAnswer(options: AuthorizeOptions, host: string): ProxyAnswer {
  if (options.unknown !== 'allow') {
    return refused('content_not_found', 'No content is registered at this address.', options);
  }
  if (host === '') throw HOSTLESS;
  const headers = { ...ALWAYS, 'x-postern-allowed': 'true', 'x-postern-error': 'content_not_found' };
  return { status: 200, headers };
}

const HOSTLESS = fail(
  'invalid_request',
  'With `unknown=allow`, Postern must know the host of the request. Set `origin` to the origin of your site, or let ' +
    'the proxy send X-Forwarded-Host.',
  { param: 'origin' },
);

/** Allows a file for crawlers, without a decision. It is the same for everybody, so caches may keep it. */
export const toFreeAnswer = (): ProxyAnswer => ({
  status: 200,
  headers: { ...ALWAYS, 'x-postern-allowed': 'true', 'x-postern-free': 'true' },
});

/** Denies the request of a probe without a decision. */
export const toProbeAnswer = (options: AuthorizeOptions): ProxyAnswer =>
  refused('probe', 'This request only finds out what the proxy passes on.', options);

export function toUnclearAnswer(why: Unclear, options: AuthorizeOptions): ProxyAnswer {
  if (why === 'invalid_license_token') return toUnlicensedAnswer(options);
  if (why === 'ambiguous_requester') return refused(why, 'Several partners have the name of this visitor.', options);
  if (why !== 'invalid_token') return refused(why, 'This request cannot be matched to any content.', options);
  const status = options.denyStatus?.split(',').includes('401') === true ? 401 : 403;
  const answer = refused(why, 'The token does not exist, was revoked or has expired.', options, status);
  if (status === 401) answer.headers['www-authenticate'] = 'Bearer error="invalid_token"';
  return answer;
}

/** RSL has a challenge of its own; its proxies know the error by the name that tokens have. */
function toUnlicensedAnswer(options: AuthorizeOptions): ProxyAnswer {
  const status = options.denyStatus?.split(',').includes('401') === true ? 401 : 403;
  const message = 'The License token is not valid here: it has expired, or its license was revoked. Get another one.';
  const answer = refused('invalid_token', message, options, status);
  answer.headers['www-authenticate'] = 'License error="invalid_token"';
  answer.headers['x-postern-status'] = '401';
  return answer;
}

/** Puts the link of the site before that of an offer. */
export function addLink({ headers }: ProxyAnswer, link: string | null): void {
  if (link !== null) headers.link = headers.link === undefined ? link : `${link}, ${headers.link}`;
}

/**
 * Returns the challenge of a site with a license server (CAP): without a token 401, without a license 402, for another
 * use 403. No other token helps against a limit or a quota.
 */
export function toChallenge(
  decision: Decision,
  status = fittingStatuses(decision, offeredIn(decision.remedies ?? []))[0],
): Record<string, string> {
  const { allowed, reason } = decision;
  if (allowed || reason === 'rate_limit_exceeded' || reason === 'quota_exceeded') return {};
  return { 'www-authenticate': `License error="${status === 401 ? 'invalid_request' : 'insufficient_scope'}"` };
}

function refused(why: string, message: string, options: AuthorizeOptions, status = 403): ProxyAnswer {
  const headers = {
    ...DENIED,
    'x-postern-allowed': 'false',
    'x-postern-error': why,
    ...messageHeaders(message, false),
  };
  return withBody({ status, headers }, { status, reason: why, message, remedies: [], decisionId: null }, options);
}

/** Adds the body of a denial, where the options want it. */
export function withBody(answer: ProxyAnswer, refusal: Refusal, { body, bodyIn }: AuthorizeOptions): ProxyAnswer {
  if (body === undefined) return answer;
  if (bodyIn !== 'header') return { ...answer, body: toBody(body, refusal) };
  const { 'x-postern-message-html': _, ...headers } = answer.headers;
  // The proxy sends the visitor the status that fits.
  const status = Number(headers['x-postern-status'] ?? answer.status);
  return { status: answer.status, headers: { ...headers, ...bodyHeaders(body, { ...refusal, status }) } };
}

function toHeaders(decision: Decision): Record<string, string> {
  const { id, reason, requesterId, crawler, verified, maxAge, mode } = decision;
  const isObserved = !decision.allowed && !decision.enforced;
  return {
    'x-postern-allowed': String(decision.allowed),
    ...(reason === null ? {} : { 'x-postern-reason': reason }),
    ...messageHeaders(decision.message, decision.allowed),
    'x-postern-decision': id ?? '',
    'x-postern-content': decision.contentId ?? '',
    'x-postern-requester': requesterId ?? '',
    'x-postern-crawler': headerText(crawler ?? ''),
    'x-postern-verified': verified ?? '',
    ...(isObserved ? { 'x-postern-would': 'deny' } : {}),
    ...(decision.collectionId === null ? {} : { 'x-postern-collection': decision.collectionId }),
    'x-postern-policy': decision.policyId,
    'x-postern-permissions': decision.permissions.join(','),
    ...limitHeaders(decision, isObserved),
    ...(maxAge === undefined ? {} : { 'x-postern-max-age': String(maxAge) }),
    ...(mode === undefined ? {} : { 'x-postern-mode': mode }),
  };
}

function limitHeaders(decision: Decision, isObserved: boolean): Record<string, string> {
  const { rateLimit, quota, reason, created } = decision;
  const secondsTo = (resetAt: string): number => retryAfter(Date.parse(resetAt), Date.parse(created));
  const isByQuota = reason === 'quota_exceeded' && quota?.resetAt != null && !isObserved;
  const fields = {
    ...limitFields(decision),
    ...(isByQuota ? { 'retry-after': String(secondsTo(quota.resetAt as string)) } : {}),
  };
  if (rateLimit === null) return fields;
  const { limit, remaining, resetAt, retryAfter: seconds } = rateLimit;
  return {
    ...fields,
    'x-postern-limit': String(limit),
    'x-postern-remaining': String(remaining),
    'x-postern-reset': String(secondsTo(resetAt)),
    ...(seconds === undefined || isObserved ? {} : { 'retry-after': String(seconds) }),
  };
}

/** Percent-encodes, as UTF-8, what a header cannot carry: non-ASCII and line ends. */
const headerText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, (character) => encodeURIComponent(character));

/** Proxies cannot escape text, so the message also comes ready for a page. */
const messageHeaders = (message: string, isAllowed: boolean): Record<string, string> => ({
  'x-postern-message': headerText(message),
  ...(isAllowed ? {} : { 'x-postern-message-html': htmlText(message) }),
});

/** Escapes the characters of markup, attributes, and proxies' variables and templates, and non-ASCII. */
const htmlText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\w ,.:;!?()/@+-]/gu, (character) => `&#${character.codePointAt(0)};`);
