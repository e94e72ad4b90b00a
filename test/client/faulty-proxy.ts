/** A proxy to the service that fails on demand: answers are lost, never arrive, or belong to another request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault = 'lost' | 'silent' | 'cut' | { status: number; headers?: Record<string, string>; body?: string };

export interface FaultyProxy extends AsyncDisposable {
  url: string;
  /** Faults of the next requests, in order; `undefined`, and requests after the last one, pass through. */
  faults: (Fault | undefined)[];
  /** Every request, in order. */
  asked: {
    method: string;
    path: string;
    key: string | undefined;
    at: number;
    headers: IncomingMessage['headers'];
    body: string;
  }[];
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const asked: FaultyProxy['asked'] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    asked.push({
      method,
      path: url,
      key: headers['idempotency-key'] as string | undefined,
      at: performance.now(),
      headers,
      body: Buffer.concat(chunks).toString(),
    });
    const fault = proxy.faults.shift();
    if (fault === 'silent') return;
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    const { host, connection, 'content-length': length, ...passed } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: passed as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    // The service did the work; the client gets no answer.
    if (fault === 'lost') return void request.socket.destroy();
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-encoding')),
    );
    if (fault === 'cut') {
      response.write(text.slice(0, text.length / 2));
      setImmediate(() => request.socket.destroy());
    } else response.end(text);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: [],
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}
