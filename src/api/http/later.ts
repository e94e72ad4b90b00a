/**
 * Pages that most processes never serve: their plugins would take a quarter of the start to load. The first request
 * opens a server for them within the process, which has no port; every request still passes this server's hooks.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from './app.ts';

/** The headers on which an answer for a file depends. */
const FORWARDED = ['accept', 'accept-encoding', 'if-modified-since', 'if-none-match', 'range'];
/** Headers that belong to the connection, or that Fastify sets by the body. */
const NOT_RETURNED = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Adds routes for `urls` that the server of `open` answers; what it does not find is not found. */
export function serveLater(app: App, urls: readonly string[], open: () => Promise<FastifyInstance>): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const inner = await open();
    const headers = Object.fromEntries(FORWARDED.flatMap((name) => [[name, request.headers[name]]]).filter(isSent));
    const answered = await inner.inject({ method: 'GET', url: request.url, headers });
    if (answered.statusCode === 404) return reply.callNotFound();
    for (const [name, value] of Object.entries(answered.headers)) {
      if (!NOT_RETURNED.has(name)) reply.header(name, value);
    }
    return reply
      .code(answered.statusCode)
      .serializer((bytes) => bytes as never)
      .send(answered.rawPayload);
  };
  for (const url of urls) {
    app.get(url, { config: { permission: null }, schema: { hide: true } }, answer);
  }
}

const isSent = ([, value]: (string | string[] | undefined)[]): boolean => value !== undefined;

/** Opens a server without a port, once: for `open` of `serveLater`. A failed attempt is repeated. */
export function openOnce(fill: (inner: FastifyInstance) => Promise<void>): () => Promise<FastifyInstance> {
  let opening: Promise<FastifyInstance> | undefined;
  async function open(): Promise<FastifyInstance> {
    const inner = Fastify({
      exposeHeadRoutes: false,
      schemaController: { compilersFactory: { buildValidator: acceptAll, buildSerializer: acceptAll } as never },
    });
    await fill(inner);
    await inner.ready();
    return inner;
  }
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}

/** Its routes take no bodies, and those of the API document are never called. */
const acceptAll = () => () => () => true;
