/**
 * The answer to a visitor. Promise: a denial shows by status, `Retry-After` and remedies what would help, and
 * nothing of the rules. Headers carry ids and limits, for allows too.
 */

import type { AccessDecision, ApiError } from '../types.ts';
import type { Asked } from './asker.ts';
import { given } from './given.ts';
import type { Offered } from './offers.ts';
import type { Problem, Remedy } from './problem.ts';

export interface Verdict {
  allowed: boolean;
  /** Where nothing is allowed, 204 answers a CORS preflight, and 200 `postern doctor`. */
  status: 200 | 204 | 401 | 402 | 403 | 429 | 503;
  /** Headers for the answer, in addition to the site's own when allowed. `content-type` is that of `problem`. */
  headers: Readonly<Record<string, string>>;
  /** null when allowed, for a preflight and for `postern doctor`. */
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

type Prices = (offered: readonly Offered[]) => Record<string, string> | undefined;

/** `challenge`: the WWW-Authenticate of a 401; `scheme`: that of the visitor's token. */
export function verdictOf(asked: Asked, challenge: string, scheme: string, prices: Prices): Verdict {
  if ('error' in asked) return refusedByError(asked.error, scheme);
  const headers = headersOf(asked);
  // Only observed: the site serves it and can see what the policy says.
  if (asked.allowed || !asked.enforced) {
    return allowed(
      {
        ...headers,
        ...asked.signals?.headers,
        ...UNSHARED,
        'x-postern-would': asked.allowed ? undefined : 'deny',
      },
      asked,
    );
  }
  const offered = offeredIn(asked);
  const status = statusOf(asked, offered);
  const priced = prices(offered);
  const told = asked.signals?.denialHeaders;
  const verdict = refused(status, asked.reason ?? 'policy_denied', asked.message, {
    ...headers,
    'www-authenticate': status === 401 ? challenge : undefined,
    ...priced,
    ...told,
    // The link of the site precedes that of an offer.
    link: [told, priced].flatMap((one) => one?.link ?? []).join(', ') || undefined,
    'accept-signature': couldSign(asked) ? ACCEPT_SIGNATURE : undefined,
    'retry-after': retryAfter(asked),
  });
  return withDecision(verdict, asked, offered);
}

const refusedByError = ({ code, message }: ApiError, scheme: string): Verdict =>
  code === 'invalid_token'
    ? refused(401, code, message, {
        'www-authenticate': `${scheme} error="${code}"`,
        // The file names the server that has new tokens.
        link: /^l/i.test(scheme) ? '</license.xml>; rel="license"; type="application/rsl+xml"' : undefined,
      })
    : refused(403, 'refused_question', 'The check was refused.');

type Headed = Record<string, string | null | undefined>;

/** Returns the offers of all remedies, each once. */
const offeredIn = ({ remedies = [] }: Pick<AccessDecision, 'remedies'>): Offered[] => [
  ...new Map(
    remedies
      .flatMap((remedy) => (remedy.kind === 'license' ? (remedy.offers ?? []) : []))
      .map((offer) => [offer.licenseType, offer] as const),
  ).values(),
];

/** A cache in front would give the page to visitors that are denied. The same as of `/v1/authorize`. */
const UNSHARED = { 'cache-control': 'private', vary: 'Authorization, Signature, User-Agent' };

/** A signature that would be verified (RFC 9421, 5.1). */
const ACCEPT_SIGNATURE = 'sig1=("@authority" "signature-agent");created;expires;keyid;tag="web-bot-auth"';

/** Tests whether a signature would turn the denial. After a false claim, nothing is asked for. */
const couldSign = ({ spoofed, remedies = [] }: AccessDecision): boolean =>
  spoofed !== true &&
  remedies.some((remedy) => remedy.kind === 'verification' && remedy.verified.includes('signature'));

/** Allows without a decision: no item, or no answer. */
export const allowedWithout = (why: string): Verdict => allowed({ ...UNSHARED, 'x-postern-error': why }, null);

/** Allows a visitor without a question. */
export const allowedUnasked = (): Verdict => allowed(UNSHARED, null);

/** Allows what no guard refuses. */
export const servedAlways = (): Verdict => allowed({}, null);

/** Answers a CORS preflight without the application. It grants nothing: a site that wants to does so before. */
export const answeredPreflight = (): Verdict => ({
  ...servedAlways(),
  allowed: false,
  status: 204,
  toResponse: () => new Response(null, { status: 204 }),
});

export const refusedUnknown = (): Verdict => refused(403, 'content_unknown', 'This content is not registered.');

/** Refuses a spelling of a page that is refused in the spelling of the route. */
export const refusedWithout = (): Verdict =>
  refused(503, 'no_decision', 'Access cannot be decided now.', { 'retry-after': '1' });

/** Returns when a used-up quota begins again; one for the whole license never does. */
const findRenewal = ({ reason, quota }: AccessDecision): string | null | undefined =>
  reason === 'quota_exceeded' ? quota?.resetAt : undefined;

/** Maps a denial to a status: 429 limit or quota, 402 with an offer that helps, 401 unauthenticated, else 403. */
function statusOf(decision: AccessDecision, offered: readonly Offered[]): 401 | 402 | 403 | 429 {
  const { reason, requesterId } = decision;
  if (reason === 'rate_limit_exceeded' || findRenewal(decision)) return 429;
  if (offered.length > 0) return 402;
  return reason === 'no_license' && requesterId === null ? 401 : 403;
}

/** Lengths of rolling periods, in seconds; a calendar period has none. */
const LENGTHS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 };

