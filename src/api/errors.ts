/**
 * The table of errors: the status, type and meaning of each. The answers, the OpenAPI document and docs/errors.md
 * follow from it. An expected answer (a denial, a missing record) is a value, not an error.
 */
import type { Problem } from '../lib/refined.ts';

export const ERRORS = {
  invalid_request: {
    status: 400,
    type: 'validation_error',
    meaning:
      'The request does not match its documentation. `param` names the place, `message` says what is accepted, `details` lists everything that is wrong.',
  },
  ambiguous_content: {
    status: 400,
    type: 'validation_error',
    meaning:
      'Several items are registered at the URL, or servers may read it in ways that are not all allowed alike. `/v1/authorize` answers 403.',
  },
  invalid_json: { status: 400, type: 'validation_error', meaning: 'The body is not JSON, or not UTF-8.' },
  invalid_cursor: {
    status: 400,
    type: 'validation_error',
    meaning:
      'The `cursor` does not come from this list with these filters. Pass the `nextCursor` of the previous page unchanged, with the filters of that page.',
  },
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The request has no `Authorization: Bearer …` header.',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The key does not exist, was revoked or has expired; the message says which.',
  },
  invalid_token: {
    status: 400,
    type: 'validation_error',
    meaning: 'The token that the visitor presented does not exist, was revoked or has expired.',
  },
  missing_requester_token: {
    status: 401,
    type: 'authentication_error',
    meaning: 'An operation of `/v1/me` was called without the token of a requester.',
  },
  invalid_requester_token: {
    status: 401,
    type: 'authentication_error',
    meaning:
      'The token of a requester does not exist, was revoked or has expired, or is an API key; the message says which.',
  },
  insufficient_permissions: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The key does not hold the permission that the message names.',
  },
  ip_not_allowed: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The key may not be used from the address that the message names.',
  },
  requester_suspended: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The publisher has suspended the requester of the token.',
  },
  content_not_found: { status: 404, type: 'not_found_error', meaning: 'No item has this id or externalId.' },
  collection_not_found: { status: 404, type: 'not_found_error', meaning: 'No collection has this id.' },
  site_not_found: { status: 404, type: 'not_found_error', meaning: 'No site has this host.' },
  signal_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'The site does not publish this signal, or did not at that time; the message says why.',
  },
  policy_not_found: { status: 404, type: 'not_found_error', meaning: 'No policy has this id.' },
  policy_version_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'The policy has no version of this number.',
  },
  candidate_not_found: { status: 404, type: 'not_found_error', meaning: 'The policy has no candidate.' },
  requester_not_found: { status: 404, type: 'not_found_error', meaning: 'No requester is registered under this id.' },
  requester_token_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'The requester has no token with this id. Revoked tokens are not found either.',
  },
  license_not_found: { status: 404, type: 'not_found_error', meaning: 'No license has this id.' },
  license_request_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No request for a license has this id.',
  },
  offer_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'Licenses of this type are not offered, or not for this collection.',
  },
  crawler_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No entry of your own in the crawler directory has this token.',
  },
  user_not_found: { status: 404, type: 'not_found_error', meaning: 'No user has this id.' },
  proxy_probe_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No probe of a proxy is running under this id.',
  },
  statement_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No license has a billing period with this id, or the license has no terms now.',
  },
  api_key_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No key has this id. Revoked keys are not found either.',
  },
  decision_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No decision has this id, or its content was deleted.',
  },
  webhook_not_found: { status: 404, type: 'not_found_error', meaning: 'No webhook has this id.' },
  event_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No event has this id, or it is older than 30 days.',
  },
  delivery_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'The webhook has no delivery with this id, or it is older than 30 days.',
  },
  route_not_found: { status: 404, type: 'not_found_error', meaning: 'There is no such path.' },
  method_not_allowed: {
    status: 405,
    type: 'validation_error',
    meaning: 'The path exists, but not with this method. `Allow` lists the methods that it has.',
  },
  external_id_exists: {
    status: 409,
    type: 'conflict_error',
    meaning: 'Another item has this externalId. Edit that one, or use upsert.',
  },
  requester_exists: { status: 409, type: 'conflict_error', meaning: 'A requester with this id is already registered.' },
  crawler_exists: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The crawler directory has a crawler with this token or name already.',
  },
  too_many_crawlers: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The crawler directory has as many entries of your own as it can have. Remove one first.',
  },
  statement_running: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The billing period has not ended, or ended less than a minute ago. Finalize its statement later.',
  },
  statement_not_final: { status: 409, type: 'conflict_error', meaning: 'Only final statements have receipts.' },
  statement_final: {
    status: 409,
    type: 'conflict_error',
    meaning: 'A billing period with a final statement would no longer belong to the license. Keep it within the dates.',
  },
  license_request_closed: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The request for a license was granted or declined before. Its answer is final.',
  },
  too_many_license_requests: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The requester has 20 open requests for licenses. The publisher has to answer some of them first.',
  },
  policy_in_use: {
    status: 409,
    type: 'conflict_error',
    meaning: 'Content, possibly archived, or a collection still uses the policy. Assign another policy to it first.',
  },
  default_policy: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The default policy, and `pol_default`, cannot be deleted.',
  },
  last_admin_key: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'This is the last key with `*` that has no expiry and no `allowedIps`. Create another such key first, or rotate this one.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The first request with this `Idempotency-Key` is still in progress. Retry after `Retry-After` seconds.',
  },
  precondition_failed: {
    status: 412,
    type: 'conflict_error',
    meaning: 'The record has changed since the `ETag` in `If-Match`. Read it again.',
  },
  payload_too_large: {
    status: 413,
    type: 'validation_error',
    meaning:
      'The body exceeds its limit: 1 MiB; 16 MiB for bulk operations and batches, with 1 MiB per entry; 4 KiB outside `/v1`.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'validation_error',
    meaning: 'The body is not sent as `application/json`, or it is compressed.',
  },
  api_rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    meaning: 'The requester has too many requests in progress at once. Retry after `Retry-After` seconds.',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'idempotency_error',
    meaning: 'The `Idempotency-Key` was used with another body within 24 hours. Use a new one.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    meaning: 'A fault of Postern. The log shows its cause under the same `requestId`.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    meaning:
      'The request cannot be served now. Retry after `Retry-After` seconds. Nothing was changed, with one exception that the message names: if a write failed in the middle and Postern restarts before its next successful write, the change may have been applied.',
  },
  storage_full: { status: 507, type: 'api_error', meaning: 'The disk is full. Nothing was changed; reads still work.' },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorType = (typeof ERRORS)[ErrorCode]['type'];

