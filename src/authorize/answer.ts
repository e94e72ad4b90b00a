/**
 * A decision as a proxy takes it: a status, headers, no body. Promise: 200 exactly when access is allowed; every denial is
 * 403, or 401, 402 or 429 where the proxy is set up for it.
 */
import { type Decision, retryAfter } from '../ledger/decision.ts';
import type { Unclear } from './question.ts';
import type { AuthorizeOptions } from './schema.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
}

const ALWAYS = {
  // A denial belongs to one visitor and one moment.
  'cache-control': 'no-store',
  // Proxies copy these to the application. One that is not there would leave what the visitor sent in its place.
  'x-postern-requester': '',
  'x-postern-decision': '',
};

/** What a web server would say to a visitor: 401 who are you, 402 a licence is needed, 429 later, 403 no. */
function naturalStatus({ reason, requesterId }: Decision): number {
  if (reason === 'rate_limit_exceeded') return 429;
  if (reason === 'license_expired') return 402;
  if (reason === 'no_license') return requesterId === null ? 401 : 402;
  return 403;
}

export function answerOf(decision: Decision, { denyStatus = '' }: AuthorizeOptions): Answer {
  const headers = { ...ALWAYS, ...headersOf(decision) };
  if (decision.allowed) return { status: 200, headers };
  const natural = naturalStatus(decision);
  const status = denyStatus.split(',').includes(String(natural)) ? natural : 403;
  return { status, headers: status === 401 ? { ...headers, 'www-authenticate': 'Bearer' } : headers };
}

/** No item: nothing was decided and nothing recorded. */
export const answerUnknown = ({ unknown = 'deny' }: AuthorizeOptions): Answer => ({
  status: unknown === 'allow' ? 200 : 403,
  headers: { ...ALWAYS, 'x-postern-allowed': String(unknown === 'allow'), 'x-postern-error': 'content_not_found' },
});

export const answerUnclear = (why: Unclear): Answer => ({
  status: 403,
  headers: { ...ALWAYS, 'x-postern-allowed': 'false', 'x-postern-error': why },
});

function headersOf(decision: Decision): Record<string, string> {
  const { id, reason, rateLimit, requesterId, maxAge } = decision;
  return {
    'x-postern-allowed': String(decision.allowed),
    ...(reason === null ? {} : { 'x-postern-reason': reason }),
    'x-postern-message': headerText(decision.message),
    'x-postern-decision': id ?? '',
    'x-postern-content': decision.contentId,
    'x-postern-requester': requesterId ?? '',
    'x-postern-policy': decision.policyId,
    'x-postern-permissions': decision.permissions.join(','),
    ...(rateLimit === null
      ? {}
      : {
          'x-postern-limit': String(rateLimit.limit),
          'x-postern-remaining': String(rateLimit.remaining),
          'x-postern-reset': String(retryAfter(Date.parse(rateLimit.resetAt), Date.parse(decision.created))),
        }),
    ...(maxAge === undefined ? {} : { 'x-postern-max-age': String(maxAge) }),
    ...(rateLimit?.retryAfter === undefined ? {} : { 'retry-after': String(rateLimit.retryAfter) }),
  };
}

/** Headers carry ASCII: the rest, and what would end the line, is percent-encoded as UTF-8. */
const headerText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, (character) => encodeURIComponent(character));
