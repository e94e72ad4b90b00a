/**
 * Stops a server without losing an answer: clients are sent elsewhere, then requests in flight finish. A client that
 * sends its request too slowly cannot hold up the stop.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from './app.ts';

const IDLE_CHECK_MS = 50;
/** The rest of a request that has begun to arrive, but not to be answered, arrives within this time. */
const BEGUN_MS = 1_000;
/** Requests in flight have this long to finish. */
const IN_FLIGHT_MS = 10_000;

/** Answers late requests, and asks clients to reconnect elsewhere. */
export async function letGo(app: App, forMs: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const onRequest = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('connection', 'close');
  };
  app.server.prependListener('request', onRequest);
  setTimeout(resolve, forMs);
  await over;
}

/** Returns a function that resolves when the last answer is sent, or cut off after ten seconds. */
export function openClosing(app: App): () => Promise<void> {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    // A kept-alive connection is idle only once its last answer is out; idle ones are closed as they come.
    const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    const begun = setTimeout(() => {
      for (const socket of sockets) if (!isAnswering(socket)) socket.destroy();
    }, BEGUN_MS);
    const cut = setTimeout(() => app.server.closeAllConnections(), IN_FLIGHT_MS);
    await app.close();
    clearInterval(idle);
    clearTimeout(begun);
    clearTimeout(cut);
  };
}

/** Returns whether the head of a request has arrived whose answer is not out. Node has no other name for it. */
const isAnswering = (socket: Socket): boolean => Reflect.get(socket, '_httpMessage') != null;
