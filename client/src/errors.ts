/** The two failures that callers must distinguish: a refusal by the service, and no answer. */
import type { ApiError, ErrorCode } from './types.ts';

/** A refusal. `code` says why; `unexpected_answer` means that something else answered, such as a proxy. */
export class PosternError extends Error {
  override readonly name = 'PosternError';
  declare readonly code: ErrorCode | 'unexpected_answer';
  declare readonly status: number;
  /** Quote it when you contact the operator. */
  declare readonly requestId: string | undefined;
  /** The field or parameter that is wrong. */
  declare readonly param: string | undefined;
  /** Everything that is wrong with a body. */
  declare readonly details: ApiError['details'];
  /** Seconds to wait before a retry, if the service named them. */
  declare readonly retryAfter: number | undefined;

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

/** No answer, or none in time. The request may have taken effect all the same. */
export class PosternUnreachable extends Error {
  override readonly name = 'PosternUnreachable';
  declare readonly isTimeout: boolean;
  declare readonly attempts: number;

  constructor(
    message: string,
    { cause, isTimeout = false, attempts = 0 }: { cause?: unknown; isTimeout?: boolean; attempts?: number } = {},
  ) {
    super(message, { cause });
    this.isTimeout = isTimeout;
    this.attempts = attempts;
  }
}
