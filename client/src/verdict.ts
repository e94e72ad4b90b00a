/**
 * The answer to a visitor. Promise: a denial shows by status, `Retry-After` and remedies what would help, and
 * nothing of the rules. Headers carry ids and limits, for allows too.
 */
import type { Asked } from './asker.ts';
import { type Offered, offeredIn, offerHeaders } from './offers.ts';
import { prefersPage, toPage } from './page.ts';
import type { Problem, Remedy } from './problem.ts';
import type { AccessDecision } from './types.ts';

export interface Verdict {
  allowed: boolean;
  /** 204 answers a CORS preflight. */
  status: 200 | 204 | 401 | 402 | 403 | 429 | 503;
  /** Headers for the answer, in addition to the site's own when allowed. `content-type` is that of `problem`. */
  headers: Readonly<Record<string, string>>;
  /** null when allowed, and for a preflight. */
  problem: Problem | null;
  /** The refusal as the visitor's `Accept` prefers it, `problem` or a small page; null where `problem` is. */
  body: { type: string; text: string } | null;
  /** null when the service made none. */
  decision: AccessDecision | null;
  /** The answer to the visitor, for servers that answer with a Response; throws when allowed. */
  toResponse(): Response;
}

const PROBLEM_TYPE = 'application/problem+json';

/** The phrases of the statuses: titles of problems without a type (RFC 9457, 4.2.1). */
const PHRASES = {
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
} as const;

/** The problem type of draft-ietf-httpapi-ratelimit-headers-11. */
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

/** Returns the verdict of an answer. `challenge` is the WWW-Authenticate of a 401, `url` what was asked for. */
export function verdictOf(asked: Asked, challenge: string, url: string): Verdict {
  if ('error' in asked) {
    if (asked.error.code !== 'invalid_token') return refused(403, 'refused_question', 'The check was refused.', {});
    return refused(401, 'invalid_token', asked.error.message, { 'www-authenticate': 'Bearer error="invalid_token"' });
  }
  const headers = headersOf(asked);
  const ofPage = asked.signals?.headers;
  if (asked.allowed) return allowed({ ...headers, ...ofPage, ...UNSHARED }, asked);
  // Only observed: the site serves it and can see what the policy says.
  if (!asked.enforced) return allowed({ ...headers, ...ofPage, ...UNSHARED, 'x-postern-would': 'deny' }, asked);
  const offered = offeredIn(asked);
  const status = statusOf(asked, offered);
  const verdict = refused(status, asked.reason ?? 'policy_denied', asked.message, {
    ...headers,
    ...withLink(offerHeaders(offered, url), asked.signals?.denialHeaders.link),
    ...(couldSign(asked) ? { 'accept-signature': ACCEPT_SIGNATURE } : {}),
    ...(status === 401 ? { 'www-authenticate': challenge } : {}),
    ...retryHeaders(asked),
  });
  return withDecision(verdict, asked, offered);
}

/** A cache in front would give the page to visitors that are denied. The same as of `/v1/authorize`. */
const UNSHARED = { 'cache-control': 'private', vary: 'Authorization, Signature, User-Agent' };

/** A signature that would be verified (RFC 9421, 5.1). */
const ACCEPT_SIGNATURE = 'sig1=("@authority" "signature-agent");created;expires;keyid;tag="web-bot-auth"';

/** Tests whether a signature would turn the denial. After a false claim, nothing is asked for. */
const couldSign = ({ spoofed, remedies = [] }: AccessDecision): boolean =>
  spoofed !== true &&
  remedies.some((remedy) => remedy.kind === 'verification' && remedy.verified.includes('signature'));

/** Puts the link of the site before that of an offer. */
const withLink = (headers: Record<string, string>, link: string | undefined): Record<string, string> =>
  link === undefined ? headers : { ...headers, link: headers.link === undefined ? link : `${link}, ${headers.link}` };

/** Allows without a decision: no item, or no answer. */
export const allowedWithout = (why: string): Verdict => allowed({ ...UNSHARED, 'x-postern-error': why }, null);

/** Allows what no guard refuses. */
export const servedAlways = (): Verdict => allowed({}, null);

/** Answers a CORS preflight without the application. It grants nothing: a site that wants to does so before. */
export const answeredPreflight = (): Verdict => ({
  allowed: false,
  status: 204,
  headers: {},
  problem: null,
  body: null,
  decision: null,
  toResponse: () => new Response(null, { status: 204 }),
});

export const refusedUnknown = (): Verdict => refused(403, 'content_unknown', 'This content is not registered.', {});

/** Refuses a spelling of a page that is refused in the spelling of the route. */
export const refusedWithout = (): Verdict =>
  refused(503, 'no_decision', 'Access cannot be decided now.', { 'retry-after': '1' });

/** Maps a denial to a status: 429 limit or quota, 402 with an offer that helps, 401 unauthenticated, else 403. */
function statusOf({ reason, requesterId, quota }: AccessDecision, offered: readonly Offered[]): 401 | 402 | 403 | 429 {
  // A quota for the whole license never begins again.
  const isOver = reason === 'rate_limit_exceeded' || (reason === 'quota_exceeded' && quota?.resetAt != null);
  if (isOver) return 429;
  if (offered.length > 0) return 402;
  return reason === 'no_license' && requesterId === null ? 401 : 403;
}

