/**
 * Cursors on the wire are of one list and its filters. A position among other records is one too: without this, a
 * cursor sent with other filters would skip what comes before it, and nothing would say so.
 */
import { createHash } from 'node:crypto';
import type { FastifyRequest, preHandlerHookHandler, preSerializationHookHandler } from 'fastify';
import { InvalidCursor } from '../../db/page.ts';
import { type App, appendHook } from './app.ts';

type Asked = Pick<FastifyRequest, 'params' | 'query'> & { routeOptions: { url?: string } };
type Query = Record<string, unknown> & { cursor?: string };

/** Change the form of a page, not its records. */
const FORM = new Set(['limit', 'cursor', 'expand']);
/** In no cursor of a store. */
const SEPARATOR = '.';
const DIGEST_LENGTH = 11;

/** Returns the cursor of a store as it is answered: followed by a digest of its list. */
export const bindCursor = (asked: Asked, cursor: string): string => `${cursor}${SEPARATOR}${digestRequest(asked)}`;

/** Lists take the cursors that they gave out for the same filters, and no others. */
export function bindCursors(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!takesCursor(route.schema)) return;
    route.preHandler = appendHook(route.preHandler, readCursor);
    route.preSerialization = appendHook(route.preSerialization, writeCursor);
  });
}

const takesCursor = (schema: { querystring?: unknown } | undefined): boolean =>
  Object.hasOwn((schema?.querystring as { properties?: object } | undefined)?.properties ?? {}, 'cursor');

const readCursor: preHandlerHookHandler = (request, _reply, done) => {
  const query = request.query as Query;
  if (query.cursor === undefined) return done();
  const [cursor = '', digest, ...more] = query.cursor.split(SEPARATOR);
  if (digest !== digestRequest(request) || more.length > 0) return done(new InvalidCursor());
  query.cursor = cursor;
  done();
};

const writeCursor: preSerializationHookHandler = (request, _reply, payload, done) => {
  const page = payload as { nextCursor?: string | null } | null;
  const next = page?.nextCursor ?? null;
  done(null, next === null ? page : { ...page, nextCursor: bindCursor(request, next) });
};

function digestRequest({ routeOptions, params, query }: Asked): string {
  const filters = Object.entries(query as Query).filter(([name]) => !FORM.has(name));
  const list = [routeOptions.url, params, filters.toSorted(([a], [b]) => (a < b ? -1 : 1))];
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, DIGEST_LENGTH);
}
