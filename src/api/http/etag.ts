/** Conditional requests (RFC 9110, section 13): lost updates refused, unchanged answers not sent again. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Modified } from '../../lib/modified.ts';
import { fail } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation calls `requireMatch`: for the API's description. */
    takesIfMatch?: true;
  }
}

/** Returns the tag of a record that counts no versions: a digest of its answer. */
export const digestEtag = (answer: object): string =>
  `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 22)}"`;

/** The tags of a header's list; `*` stands for any. */
const parseTags = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

const matches = (header: string, etag: string): boolean => {
  if (header === etag) return true;
  const tags = parseTags(header);
  return tags.includes('*') || tags.includes(etag);
};

/** Throws precondition_failed when `If-Match` names another state of the record than `etag`, or one of `others`. */
export function requireMatch(request: Pick<FastifyRequest, 'headers'>, etag: string, ...others: string[]): void {
  const header = request.headers['if-match'];
  if (header === undefined || [etag, ...others].some((tag) => matches(header, tag))) return;
  throw fail(
    'precondition_failed',
    `If-Match is stale: the record is now ${etag}. Read it again, then repeat the edit.`,
  );
}

/** Throws precondition_failed when `If-Match` names a state of a record that does not exist, which PUT would create. */
export function requireNoMatch({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (headers['if-match'] === undefined) return;
  throw fail('precondition_failed', 'If-Match is stale: the record does not exist. Create it without the header.');
}

/**
 * Throws invalid_request for a condition that an edit does not evaluate: with the header ignored, it would overwrite
 * what its client wanted to keep.
 */
export function refuseConditions({ headers }: Pick<FastifyRequest, 'headers'>, takesIfMatch: boolean): void {
  const name = headers['if-none-match'] !== undefined ? 'If-None-Match' : 'If-Match';
  if (headers[name.toLowerCase()] === undefined || (name === 'If-Match' && takesIfMatch)) return;
  throw fail(
    'invalid_request',
    `This operation takes no \`${name}\`; nothing was changed. Repeat it without the header.`,
    { param: name },
  );
}

/** The description of a 304. */
export const NotModified = Type.Null({ description: 'Not changed since the `ETag` in `If-None-Match`' });

/** Sets `ETag`; true when the client has this state already and 304 was set. */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('etag', etag);
  const header = request.headers['if-none-match'];
  if (header === undefined || !matches(header, etag)) return false;
  reply.code(304);
  return true;
}

/** Reads the date of a header; NaN for any other text. `Date.parse` alone takes a bare year for a date. */
function readDate(header: string): number {
  const date = new Date(header);
  return date.toUTCString() === header ? date.getTime() : Number.NaN;
}

/** Sets `Last-Modified`; true when a client without `If-None-Match` has this state already and 304 was set. */
export function isUnmodified(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { modified, now }: { modified: Modified; now: number },
): boolean {
  reply.header('last-modified', now < modified.after ? modified.early : modified.late);
  const since = headers['if-modified-since'];
  if (since === undefined || headers['if-none-match'] !== undefined) return false;
  const unmodified = readDate(since) >= modified.after;
  if (unmodified) reply.code(304);
  return unmodified;
}
