/** What can go wrong: the service said no, or nobody answered. Telling them apart is what callers need first. */
import type { ApiError, ErrorCode } from './types.ts';

/** The service refused. `code` says why; `unexpected_answer` is an answer that is not Postern's, such as a proxy's. */
export class PosternError extends Error {
  override readonly name = 'PosternError';
  readonly code: ErrorCode | 'unexpected_answer';
  readonly status: number;
  /** To ask the operator about. */
  readonly requestId: string | undefined;
  /** The field or parameter that is wrong. */
  readonly param: string | undefined;
  /** Everything that is wrong with a body. */
  readonly details: ApiError['details'];
  /** Seconds after which to try again, if the service said so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, error: Partial<ApiError>, more: { requestId?: string; retryAfter?: number } = {}) {
    super(error.message ?? `The answer with status ${status} is not Postern's.`);
    this.code = error.code ?? 'unexpected_answer';
    this.status = status;
    this.param = error.param;
    this.details = error.details;
    this.requestId = error.requestId ?? more.requestId;
    this.retryAfter = more.retryAfter;
  }
}

/** No answer: the service was not reached, or not in time. What was asked may have been done all the same. */
export class PosternUnreachable extends Error {
  override readonly name = 'PosternUnreachable';
  readonly isTimeout: boolean;
  readonly attempts: number;

  constructor(message: string, options: { cause: unknown; isTimeout: boolean; attempts: number }) {
    super(message, { cause: options.cause });
    this.isTimeout = options.isTimeout;
    this.attempts = options.attempts;
  }
}
