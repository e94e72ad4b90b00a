/** Declares operations: one call names the path, the permission, the schemas and the handler. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Permission } from '../permissions.ts';
import type { App } from './app.ts';
import { refuseConditions } from './etag.ts';
import { answerOAuthError, FORM } from './oauth.ts';
import { type Committed, type JsonText, sendCommitted } from './reply.ts';

const BULK_BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Method and path, such as `GET /v1/content/:id`. */
type Target = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** `{ id: string }` for a path with `:id`. */
type Params<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Record<Name, string> & Params<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Record<Name, string>
    : unknown;

export interface Operation<Query extends TSchema, Body extends TSchema, Answer extends TSchema> {
  /** The required permissions, all of a list; `null` for operations without a key. */
  permission: Permission | readonly Permission[] | null;
  /** Refuses public keys. */
  secretKey?: true;
  /** Takes the token of a requester instead of a key; then `permission` is null. */
  partner?: true;
  /** Returns whether a request needs no key. */
  openTo?: FastifyContextConfig['openTo'];
  /** Sends an answer that is at hand and needs no key, before anything else is checked; returns whether it did. */
  atOnce?: (request: FastifyRequest, reply: FastifyReply) => boolean;
  /** The group in the API document. */
  tag: string;
  /** The operationId in the API document. */
  id: string;
  /** The summary in the API document. */
  is: string;
  query?: Query;
  body?: Body;
  /** Treats a missing body as `{}`. */
  bodyOptional?: true;
  /** Takes bodies of up to 16 MiB instead of 1 MiB. */
  bulk?: true;
  /** Takes a body of CSV, as one text. */
  csv?: true;
  /** Takes a form of at most this many bytes, and refuses as OAuth does. */
  formMax?: number;
  /** The body of a 200. */
  answer?: Answer;
  /** Bodies by status, for an operation that answers with others. */
  answers?: Record<number, TSchema>;
  /** The media types of a 200, JSON alone by default. Of several, `chosenMedia` names the one to answer. */
  media?: string | readonly [string, ...string[]];
  /** Documents `If-Match`: the handler calls `requireMatch`. */
  ifMatch?: true;
  /** Answers no HEAD: the body never ends. */
  endless?: true;
  /** Makes the answer to a repeated request from the one that was kept for its `Idempotency-Key`. */
  repeat?: FastifyContextConfig['repeat'];
}

export type RequestTo<Path extends string, Query extends TSchema, Body extends TSchema> = FastifyRequest<{
  Params: Params<Path>;
  Querystring: Static<Query>;
  Body: Static<Body>;
}>;

/** Adds an operation whose handler returns the answer, its text, or the reply it has sent. */
export function route<Path extends Target, Query extends TSchema, Body extends TSchema, Answer extends TSchema>(
  app: App,
  target: Path,
  operation: Operation<Query, Body, Answer>,
  handler: (
    request: RequestTo<Path, Query, Body>,
    reply: FastifyReply,
  ) => Promise<Static<Answer> | JsonText | FastifyReply>,
): void {
  const [method, url] = target.split(' ') as [string, string];
  const { tag, id, is, query, body, answer } = operation;
  const answers = { ...(answer === undefined ? {} : { 200: answer }), ...operation.answers };
  app.route({
    method,
    url,
    config: toRouteConfig(operation),
    ...(operation.bulk === undefined ? {} : { bodyLimit: BULK_BODY_BYTES_MAX }),
    ...(operation.formMax === undefined ? {} : { bodyLimit: operation.formMax, errorHandler: answerOAuthError }),
    ...(operation.atOnce === undefined ? {} : { onRequest: answerAtOnce(operation.atOnce) }),
    ...(operation.endless === undefined ? {} : { exposeHeadRoute: false }),
    ...(operation.bodyOptional === undefined ? {} : { preValidation: supplyBody }),
    schema: {
      tags: [tag],
      operationId: id,
      summary: is,
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined ? {} : { body }),
      ...(operation.csv === undefined ? {} : { consumes: ['text/csv'] }),
      ...(operation.formMax === undefined ? {} : { consumes: [FORM] }),
      ...(Object.keys(answers).length === 0 ? {} : { response: answers }),
    },
    handler: handler as never,
  });
}

/** The remaining hooks and the handler run only for what it leaves to them. */
const answerAtOnce =
  (atOnce: NonNullable<Any['atOnce']>): onRequestHookHandler =>
  (request, reply, done) => {
    if (!atOnce(request, reply)) done();
  };

type Any = Operation<TSchema, TSchema, TSchema>;

const toRouteConfig = ({ permission, secretKey, partner, openTo, ifMatch, csv, formMax, media, repeat }: Any) => ({
  permission,
  ...(secretKey === undefined ? {} : { secretKey }),
  ...(partner === undefined ? {} : { partner }),
  ...(openTo === undefined ? {} : { openTo }),
  ...(ifMatch === undefined ? {} : { takesIfMatch: ifMatch }),
  ...(formMax === undefined ? {} : { takesForm: true as const }),
  ...(csv === undefined ? {} : { takesCsv: csv }),
  ...(media === undefined ? {} : { media: { 200: [media].flat() } }),
  ...(repeat === undefined ? {} : { repeat }),
});

/** Adds an operation whose handler returns what an edit committed. */
export function edit<Path extends Target, Query extends TSchema, Body extends TSchema>(
  app: App,
  target: Path,
  operation: Operation<Query, Body, TSchema>,
  handler: (request: RequestTo<Path, Query, Body>) => Promise<Committed>,
): void {
  route(app, target, operation, async (request, reply) => {
    refuseConditions(request, operation.ifMatch === true);
    return sendCommitted(reply, await handler(request));
  });
}

function supplyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  // `null` is a body, of the wrong type.
  if (request.body === undefined) request.body = {};
  done();
}
