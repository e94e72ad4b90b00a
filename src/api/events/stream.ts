/**
 * The live feed of events (server-sent events, WHATWG HTML § 9.2). Promise: a client that resumes with `Last-Event-ID`
 * gets every later event once, in commit order. A stream is a cursor in the log: a slow client holds a few events in
 * memory.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventKind } from '../changes/kinds.ts';
import { fail, unavailable } from '../errors.ts';
import { logFields } from '../http/log.ts';
import { type EventRecord, eventText } from './event.ts';
import type { Events } from './store.ts';

const STREAMS_MAX = 100;
const RECORDS_PER_READ = 100;
/** An event can have a megabyte, so few are read at a time. */
const EVENTS_PER_READ = 10;
const POLL_EVERY_MS = 200;
/** Proxies close a connection that is silent for longer. */
const HEARTBEAT_EVERY_MS = 15_000;

export interface Streams {
  /**
   * Responds with the stream until the client leaves, its key is revoked or expires, or the service shuts down. Throws
   * invalid_request for an event that is no longer kept, service_unavailable with too many streams.
   */
  open(request: FastifyRequest, reply: FastifyReply, feed: Feed): Promise<void>;
  /** Counts open streams and the bytes they buffer for slow clients. */
  figures(): { open: number; heldBytes: number };
  close(): Promise<void>;
}

/** The events that a client follows. */
export interface Feed {
  kinds: readonly EventKind[];
  /** The stream resumes after this event, which `param` named; without it, it starts with the next one. */
  resume: { param: string; id: string } | undefined;
}

export function openStreams(events: Events): Streams {
  const open = new Map<ServerResponse, Promise<void>>();
  /** Counts streams from before the first await, so that the bound holds. */
  let taken = 0;
  const closing = new AbortController();

  async function follow(request: FastifyRequest, raw: ServerResponse, kinds: Feed['kinds'], from: number) {
    const ended = AbortSignal.any([whenGone(raw), closing.signal]);
    const write = async (text: string): Promise<void> => {
      if (!raw.write(text)) await once(raw, 'drain', { signal: ended });
    };
    const check = () => request.admit();
    try {
      for await (const text of readFeed({ events, kinds, from, check, ended })) await write(text);
    } catch (error) {
      if (!ended.aborted) request.server.logger.info({ ...logFields(request), err: error }, 'an event stream ended');
    } finally {
      raw.end();
    }
  }

  return {
    async open(request, reply, { kinds, resume }) {
      if (taken >= STREAMS_MAX) throw unavailable('Too many event streams are open; close one or retry later.');
      taken++;
      let from: number;
      try {
        from = resume === undefined ? await events.head() : await findSeq(events, resume);
      } catch (error) {
        taken--;
        throw error;
      }
      reply.hijack();
      const { raw } = reply;
      start(raw, request.id);
      const stream = follow(request, raw, kinds, from).finally(() => {
        taken--;
        open.delete(raw);
      });
      open.set(raw, stream);
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

function start(raw: ServerResponse, requestId: string): void {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'request-id': requestId,
  });
  raw.write('retry: 1000\n\n');
}

/** Returns a signal that aborts when the client leaves, or has left. */
function whenGone(raw: ServerResponse): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  // A client that left earlier emits no second `close`.
  if (raw.destroyed || raw.socket?.destroyed === true) gone.abort();
  return gone.signal;
}

interface Reading {
  events: Events;
  kinds: readonly EventKind[];
  /** The `seq` to start after. */
  from: number;
  /** Throws when the key is no longer valid. */
  /** Throws unless the request's key may still do what it did. */
  check(): Promise<unknown>;
  ended: AbortSignal;
}

/** Yields the text of every later event, and heartbeats, until `ended` aborts. */
async function* readFeed({ events, kinds, from, check, ended }: Reading): AsyncGenerator<string> {
  let cursor = from;
  let silentSince = performance.now();
  while (!ended.aborted) {
    const head = await events.head();
    const records = await events.readAfter(cursor, head, kinds, RECORDS_PER_READ);
    const isHeartbeatDue = records.length === 0 && performance.now() - silentSince >= HEARTBEAT_EVERY_MS;
    if (records.length > 0 || isHeartbeatDue) {
      // A revoked key receives nothing more.
      await check();
      yield* readTexts(events, records, ended);
      if (isHeartbeatDue) yield ': still here\n\n';
      silentSince = performance.now();
    }
    const isFull = records.length === RECORDS_PER_READ;
    cursor = isFull ? (records.at(-1)?.seq ?? head) : head;
    if (!isFull) await pause(POLL_EVERY_MS, ended);
  }
}

async function* readTexts(events: Events, records: readonly EventRecord[], ended: AbortSignal): AsyncGenerator<string> {
  for (let i = 0; i < records.length && !ended.aborted; i += EVENTS_PER_READ) {
    for (const event of await events.load(records.slice(i, i + EVENTS_PER_READ)))
      yield `id: ${event.id}\nevent: ${event.type}\ndata: ${eventText(event)}\n\n`;
  }
}

async function findSeq(events: Events, { param, id }: NonNullable<Feed['resume']>): Promise<number> {
  const record = await events.findRecord(id);
  if (record !== undefined) return record.seq;
  throw fail(
    'invalid_request',
    `There is no event ${JSON.stringify(id.slice(0, 100))} to resume from: events are kept for 30 days. ` +
      `Leave ${param} out, and list missed events with GET /v1/events.`,
    { param },
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
