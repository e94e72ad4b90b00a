/**
 * What a visitor is told. Promise: a denial says by status, `Retry-After` and remedies what would help, and nothing of the
 * rules behind it; headers carry ids and limits, for allows too.
 */
import type { Asked } from './asker.ts';
import type { Decision } from './types.ts';

/** What would help: a licence, another right, waiting. */
export type Remedy =
  | {
      kind: 'license';
      licenseType: readonly string[] | null;
      licenseFeatures: readonly string[];
      /** When it must end; absent: at any time. */
      licenseExpiry?: { after?: string; before?: string };
    }
  | { kind: 'permission'; permissions: readonly string[] }
  | { kind: 'wait'; until: string };

/** The body of a refusal: problem details (RFC 9457) with members of ours. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  /** As in a decision; besides `content_unknown` and `no_decision`. */
  reason: string;
  remedies: readonly Remedy[];
  /** To ask the publisher about. */
  decisionId?: string;
}

export interface Verdict {
  allowed: boolean;
  status: 200 | 401 | 402 | 403 | 429 | 503;
  /** For the answer: beside the site's own when allowed. */
  headers: Readonly<Record<string, string>>;
  /** null when allowed. */
  problem: Problem | null;
  /** null when there is none. */
  decision: Decision | null;
  /** The refusal, for servers that answer with a Response; throws when allowed. */
  toResponse(): Response;
}

const TITLES = {
  401: 'Say who you are',
  402: 'A licence is needed',
  403: 'Access denied',
  429: 'Too many requests',
  503: 'Access cannot be decided now',
} as const;

/** `challenge`: the WWW-Authenticate of a 401. */
export function verdictOf(asked: Asked, challenge: string): Verdict {
  if ('error' in asked) return refused(403, 'refused_question', 'The question was refused.', {});
  const headers = headersOf(asked);
  if (asked.allowed) return allowed(headers, asked);
  const status = statusOf(asked);
  const verdict = refused(status, asked.reason ?? 'policy_denied', asked.message, {
    ...headers,
    ...(status === 401 ? { 'www-authenticate': challenge } : {}),
    ...(asked.rateLimit?.retryAfter === undefined ? {} : { 'retry-after': String(asked.rateLimit.retryAfter) }),
  });
  return withDecision(verdict, asked);
}

/** No item, or no answer. */
export const allowedWithout = (why: string): Verdict => allowed({ 'x-postern-error': why }, null);

export const refusedUnknown = (): Verdict => refused(403, 'content_unknown', 'This content is not registered.', {});

export const refusedWithout = (): Verdict =>
  refused(503, 'no_decision', 'Whether this is allowed cannot be decided at the moment.', { 'retry-after': '1' });

/** What a web server would say: 401 who are you, 402 a licence is needed, 429 later, 403 no. */
function statusOf({ reason, requesterId }: Decision): 401 | 402 | 403 | 429 {
  if (reason === 'rate_limit_exceeded') return 429;
  if (reason === 'license_expired') return 402;
  if (reason === 'no_license') return requesterId === null ? 401 : 402;
  return 403;
}

function headersOf({ id, reason, permissions, rateLimit }: Decision): Record<string, string> {
  return {
    ...(id === null ? {} : { 'x-postern-decision': id }),
    ...(reason === null ? { 'x-postern-permissions': permissions.join(',') } : { 'x-postern-reason': reason }),
    ...(rateLimit === null
      ? {}
      : { 'x-postern-limit': String(rateLimit.limit), 'x-postern-remaining': String(rateLimit.remaining) }),
  };
}

const allowed = (headers: Record<string, string>, decision: Decision | null): Verdict => ({
  allowed: true,
  status: 200,
  headers,
  problem: null,
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
  const problem: Problem = { title: TITLES[status], status, detail, reason, remedies: [] };
  return toVerdict(
    problem,
    { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    null,
  );
}

const withDecision = ({ problem, headers }: Verdict, decision: Decision): Verdict =>
  toVerdict(
    {
      ...(problem as Problem),
      remedies: (decision.remedies ?? []).map(toRemedy),
      ...(decision.id === null ? {} : { decisionId: decision.id }),
    },
    headers,
    decision,
  );

const toVerdict = (problem: Problem, headers: Verdict['headers'], decision: Decision | null): Verdict => ({
  allowed: false,
  status: problem.status as Verdict['status'],
  headers,
  problem,
  decision,
  toResponse: () => new Response(JSON.stringify(problem), { status: problem.status, headers }),
});

/** Without the place of the rule that it would meet. */
function toRemedy(remedy: NonNullable<Decision['remedies']>[number]): Remedy {
  if (remedy.kind !== 'license') return remedy;
  const { rule: _, ...license } = remedy;
  return license;
}