export interface FailureOptions {
  param?: string | undefined;
  details?: readonly Problem[] | undefined;
  headers?: Record<string, string> | undefined;
  cause?: unknown;
}

/** An error for the caller. `fail` makes it, api/http/reply answers it. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: readonly Problem[] | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param;
    this.details = options.details ?? onlyProblem(code, message, options.param);
    this.headers = options.headers;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The `error` object of an answer, without the request's id. */
  toError(): { code: ErrorCode; message: string; type: ErrorType; param?: string; details?: readonly Problem[] } {
    return {
      code: this.code,
      message: this.message,
      type: ERRORS[this.code].type,
      ...(this.param === undefined ? {} : { param: this.param }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** A single problem is repeated in `details`, so that clients need not look in two places. */
const onlyProblem = (code: ErrorCode, message: string, param: string | undefined): Problem[] | undefined =>
  param !== undefined && ERRORS[code].status === 400 ? [{ param, message }] : undefined;

export const fail = (code: ErrorCode, message: string, options?: FailureOptions): Failure =>
  new Failure(code, message, options);

/** A 400 for a body or query: the first problem in front, all of them in `details`. */
export function invalid(problems: readonly Problem[]): Failure {
  const [first] = problems;
  if (first === undefined) throw new Error('a refusal without a problem');
  return fail('invalid_request', first.message, { param: first.param ?? undefined, details: problems });
}

/** A 503 the caller may retry after `retryAfterSeconds`. */
export const unavailable = (message: string, cause?: unknown, retryAfterSeconds = 1): Failure =>
  fail('service_unavailable', message, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });
