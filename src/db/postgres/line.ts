/**
 * A connection to PostgreSQL outside the pool, for work that must not wait behind requests: change notifications,
 * leases. It listens on a channel, answers within a bound or fails, and reconnects on the next query after it broke.
 */
import type { Client } from 'pg';
import { serial } from '../../lib/queue.ts';
import { type Row, type Step, Unavailable } from '../db.ts';
import { connectionOptions, streamOf, WriterClient } from './connection.ts';
import { toDbError } from './errors.ts';
import { pipeline } from './pipeline.ts';

/**
 * A server that sends nothing for this many checks is considered dead. Checks are counted instead of time: none is made
 * while the process is suspended or busy, and data that arrived meanwhile is read before the next one.
 */
const SILENT_CHECKS = 8;
const CHECK_EVERY_MS = 250;

export interface PostgresLine {
  /** Returns the rows of each step, in one transaction and one round trip. Throws Unavailable. */
  all(steps: readonly Step[]): Promise<Row[][]>;
  close(): Promise<void>;
}

export interface LineOptions {
  url: string;
  channel: string;
  /** A notification has arrived on the channel. */
  onNotice(): void;
  /** The server was silent for two seconds, as when its machine died: no other connection to it can be trusted. */
  onSilence(): void;
}

export function openPostgresLine({ url, channel, onNotice, onSilence }: LineOptions): PostgresLine {
  let current: Connection | undefined;
  const queue = serial();
  let closed = false;

  function connect(): Connection {
    // The checks below bound the time: connecting waits for several answers.
    const client = new WriterClient({ ...connectionOptions(url), connectionTimeoutMillis: 0 });
    const open = async (): Promise<void> => {
      await client.connect();
      await pipeline(client, [{ sql: `listen ${channel}` }]);
      // Notifications sent before this are lost.
      onNotice();
    };
    const made = { client, open: open() };
    const forget = (): void => {
      if (current === made) current = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', onNotice);
    return made;
  }

  async function query(steps: readonly Step[]): Promise<Row[][]> {
    if (closed) throw new Unavailable('the store is closed');
    current ??= connect();
    const used = current;
    const watch = watchFor(used.client);
    try {
      return await Promise.race([used.open.then(() => pipeline(used.client, steps)), watch.silence]);
    } catch (error) {
      if (current === used) current = undefined;
      streamOf(used.client).destroy();
      if (error instanceof Silence) onSilence();
      throw toDbError(error, true);
    } finally {
      watch.end();
    }
  }

  return {
    all: (steps) => queue.run(() => query(steps)),
    async close() {
      closed = true;
      await queue.idle();
      const { client, open } = current ?? {};
      await open?.then(() => client?.end()).catch(() => {});
    },
  };
}

interface Connection {
  client: Client;
  /** Settles once the channel is open. */
  open: Promise<void>;
}

class Silence extends Unavailable {}

/** Rejects when the server has sent nothing for SILENT_CHECKS. */
function watchFor(client: Client): { silence: Promise<never>; end(): void } {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  let received = 0;
  let checks = 0;
  const timer = setInterval(() => {
    const { bytesRead } = streamOf(client);
    checks = bytesRead === received ? checks + 1 : 0;
    received = bytesRead;
    if (checks >= SILENT_CHECKS) reject(new Silence('the database did not answer in time'));
  }, CHECK_EVERY_MS);
  return { silence, end: () => clearInterval(timer) };
}
