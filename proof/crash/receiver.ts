/** Endpoints of webhooks in the test's own process, good and bad ones, and the ledger of what came to each. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A complete, correctly signed request. */
export interface Arrival {
  eventId: string;
  body: string;
  /** Epoch ms. */
  at: number;
  /** The answer is out, or the connection gone. */
  over: boolean;
}

/** Answers, late or never. `attempt` counts the requests for this event at this endpoint, from 1. */
export type Behaviour = (response: ServerResponse, attempt: number, eventId: string) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end('ok');

export const hang: Behaviour = () => {};
export const reset: Behaviour = (response) => void response.destroy();
export const streamForever: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('more '), 50);
  response.once('close', () => clearInterval(timer));
};

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  url(name: string): string;
  /** From now on `/name` behaves so. */
  behave(name: string, behaviour: Behaviour): void;
  /** Without it, requests to `/name` are not verified. */
  trust(name: string, secret: string): void;
  /** Requests to `/name`, in the order in which they came. */
  arrivals(name: string): readonly Arrival[];
  /** Events that `/name` was sent and answered 2xx. */
  taken(name: string): ReadonlySet<string>;
  /** The body of every event, the same wherever and however often it came. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Faults: a wrong signature, another body under the same id, an unknown path. */
  readonly faults: readonly string[];
}

export async function openReceiver(): Promise<Receiver> {
  const behaviours = new Map<string, Behaviour>();
  const secrets = new Map<string, Webhook>();
  const arrivals = new Map<string, Arrival[]>();
  const taken = new Map<string, Set<string>>();
  const attempts = new Map<string, number>();
  const bodies = new Map<string, string>();
  const faults: string[] = [];

  function receive(name: string, request: IncomingMessage, response: ServerResponse, body: string): void {
    const eventId = String(request.headers['webhook-id']);
    const behaviour = behaviours.get(name);
    if (behaviour === undefined || request.method !== 'POST') {
      faults.push(`${request.method} ${request.url}`);
      return void response.writeHead(404).end();
    }
    try {
      secrets.get(name)?.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      faults.push(`${name} ${eventId}: ${String(error)}`);
    }
    const before = bodies.get(eventId);
    if (before !== undefined && before !== body) faults.push(`${name} ${eventId}: two bodies\n${before}\n${body}`);
    bodies.set(eventId, body);
    const list = arrivals.get(name) ?? [];
    arrivals.set(name, list);
    const arrival = { eventId, body, at: Date.now(), over: false };
    list.push(arrival);
    response.once('close', () => {
      arrival.over = true;
    });
    const attempt = (attempts.get(`${name} ${eventId}`) ?? 0) + 1;
    attempts.set(`${name} ${eventId}`, attempt);
    const done = taken.get(name) ?? new Set();
    taken.set(name, done);
    response.once('finish', () => {
      if (response.statusCode < 300) done.add(eventId);
    });
    behaviour(response, attempt, eventId);
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => receive(request.url?.slice(1) ?? '', request, response, Buffer.concat(parts).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    behave: (name, behaviour) => void behaviours.set(name, behaviour),
    trust: (name, secret) => void secrets.set(name, new Webhook(secret)),
    arrivals: (name) => arrivals.get(name) ?? [],
    taken: (name) => taken.get(name) ?? new Set(),
    bodies,
    faults,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Ask = (method: string, path: string, options: { body: unknown }) => Promise<{ status: number; body: any }>;

/** Creates the webhook for `/name`; returns its id. */
export async function subscribe(receiver: Receiver, ask: Ask, name: string, events: string[]): Promise<string> {
  const reply = await ask('POST', '/v1/webhooks', { body: { url: receiver.url(name), events } });
  assert.equal(reply.status, 201);
  const { id, secret } = reply.body as { id: string; secret: string };
  receiver.trust(name, secret);
  return id;
}
