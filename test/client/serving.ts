/** Servers of each kind with a guard before them, on real sockets. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type GuardOptions, guard } from '../../client/src/index.ts';

/** The text that a guard protects. */
export const TEXT = 'the protected text';

type Fields = Record<string, string>;

export interface Own {
  /** Headers that a server sets before its guard, where it can. */
  before?: Fields;
  /** Headers of what is behind the guard, where nothing can be set before. */
  behind?: Fields;
}

export interface Serving extends AsyncDisposable {
  /** By the kind of server: starts one with a guard and returns its URL. */
  servers: Record<string, (options: GuardOptions) => Promise<string>>;
}

export function openServing({ before = {}, behind = {} }: Own = {}): Serving {
  const closing: (() => unknown)[] = [];

  async function listen(server: Server): Promise<string> {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    });
    return urlOf(server);
  }
  const listenWeb = (handle: (request: Request) => Promise<Response>) => listen(webServer(handle));

  const servers: Serving['servers'] = {
    Express(options) {
      const app = express();
      app.use((_request, response, next) => {
        response.set(before);
        next();
      });
      app.use(guard(options).express());
      app.use((_request, response) => void response.send(TEXT));
      return listen(createServer(app));
    },
    async Fastify(options) {
      const app = fastify();
      app.addHook('onRequest', async (_request, reply) => void reply.headers(before));
      app.addHook('onRequest', guard(options).fastify());
      app.all('/*', async () => TEXT);
      await app.listen({ host: '127.0.0.1', port: 0 });
      closing.push(() => app.close());
      return urlOf(app.server);
    },
    Hono(options) {
      const app = new Hono();
      app.use(guard(options).hono());
      app.all('/*', (context) => context.text(TEXT, 200, behind));
      return listenWeb(async (request) => app.fetch(request));
    },
    'a handler of Request and Response': (options) =>
      listenWeb(guard(options).fetch(() => new Response(TEXT, { headers: behind }))),
    'a handler that takes the verdict'(options) {
      const { check } = guard(options);
      return listenWeb(async (request) => {
        const verdict = await check(request);
        return verdict.allowed ? new Response(TEXT, { headers: verdict.headers }) : verdict.toResponse();
      });
    },
  };
  return {
    servers,
    async [Symbol.asyncDispose]() {
      for (const close of closing.toReversed()) await close();
    },
  };
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Serves a handler of Request and Response, as runtimes with Web APIs do. */
export const webServer = (handle: (request: Request) => Promise<Response>): Server =>
  createServer((request, response) => {
    const headers = new Headers(request.headers as Fields);
    handle(
      new Request(`http://${request.headers.host}${request.url}`, { method: request.method ?? 'GET', headers }),
    ).then(
      async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(await answer.text());
      },
      (error: unknown) => response.destroy(error as Error),
    );
  });
