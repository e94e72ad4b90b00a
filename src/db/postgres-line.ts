/**
 * A connection to PostgreSQL apart from the pool, for what must not wait behind requests: hearing of changes, leases. It
 * listens to a channel, answers within a bound or not at all, and is made anew by the next question after it broke.
 */
import { Client } from 'pg';
import { type Row, type Step, Unavailable } from './db.ts';
import { connectionOptions, toDbError } from './postgres.ts';
import { pipeline } from './postgres-pipeline.ts';

/** Longer than this nobody waits for an answer: the server, or the way there, is gone. */
const ANSWER_WITHIN_MS = 2_000;
/** A process that was stopped meanwhile finds its timers run out before the answers it was sent. */
const GRACE_MS = 200;

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
  /** The server did not answer in time, as when its machine is gone: no other connection to it can be trusted. */
  onSilence(): void;
}

export function openPostgresLine({ url, channel, onNotice, onSilence }: LineOptions): PostgresLine {
  let current: Promise<Client> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function connect(): Promise<Client> {
    const client = new Client({ ...connectionOptions(url), connectionTimeoutMillis: ANSWER_WITHIN_MS });
    const forget = (): void => {
      if (current === made) current = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', onNotice);
    const made = current;
    await client.connect();
    await pipeline(client, [{ sql: `listen ${channel}` }]);
    // What was said before is not said again.
    onNotice();
    return client;
  }

  async function ask(steps: readonly Step[]): Promise<Row[][]> {
    if (closed) throw new Unavailable('the store is closed');
    // In a turn of its own, so that `connect` finds itself in `current`.
    current ??= Promise.resolve().then(connect);
    const used = current;
    const { promise: silence, reject } = Promise.withResolvers<never>();
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(new Silence('the database did not answer in time')), GRACE_MS);
    }, ANSWER_WITHIN_MS);
    try {
      return await Promise.race([used.then((client) => pipeline(client, steps)), silence]);
    } catch (error) {
      if (current === used) current = undefined;
      used.then(cut).catch(() => {});
      if (error instanceof Silence) onSilence();
      throw toDbError(error, true);
    } finally {
      clearTimeout(timer);
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
      await current?.then((client) => client.end()).catch(() => {});
    },
  };
}

class Silence extends Unavailable {}

/** Without a farewell: there may be nobody to hear it. */
const cut = (client: Client): void => {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
};
