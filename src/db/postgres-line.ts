/**
 * A connection to PostgreSQL apart from the pool, for what must not wait behind requests: hearing of changes, leases. It
 * listens to a channel, answers within a bound or not at all, and is made anew by the next question after it broke.
 */
import type { Client } from 'pg';
import { type Row, type Step, Unavailable } from './db.ts';
import { connectionOptions, streamOf, WriterClient } from './postgres-connection.ts';
import { toDbError } from './postgres-errors.ts';
import { pipeline } from './postgres-pipeline.ts';

/**
 * A server that says nothing for this long is gone, or the way there is. Counted in looks, of which none is made while the
 * process stands still or is busy, and what has arrived by then is read before the next one.
 */
const SILENT_LOOKS = 8;
const LOOK_EVERY_MS = 250;

export interface PostgresLine {
  /** Rows of each step, all in one transaction and one round trip. Throws Unavailable. */
  all(steps: readonly Step[]): Promise<Row[][]>;
  close(): Promise<void>;
}

export interface LineOptions {
  url: string;
  channel: string;
  /** Something was said on the channel. */
  onNotice(): void;
  /** The server said nothing for two seconds, as when its machine is gone: no other connection to it can be trusted. */
  onSilence(): void;
}

export function openPostgresLine({ url, channel, onNotice, onSilence }: LineOptions): PostgresLine {
  let current: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  function connect(): Connection {
    // How long that may take is for the looks to say: there are several answers to wait for.
    const client = new WriterClient({ ...connectionOptions(url), connectionTimeoutMillis: 0 });
    const open = async (): Promise<void> => {
      await client.connect();
      await pipeline(client, [{ sql: `listen ${channel}` }]);
      // What was said before is not said again.
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

  async function ask(steps: readonly Step[]): Promise<Row[][]> {
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
    all(steps) {
      const answer = last.then(() => ask(steps));
      last = answer.catch(() => {});
      return answer;
    },
    async close() {
      closed = true;
      await last;
      const { client, open } = current ?? {};
      await open?.then(() => client?.end()).catch(() => {});
    },
  };
}

interface Connection {
  client: Client;
  /** Settles when it listens. */
  open: Promise<void>;
}

class Silence extends Unavailable {}

/** Rejects when nothing at all has come from the server for SILENT_LOOKS. */
function watchFor(client: Client): { silence: Promise<never>; end(): void } {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  let heard = 0;
  let looks = 0;
  const timer = setInterval(() => {
    const { bytesRead } = streamOf(client);
    looks = bytesRead === heard ? looks + 1 : 0;
    heard = bytesRead;
    if (looks >= SILENT_LOOKS) reject(new Silence('the database did not answer in time'));
  }, LOOK_EVERY_MS);
  return { silence, end: () => clearInterval(timer) };
}
