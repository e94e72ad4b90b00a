/** The receivers' process: listens, counts, and says how long each event was on its way. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kind, Order, Received } from './receivers.ts';

let delays: number[] = [];
let first = 0;
let last = 0;

process.on('message', async (order: Order) => {
  if (order === 'report') return void process.send?.(report());
  if (order === 'reset') {
    delays = [];
    first = 0;
    return void process.send?.('done');
  }
  process.send?.(await Promise.all(order.kinds.map(listen)));
});
process.on('disconnect', () => process.exit(0));

function report(): Received {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), tookMs: last - first };
}

async function listen(kind: Kind): Promise<number> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => receive(kind, request, response, body));
    response.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (kind === 'dead') await new Promise((resolve) => server.close(resolve));
  return port;
}

const CREATED = /"created":"([^"]+)"/;

function receive(kind: Kind, request: IncomingMessage, response: ServerResponse, body: string): void {
  if (kind === 'hanging') return;
  if (kind === 'streaming') {
    const timer = setInterval(() => response.write('more '), 50);
    response.once('close', () => clearInterval(timer));
    return;
  }
  response.writeHead(204).end();
  if (request.headers['webhook-id'] === undefined) return;
  last = performance.now();
  if (delays.length === 0) first = last;
  delays.push(Date.now() - Date.parse(CREATED.exec(body)?.[1] ?? ''));
}
