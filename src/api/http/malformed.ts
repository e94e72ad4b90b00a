/** Answers malformed HTTP in the usual form, with a request id. */
import type { Socket } from 'node:net';
import { Failure } from '../errors.ts';
import { errorBody } from './reply.ts';
import { newRequestId } from './request-id.ts';

export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new Failure('invalid_request', MALFORMED[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.');
  const id = newRequestId();
  const body = errorBody(failure, id);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nRequest-Id: ${id}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const MALFORMED: Record<string, string> = {
  CONNECT: 'This is not a proxy: it does not take CONNECT.',
  HPE_HEADER_OVERFLOW: 'The request headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};
