/**
 * Events as they happen (server-sent events, WHATWG HTML § 9.2). Promise: a client that comes back with `Last-Event-ID`
 * gets every later event once, in the order of the commits. A stream is a place in the log of events: a slow client holds
 * nothing in memory but its place and the few events that are on their way to it.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventKind } from '../changes/kinds.ts';
import { fail, unavailable } from '../errors.ts';
import { stringifyOrdered } from '../lib/json.ts';
import type { Events } from './store.ts';

const STREAMS_MAX = 100;
const PLACES_AT_ONCE = 100;
/** An event can have a megabyte: not all that are found are read at once. */
const EVENTS_AT_ONCE = 10;
const LOOK_EVERY_MS = 200;
/** Before proxies give a silent connection up. */
const SIGN_OF_LIFE_MS = 15_000;

export interface Streams {
  /**
   * Answers with the stream until the client leaves, its key ends or the service does. Throws invalid_request for a last
   * event that is not known any more, service_unavailable when there are too many streams.
   */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: { kinds: readonly EventKind[]; lastEventId: string | undefined },
  ): Promise<void>;
  /** Streams that are open, and what they hold for clients that read slower than events come. */
  figures(): { open: number; heldBytes: number };
  close(): Promise<void>;
}

export interface StreamsDeps {
  events: Events;
  /** Throws when the request's key may not (any more) do what it did. */
  reauthorize(request: FastifyRequest): Promise<void>;
}

export function openStreams({ events, reauthorize }: StreamsDeps): Streams {
  const open = new Map<ServerResponse, Promise<void>>();
  /** Taken before anything is waited for. */
  let taken = 0;
  const closing = new AbortController();

  async function follow(
    request: FastifyRequest,
    reply: FastifyReply,
    kinds: readonly EventKind[],
    from: number,
  ): Promise<void> {
    const { raw } = reply;
    const gone = new AbortController();
    raw.once('close', () => gone.abort());
    // A client that left before: its end is not told again.
    if (raw.destroyed || raw.socket?.destroyed === true) gone.abort();
    const ended = AbortSignal.any([gone.signal, closing.signal]);
    const write = async (text: string): Promise<void> => {
      if (!raw.write(text)) await once(raw, 'drain', { signal: ended });
    };
    let place = from;
    let silentSince = Date.now();
    try {
      while (!ended.aborted) {
        const head = await events.head();
        const places = await events.placesAfter(place, head, kinds, PLACES_AT_ONCE);
        // A key that was revoked sees nothing more.
        if (places.length > 0 || Date.now() - silentSince >= SIGN_OF_LIFE_MS) await reauthorize(request);
        for (let i = 0; i < places.length && !ended.aborted; i += EVENTS_AT_ONCE) {
          for (const event of await events.load(places.slice(i, i + EVENTS_AT_ONCE))) {
            await write(`id: ${event.id}\nevent: ${event.type}\ndata: ${stringifyOrdered(event)}\n\n`);
          }
        }
        place = places.length === PLACES_AT_ONCE ? (places.at(-1)?.seq ?? head) : head;
        if (places.length > 0) silentSince = Date.now();
        else if (Date.now() - silentSince >= SIGN_OF_LIFE_MS) {
          await write(': still here\n\n');
          silentSince = Date.now();
        }
        if (places.length < PLACES_AT_ONCE) await pause(LOOK_EVERY_MS, ended);
      }
    } catch (error) {
      if (!ended.aborted) request.log.info({ err: error, requestId: request.id }, 'an event stream ended');
    } finally {
      raw.end();
    }
  }

  return {
    async open(request, reply, { kinds, lastEventId }) {
      if (taken >= STREAMS_MAX) throw unavailable('Too many event streams are open; close one or try again later.');
      taken++;
      let from: number;
      try {
        from = lastEventId === undefined ? await events.head() : await placeOf(events, lastEventId);
      } catch (error) {
        taken--;
        throw error;
      }
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'request-id': request.id,
      });
      reply.raw.write('retry: 1000\n\n');
      const stream = follow(request, reply, kinds, from).finally(() => {
        taken--;
        open.delete(reply.raw);
      });
      open.set(reply.raw, stream);
    },
    figures: () => ({
      open: open.size,
      heldBytes: [...open.keys()].reduce((sum, raw) => sum + raw.writableLength, 0),
    }),
    async close() {
      closing.abort();
      await Promise.all(open.values());
    },
  };
}

async function placeOf(events: Events, id: string): Promise<number> {
  const place = await events.findPlace(id);
  if (place !== undefined) return place.seq;
  throw fail(
    'invalid_request',
    `There is no event ${JSON.stringify(id.slice(0, 100))} to go on from: events are kept for 30 days. Leave Last-Event-ID out, and list what happened meanwhile with GET /v1/events.`,
    { param: 'Last-Event-ID' },
  );
}

const pause = (ms: number, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (ended.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      ended.removeEventListener('abort', done);
      resolve();
    }
    ended.addEventListener('abort', done, { once: true });
  });