/** Lengths of rolling periods, in seconds; a calendar period has none. */
const LENGTHS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 };

const secondsTo = (resetAt: string, created: string): number =>
  Math.max(1, Math.ceil((Date.parse(resetAt) - Date.parse(created)) / 1000));

function retryHeaders({ reason, rateLimit, quota, created }: AccessDecision): Record<string, string> {
  const isByQuota = reason === 'quota_exceeded' && quota?.resetAt != null;
  const seconds = isByQuota ? secondsTo(quota.resetAt as string, created) : rateLimit?.retryAfter;
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-11. */
function limitFields({ rateLimit, quota, created }: AccessDecision): Record<string, string> {
  const policies: string[] = [];
  const states: string[] = [];
  if (rateLimit !== null) {
    const { limit, remaining, period, resetAt } = rateLimit;
    const length = LENGTHS[period] ?? Infinity;
    policies.push(`"access";q=${limit}${length === Infinity ? '' : `;w=${length}`}`);
    // The millisecond at the end of a window does not make it a second longer.
    states.push(`"access";r=${remaining};t=${Math.min(length, secondsTo(resetAt, created))}`);
  }
  // Services before quotas do not answer one.
  if (quota != null) {
    const { units, remaining, resetAt } = quota;
    policies.push(`"license";q=${units}`);
    states.push(`"license";r=${remaining}${resetAt === null ? '' : `;t=${secondsTo(resetAt, created)}`}`);
  }
  return policies.length === 0 ? {} : { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

function headersOf(decision: AccessDecision): Record<string, string> {
  const { id, reason, permissions, rateLimit } = decision;
  return {
    ...(id === null ? {} : { 'x-postern-decision': id }),
    ...(reason === null ? { 'x-postern-permissions': permissions.join(',') } : { 'x-postern-reason': reason }),
    ...limitFields(decision),
    ...(rateLimit === null
      ? {}
      : { 'x-postern-limit': String(rateLimit.limit), 'x-postern-remaining': String(rateLimit.remaining) }),
  };
}

const allowed = (headers: Record<string, string>, decision: AccessDecision | null): Verdict => ({
  allowed: true,
  status: 200,
  headers,
  problem: null,
  body: null,
  decision,
  toResponse: () => {
    throw new TypeError('Access is allowed: answer with the content');
  },
});

function refused(
  status: 401 | 402 | 403 | 429 | 503,
  reason: string,
  detail: string,
  headers: Record<string, string>,
): Verdict {
  const problem: Problem = { title: PHRASES[status], status, detail, reason, remedies: [] };
  return toVerdict(
    problem,
    { ...headers, 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', vary: 'Accept' },
    null,
  );
}

/** Only a limit or a quota that is used up answers 429. */
const quotaProblem = ({ status }: Problem, { reason }: AccessDecision): Partial<Problem> =>
  status === 429
    ? {
        type: QUOTA_EXCEEDED,
        title: 'Quota exceeded',
        'violated-policies': [reason === 'quota_exceeded' ? 'license' : 'access'],
      }
    : {};

function withDecision({ problem, headers }: Verdict, decision: AccessDecision, offered: readonly Offered[]): Verdict {
  const licensingUrl = decision.signals?.licensingUrl ?? offered.find((one) => one.url !== undefined)?.url;
  return toVerdict(
    {
      ...(problem as Problem),
      ...quotaProblem(problem as Problem, decision),
      remedies: (decision.remedies ?? []).map(toRemedy),
      ...(licensingUrl === undefined ? {} : { licensingUrl }),
      ...(decision.id === null ? {} : { decisionId: decision.id }),
    },
    headers,
    decision,
  );
}

function toVerdict(problem: Problem, headers: Verdict['headers'], decision: AccessDecision | null): Verdict {
  const body = { type: PROBLEM_TYPE, text: JSON.stringify(problem) };
  const status = problem.status as Verdict['status'];
  return withBody({ allowed: false, status, headers, problem, body, decision }, body);
}

const withBody = (verdict: Omit<Verdict, 'toResponse'>, body: { type: string; text: string }): Verdict => ({
  ...verdict,
  body,
  toResponse: () =>
    new Response(body.text, { status: verdict.status, headers: { ...verdict.headers, 'content-type': body.type } }),
});

/** Gives a refusal the body that a visitor with this `Accept` prefers. */
export const preferredBy = (accept: string | undefined, verdict: Verdict): Verdict =>
  verdict.problem === null || !prefersPage(accept)
    ? verdict
    : withBody(verdict, { type: 'text/html; charset=utf-8', text: toPage(verdict.problem) });

/** Omits the index of the rule and the id of the license, which visitors must not see. */
function toRemedy(remedy: NonNullable<AccessDecision['remedies']>[number]): Remedy {
  if (remedy.kind === 'amend') return { kind: 'amend' };
  if (remedy.kind !== 'license') return remedy;
  const { rule: _, ...license } = remedy;
  return license;
}
