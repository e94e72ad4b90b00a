/**
 * Connections to PostgreSQL: bounds on everything they wait for, only to a server that writes, and none used again that may
 * lead to one that is gone.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { Unavailable } from './db.ts';
import { isBroken, NotBegun } from './postgres-errors.ts';

const CONNECT_WITHIN_MS = 2_000;
/** The server gives up first, so that a connection is lost only when the server does not answer at all. */
const STATEMENT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
const LOCK_WITHIN_MS = 5_000;
/** A node that is stopped between the two halves of an exchange holds limits that all nodes wait for. */
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
 * A connection that ends at once where the server only follows another one: what such a server shows may be behind what was
 * acknowledged, and what was read from it would be remembered. A server says so itself while the connection is made.
 */
export class WriterClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      streamOf(this).destroy(new Error('this database only follows another one'));
    });
  }
}

/** Another one once the connection is encrypted. To be destroyed without a farewell: there may be nobody to hear it. */
export const streamOf = (client: Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** One that broke, or did not answer in time, is not used again. */
export async function onConnection<T>(
  pool: Pool,
  trusted: Trust,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connectionOf(pool, trusted);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable('the database did not answer in time')), ANSWER_WITHIN_MS);
  trusted.underWay.add(reject);
  try {
    const value = await Promise.race([work(client), late]);
    client.release();
    return value;
  } catch (error) {
    client.release(isBroken(error));
    throw error;
  } finally {
    clearTimeout(timer);
    trusted.underWay.delete(reject);
  }
}

async function connectionOf(pool: Pool, trusted: Trust): Promise<PoolClient> {
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

/** Connections made since the server was last found silent. */
export interface Trust {
  has(client: PoolClient): boolean;
  /** What ends work that is under way. */
  underWay: Set<(error: Error) => void>;
  /** No connection there is now is used again. */
  end(): void;
}

export function openTrust(pool: Pool): Trust {
  let made = new WeakSet<PoolClient>();
  const underWay = new Set<(error: Error) => void>();
  pool.on('connect', (client) => void made.add(client));
  return {
    has: (client) => made.has(client),
    underWay,
    end() {
      made = new WeakSet();
      for (const reject of underWay) reject(new Unavailable('the database did not answer in time'));
    },
  };
}
