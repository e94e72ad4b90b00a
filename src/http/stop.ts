/** Ends a server so that no client loses an answer: first they are sent elsewhere, then what is under way is finished. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from './server.ts';

const IDLE_CHECK_MS = 50;

/** Answers what still comes, and asks clients to make a new connection, which leads elsewhere. */
export async function letGo(app: App, forMs: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const onRequest = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('connection', 'close');
  };
  app.server.prependListener('request', onRequest);
  setTimeout(resolve, forMs);
  await over;
}

/** Settles when the last answer is out. */
export async function closeServer(app: App): Promise<void> {
  // A connection that a client keeps open is idle only once its last answer is out: those are let go as they come.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  await app.close();
  clearInterval(idle);
}
