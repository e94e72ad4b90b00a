/** An endpoint for webhooks that records every request and answers as set. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  event: any;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** Connections that were made to it. */
  connections(): number;
  /** The requests with one kind of event. */
  of(type: string): Received[];
  /** Answers a request; at first with 200 and no body. */
  answer: (received: Received, response: ServerResponse) => void;
  /** Answers with this status. */
  status(code: number, headers?: Record<string, string>, body?: string): void;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server: Server = createServer((request, response) => {
    read(request).then(
      (body) => {
        let event: unknown;
        try {
          event = JSON.parse(body);
        } catch {}
        const { method = '', url: path = '', headers } = request;
        const one = { method, path, headers: headers as Record<string, string>, body, event };
        received.push(one);
        receiver.answer(one, response);
      },
      () => undefined,
    );
  });
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    connections: () => connections,
    of: (type) => received.filter(({ event }) => event?.type === type),
    answer: (_received, response) => void response.end(),
    status(code, headers = {}, body = '') {
      receiver.answer = (_received, response) => void response.writeHead(code, headers).end(body);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return receiver;
}
