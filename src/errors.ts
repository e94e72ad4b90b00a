/**
 * Every error a caller can meet, in one table: its status and its type. From it come the answers' bytes, the OpenAPI
 * document and the reference page. An expected answer (a denial, a record that is not there) is a value, not an error.
 */
export const ERRORS = {
  invalid_request: { status: 400, type: 'validation_error' },
  invalid_json: { status: 400, type: 'validation_error' },
  invalid_cursor: { status: 400, type: 'validation_error' },
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  insufficient_permissions: { status: 403, type: 'authorization_error' },
  ip_not_allowed: { status: 403, type: 'authorization_error' },
  content_not_found: { status: 404, type: 'not_found_error' },
  policy_not_found: { status: 404, type: 'not_found_error' },
  policy_version_not_found: { status: 404, type: 'not_found_error' },
  requester_not_found: { status: 404, type: 'not_found_error' },
  license_not_found: { status: 404, type: 'not_found_error' },
  api_key_not_found: { status: 404, type: 'not_found_error' },
  decision_not_found: { status: 404, type: 'not_found_error' },
  webhook_not_found: { status: 404, type: 'not_found_error' },
  event_not_found: { status: 404, type: 'not_found_error' },
  delivery_not_found: { status: 404, type: 'not_found_error' },
  route_not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'validation_error' },
  external_id_exists: { status: 409, type: 'conflict_error' },
  requester_exists: { status: 409, type: 'conflict_error' },
  policy_in_use: { status: 409, type: 'conflict_error' },
  default_policy: { status: 409, type: 'conflict_error' },
  last_admin_key: { status: 409, type: 'conflict_error' },
  idempotency_key_in_use: { status: 409, type: 'conflict_error' },
  precondition_failed: { status: 412, type: 'conflict_error' },
  payload_too_large: { status: 413, type: 'validation_error' },
  unsupported_media_type: { status: 415, type: 'validation_error' },
  idempotency_key_reused: { status: 422, type: 'idempotency_error' },
  internal_error: { status: 500, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  storage_full: { status: 507, type: 'api_error' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One fault of a request: where (`rules[0].action`, a parameter's name; null for the body as a whole) and what to do. */
export interface Problem {
  param: string | null;
  message: string;
}

export interface FailureOptions {
  param?: string | undefined;
  details?: Problem[] | undefined;
  headers?: Record<string, string> | undefined;
  cause?: unknown;
}

/** The caller's mistake, or a state of the service the caller must know of. Thrown by `fail`, answered in http/reply. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: Problem[] | undefined;
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
  toError(): { code: ErrorCode; message: string; type: string; param?: string; details?: Problem[] } {
    return {
      code: this.code,
      message: this.message,
      type: ERRORS[this.code].type,
      ...(this.param === undefined ? {} : { param: this.param }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** A fault that was found alone is all of them: who reads `details` need not look elsewhere. */
const onlyProblem = (code: ErrorCode, message: string, param: string | undefined): Problem[] | undefined =>
  param !== undefined && ERRORS[code].status === 400 ? [{ param, message }] : undefined;

export const fail = (code: ErrorCode, message: string, options?: FailureOptions): Failure =>
  new Failure(code, message, options);

/** A 400 for a body or query: the first problem in front, all of them in `details`. */
export function invalid(problems: [Problem, ...Problem[]]): Failure {
  const [first] = problems;
  return fail('invalid_request', first.message, { param: first.param ?? undefined, details: problems });
}

/** A 503 the caller may retry after `retryAfterSeconds`. */
export const unavailable = (message: string, cause?: unknown, retryAfterSeconds = 1): Failure =>
  fail('service_unavailable', message, { cause, headers: { 'retry-after': String(retryAfterSeconds) } });

/** What keeps the service from starting: a sentence for its operator, which names what to change. */
export class StartRefused extends Error {}