const secondsTo = (resetAt: string, created: string): number =>
  Math.max(1, Math.ceil((Date.parse(resetAt) - Date.parse(created)) / 1000));

function retryAfter(decision: AccessDecision): string | undefined {
  const renewal = findRenewal(decision);
  const seconds = renewal ? secondsTo(renewal, decision.created) : decision.rateLimit?.retryAfter;
  return seconds?.toString();
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-11. */
function limitFields({ rateLimit, quota, created }: AccessDecision): Headed {
  const policies: string[] = [];
  const states: string[] = [];
  const add = (name: string, [q, w, r, t]: readonly (number | undefined)[]): void => {
    policies.push(`"${name}";q=${q}${w ? `;w=${w}` : ''}`);
    states.push(`"${name}";r=${r}${t ? `;t=${t}` : ''}`);
  };
  if (rateLimit !== null) {
    const { limit, remaining, period, resetAt } = rateLimit;
    const length = LENGTHS[period];
    // The millisecond at the end of a window does not make it a second longer.
    add('access', [limit, length, remaining, Math.min(length ?? Infinity, secondsTo(resetAt, created))]);
  }
  // Services before quotas do not answer one.
  if (quota != null) {
    const { units, remaining, resetAt } = quota;
    add('license', [units, undefined, remaining, resetAt === null ? undefined : secondsTo(resetAt, created)]);
  }
  return policies.length === 0 ? {} : { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}

function headersOf(decision: AccessDecision): Headed {
  const { id, reason, permissions, rateLimit } = decision;
  return {
    'x-postern-decision': id,
    ...(reason === null ? { 'x-postern-permissions': permissions.join(',') } : { 'x-postern-reason': reason }),
    ...limitFields(decision),
    ...(rateLimit && { 'x-postern-limit': `${rateLimit.limit}`, 'x-postern-remaining': `${rateLimit.remaining}` }),
  };
}

const allowed = (headers: Headed, decision: AccessDecision | null): Verdict => ({
  allowed: true,
  status: 200,
  headers: given(headers),
  problem: null,
  body: null,
  decision,
  toResponse: () => {
    throw new TypeError('Allowed: serve the content');
  },
});

function refused(status: keyof typeof PHRASES, reason: string, detail: string, headers: Headed = {}): Verdict {
  const problem: Problem = { title: PHRASES[status], status, detail, reason, remedies: [] };
  const all = { ...headers, 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', vary: 'Accept' };
  return toVerdict(problem, given(all), null);
}

function withDecision({ problem, headers }: Verdict, decision: AccessDecision, offered: readonly Offered[]): Verdict {
  const more = given({
    // Only a limit or a quota that is used up answers 429.
    ...(problem?.status === 429 && {
      type: QUOTA_EXCEEDED,
      title: 'Quota exceeded',
      'violated-policies': [decision.reason === 'quota_exceeded' ? 'license' : 'access'],
    }),
    remedies: (decision.remedies ?? []).map(toRemedy),
    licensingUrl: decision.signals?.licensingUrl ?? offered.find(({ url }) => url)?.url,
    decisionId: decision.id,
  });
  return toVerdict({ ...(problem as Problem), ...more }, headers, decision);
}

const toVerdict = (problem: Problem, headers: Verdict['headers'], decision: AccessDecision | null): Verdict =>
  withBody(
    { allowed: false, status: problem.status as Verdict['status'], headers, problem, decision },
    { type: PROBLEM_TYPE, text: JSON.stringify(problem) },
  );

const withBody = (verdict: Omit<Verdict, 'toResponse' | 'body'>, body: { type: string; text: string }): Verdict => ({
  ...verdict,
  body,
  toResponse: () =>
    new Response(body.text, { status: verdict.status, headers: { ...verdict.headers, 'content-type': body.type } }),
});

/** Gives a refusal a small page as its body. */
export const withPage = (verdict: Verdict, text: string): Verdict =>
  withBody(verdict, { type: 'text/html; charset=utf-8', text });

/** Omits the index of the rule and the id of the license, which visitors must not see. */
function toRemedy(remedy: NonNullable<AccessDecision['remedies']>[number]): Remedy {
  if (remedy.kind === 'amend') return { kind: 'amend' };
  if (remedy.kind !== 'license') return remedy;
  const { rule: _, ...license } = remedy;
  return license;
}
