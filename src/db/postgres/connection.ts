/**
 * Connections to PostgreSQL. Every wait has a timeout, only writable servers are accepted, and a connection that may
 * lead to a dead server is never reused.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { Unavailable } from '../db.ts';
import { isBroken, NotBegun } from './errors.ts';

const CONNECT_WITHIN_MS = 2_000;
/** The server times out first, so a connection is lost only when the server does not answer at all. */
const STATEMENT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
const LOCK_WITHIN_MS = 5_000;
/** A node paused between the two halves of an exchange holds limits that all nodes wait for. */
const IDLE_IN_TRANSACTION_MS = 2_000;

export const connectionOptions = (url: string) => ({
  connectionString: url,
  application_name: 'postern',
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  statement_timeout: STATEMENT_WITHIN_MS,
  lock_timeout: LOCK_WITHIN_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
});

/**
 * A connection that closes when the server is a standby: its data may lag behind what was acknowledged, and would be
 * cached. The server reports this while the connection is made.
 */
export class WriterClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      streamOf(this).destroy(new Error('the database is a read-only standby'));
    });
  }
}

/** The stream, which TLS replaces. Destroy it without a farewell, which a dead server would never read. */
export const streamOf = (client: Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Runs `work` on a connection of the pool. A connection that broke or timed out is not reused. */
export async function onConnection<T>(
  pool: Pool,
  trusted: Trust,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connectTo(pool, trusted);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable('the database did not answer in time')), ANSWER_WITHIN_MS);
  trusted.inFlight.add(reject);
  try {
    const value = await Promise.race([work(client), late]);
    client.release();
    return value;
  } catch (error) {
    client.release(isBroken(error));
    throw error;
  } finally {
    clearTimeout(timer);
    trusted.inFlight.delete(reject);
  }
}

async function connectTo(pool: Pool, trusted: Trust): Promise<PoolClient> {
  for (;;) {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (cause) {
      throw new NotBegun(cause);
    }
    if (trusted.has(client)) return client;
    client.release(true);
  }
}

/** The connections made since the server was last found unresponsive. */
export interface Trust {
  has(client: PoolClient): boolean;
  /** Ends the work in flight. */
  inFlight: Set<(error: Error) => void>;
  /** Retires all current connections. */
  end(): void;
}

export function openTrust(pool: Pool): Trust {
  let made = new WeakSet<PoolClient>();
  const inFlight = new Set<(error: Error) => void>();
  pool.on('connect', (client) => void made.add(client));
  return {
    has: (client) => made.has(client),
    inFlight,
    end() {
      made = new WeakSet();
      for (const reject of inFlight) reject(new Unavailable('the database did not answer in time'));
    },
  };
}
