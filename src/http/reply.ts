/** Answers out. The one place where an error becomes bytes; anything that is not a Failure is a 500 without details. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Unavailable } from '../db/db.ts';
import { ERRORS, Failure, fail, unavailable } from '../errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export const errorBody = (failure: Failure, requestId: string): string =>
  JSON.stringify({ error: { ...failure.toError(), requestId } });

export function answerError(failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (failure.status >= 500) {
    const level = failure.code === 'internal_error' ? 'error' : 'warn';
    request.log[level]({ requestId: request.id, err: failure.cause ?? failure }, failure.code);
  }
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.headers(failure.headers ?? {});
  return sendJson(reply, ERRORS[failure.code].status, errorBody(failure, request.id));
}

/** Sends text that is JSON already. */
export const sendJson = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type(JSON_TYPE).send(text);

/** Whatever was thrown, as an answer. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Unavailable) {
    if (error.full) {
      return fail('storage_full', 'The storage is full. Nothing was changed; free space and try again.', {
        cause: error,
      });
    }
    return unavailable(
      error.inDoubt
        ? 'The storage failed while this was being written. It does not stand, unless Postern is restarted before it can write again; then look whether it does. Try again.'
        : 'The storage cannot be reached at the moment. Nothing was changed; try again.',
      error,
    );
  }
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  const known = FASTIFY[code];
  if (known !== undefined) return fail(known[0], known[1], { cause: error });
  if (statusCode >= 400 && statusCode < 500)
    return fail('invalid_request', 'The request is malformed.', { cause: error });
  return fail('internal_error', 'Something went wrong here. Try again, and report the requestId if it stays so.', {
    cause: error,
  });
}

const FASTIFY: Record<string, ['payload_too_large' | 'unsupported_media_type' | 'invalid_request', string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload_too_large',
    'The body is too large: 1 MiB at most, 16 MiB for bulk operations.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as JSON with Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as its Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not valid: percent-encode it as UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'A part of the path is too long.'],
};

/** Answers with what was committed, byte for byte. */
export function sendCommitted(
  reply: FastifyReply,
  committed: { status: number; text: string; etag: string | undefined },
): FastifyReply {
  if (committed.etag !== undefined) reply.header('etag', committed.etag);
  return sendJson(reply, committed.status, committed.text);
}
