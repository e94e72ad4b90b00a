/** Bodies in: JSON as it is, CSV where an operation takes it, and none where an operation takes none. */
import { isUtf8 } from 'node:buffer';
import { errorCodes, type FastifyRequest, type preParsingHookHandler } from 'fastify';
import { type Failure, fail, unavailable } from '../errors.ts';
import { type App, appendHook } from './app.ts';
import { parseJson, parseJsonInSlices } from './json.ts';
import type { Schema } from './problems.ts';

/** The most bytes of a body, unless its route names another bound. */
export const BODY_BYTES_MAX = 1024 * 1024;

export function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Some clients name a content type on a DELETE without a body; nothing is nothing.
    if (body.length === 0) return done(null, undefined);
    if (isEncoded(request)) return done(ENCODED);
    if (request.headers['idempotency-key'] !== undefined) request.rawBody = body as Buffer;
    const list = body.length > SLICED_FROM ? findEntryList(request) : undefined;
    if (list !== undefined) return parseApart(body as Buffer, list, done);
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      const apart = (error as Failure).code === 'invalid_request' ? findEntryList(request) : undefined;
      if (apart === undefined) done(error as Error);
      else parseApart(body as Buffer, apart, done);
    }
  });
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body, done) => {
    if (!takesCsv(request)) return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/csv'));
    if (isEncoded(request)) return done(ENCODED);
    // A program that saved it in another encoding lost no character yet; decoding it would.
    if (!isUtf8(body as Buffer)) return done(NOT_UTF8);
    if (request.headers['idempotency-key'] !== undefined) request.rawBody = body as Buffer;
    done(null, body.toString());
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.takesCsv === true) route.preParsing = appendHook(route.preParsing, refuseJson);
  });
  app.decorateRequest('rawBody', null);
  boundLargeBodies(app);
  app.addHook('onRoute', (route) => {
    if (route.schema?.body !== undefined) return;
    // A body where none is known would be silently ignored.
    route.preValidation = appendHook(route.preValidation, ({ body }, _reply, done) => {
      if (body === undefined || body === null || isEmpty(body)) return done();
      done(fail('invalid_request', 'This operation takes no body; send none.'));
    });
  });
}

/** Bytes of large bodies in flight: their values take several times as much of the heap, whose end is the process's. */
const LARGE_BYTES_MAX = 32 * 1024 * 1024;

/** Refuses large bodies beyond the bound before they are read, and after their key was looked at. */
function boundLargeBodies(app: App): void {
  let inFlight = 0;
  app.addHook('onRoute', (route) => {
    const { bodyLimit = BODY_BYTES_MAX } = route;
    if (bodyLimit <= BODY_BYTES_MAX) return;
    route.preParsing = appendHook(route.preParsing, ({ headers }, reply, payload, done) => {
      const bytes = Number(headers['content-length'] ?? bodyLimit);
      // A longer one is refused by its length alone.
      if (bytes <= BODY_BYTES_MAX || bytes > bodyLimit) return done(null, payload);
      if (inFlight + bytes > LARGE_BYTES_MAX) return done(CROWDED);
      inFlight += bytes;
      reply.raw.once('close', () => {
        inFlight -= bytes;
      });
      done(null, payload);
    });
  });
}

const CROWDED = unavailable('Too many large bodies are in flight; retry, or send fewer records at once.');

/** A shorter body is parsed at once. */
const SLICED_FROM = 64 * 1024;

/** The list of a body whose entries stand for themselves, and how long it may be. */
type EntryList = [name: string, entriesMax: number];

function parseApart(body: Buffer, list: EntryList, done: (error: Error | null, value?: unknown) => void): void {
  parseJsonInSlices(body, ...list).then((value) => done(null, value), done);
}

function findEntryList({ routeOptions }: FastifyRequest): EntryList | undefined {
  const schema = routeOptions.schema?.body as Schema | undefined;
  const name = schema?.itemsApart;
  return name === undefined ? undefined : [name, schema?.properties?.[name]?.maxItems ?? 0];
}

const isEmpty = (body: unknown): boolean => typeof body === 'object' && Object.keys(body as object).length === 0;

/** RFC 9110, section 8.4: what is compressed is not the JSON that the length and the parser take it for. */
const isEncoded = ({ headers }: FastifyRequest): boolean =>
  headers['content-encoding'] !== undefined && headers['content-encoding'].trim().toLowerCase() !== 'identity';

const takesCsv = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.takesCsv === true;

/** Refuses JSON on routes that take CSV. The parser cannot: `routeOptions` makes an object at each access. */
const refuseJson: preParsingHookHandler = ({ mediaType }, _reply, payload, done) => {
  if (mediaType === 'application/json') done(NOT_CSV);
  else done(null, payload);
};

const NOT_CSV = fail('unsupported_media_type', 'Send the body as CSV with Content-Type: text/csv.');
const NOT_UTF8 = fail('invalid_request', 'The CSV is not valid UTF-8. Save it as "CSV UTF-8", and send it again.');
const ENCODED = fail('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.');

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a body of CSV instead of JSON. */
    takesCsv?: true;
  }
  interface FastifyRequest {
    /** The body as it came; kept only for requests with an Idempotency-Key. */
    rawBody: Buffer | null;
  }
}
