/** A site of this machine that serves what a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LiveSite extends AsyncDisposable {
  host: string;
  /** Bodies by path; a number is a status, a function answers by itself. */
  files: Map<string, string | number | ((request: IncomingMessage, response: ServerResponse) => void)>;
  /** Paths that were asked for. */
  asked: string[];
}

export async function startSite(): Promise<LiveSite> {
  const files: LiveSite['files'] = new Map();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const file = files.get(request.url ?? '') ?? 404;
    if (typeof file === 'function') file(request, response);
    else if (typeof file === 'number') response.writeHead(file).end();
    else response.end(file);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
