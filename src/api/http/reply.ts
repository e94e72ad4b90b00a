/**
 * Sends answers. The only place where an error becomes bytes; an error that is not a Failure is a 500 without details.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Unavailable } from '../../db/db.ts';
import { InvalidCursor } from '../../db/page.ts';
import { ERRORS, Failure, fail, unavailable } from '../errors.ts';
import { logFields } from './log.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export const errorBody = (failure: Failure, requestId: string): string =>
  JSON.stringify({ error: { ...failure.toError(), requestId } });

export const answerError = (failure: Failure, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.send(writeError(failure, request, reply));

/** Logs an error, sets the status and headers of its answer and returns the body. */
export function writeError(failure: Failure, request: FastifyRequest, reply: FastifyReply): string {
  if (failure.status >= 500) {
    const isFault = failure.code === 'internal_error';
    // A state without a cause, such as not being ready yet, is asked for often; its stack says nothing.
    const why =
      isFault || failure.cause !== undefined ? { err: failure.cause ?? failure } : { reason: failure.message };
    request.server.logger[isFault ? 'error' : 'warn']({ ...logFields(request), ...why }, failure.code);
  }
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  reply
    .headers(failure.headers ?? {})
    .code(ERRORS[failure.code].status)
    .type(JSON_TYPE);
  return errorBody(failure, request.id);
}

/** Text that is JSON already, to be returned by a handler. As bytes it is not copied to join it to the head. */
export type JsonText = (string | Buffer) & { readonly isJson: true };

export function asJson(reply: FastifyReply, text: string | Buffer): JsonText {
  reply.header('content-type', JSON_TYPE);
  return text as JsonText;
}

/** Sends text that is JSON already. */
export const sendJson = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type(JSON_TYPE).send(text);

function toStorageFailure(error: Unavailable): Failure {
  if (error.full) {
    return fail('storage_full', 'The storage is full. Nothing was changed; free space and retry.', { cause: error });
  }
  const message = error.inDoubt
    ? 'The write failed and was rolled back. If Postern restarts before its next successful write, check whether it was applied before retrying.'
    : (error.says ?? 'The storage is unreachable right now. Nothing was changed; retry.');
  return unavailable(message, error);
}

/** Converts a thrown error to an answer. `bodyLimit`: bytes that the route takes. */
export function toFailure(error: unknown, bodyLimit = 0): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Unavailable) return toStorageFailure(error);
  if (error instanceof InvalidCursor) {
    const message =
      '`cursor` is not of this list with these filters. Pass the nextCursor of the page before with its filters, or none.';
    return fail('invalid_cursor', message, { param: 'cursor', cause: error });
  }
  const { code = '', statusCode = 500 } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The body is too large: this operation takes ${formatSize(bodyLimit)} at most.`;
    return fail('payload_too_large', message, { cause: error });
  }
  const known = FASTIFY[code];
  if (known !== undefined) return fail(known[0], known[1], { cause: error });
  if (statusCode >= 400 && statusCode < 500)
    return fail('invalid_request', 'The request is malformed.', { cause: error });
  return fail('internal_error', 'Something went wrong here. Retry, and report the requestId if it persists.', {
    cause: error,
  });
}

const formatSize = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`;

const FASTIFY: Record<string, ['unsupported_media_type' | 'invalid_request', string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as JSON with Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as its Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not valid: percent-encode it as UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'A part of the path is too long.'],
};

const asItIs = (payload: unknown): string => payload as string;

/** Sends text as it is, whole or chunk by chunk. */
export const sendText = (reply: FastifyReply, type: string, text: string | AsyncIterable<string>): FastifyReply =>
  reply
    .type(type)
    .serializer(asItIs)
    .send(typeof text === 'string' ? text : Readable.from(text));

/** The answer of a committed edit. */
export interface Committed {
  status: number;
  /** The body as JSON text. */
  text: string;
  etag: string | undefined;
}

/** Sends the committed body byte for byte. */
export function sendCommitted(reply: FastifyReply, committed: Committed): FastifyReply {
  if (committed.etag !== undefined) reply.header('etag', committed.etag);
  return sendJson(reply, committed.status, committed.text);
}
