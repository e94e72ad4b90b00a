/** Stops a server without losing an answer: clients are sent elsewhere, then requests in flight finish. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from './app.ts';

const IDLE_CHECK_MS = 50;

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

/** Resolves when the last answer is sent. */
export async function closeServer(app: App): Promise<void> {
  // A kept-alive connection is idle only once its last answer is out; idle ones are closed as they come.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  await app.close();
  clearInterval(idle);
}
