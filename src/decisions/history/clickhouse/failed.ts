/**
 * Says in a sentence why ClickHouse cannot be used, and what to do. Promise: neither the user nor the password nor what
 * a query asked for is in it: the server's own messages quote them.
 */
export class ClickHouseFailed extends Error {
  /** The server's name of the error; undefined: it did not answer. */
  readonly type: string | undefined;

  constructor(message: string, type: string | undefined) {
    super(message);
    this.type = type;
  }
}

const GRANT = 'does not let its user do what the columns need; grant it all on this database, see POSTERN_COLUMNS';
const PASSWORD = 'refuses the user or the password; see POSTERN_COLUMNS and POSTERN_COLUMNS_PASSWORD';
const LIMITS = 'raise its limits, or ask for a shorter time';

const BEHIND = 'has a replica that lacks what was written; see whether it catches up';
const QUORUM = 'could not write to enough replicas; see whether all run';

/** By the server's names of its errors. */
const SENTENCES: Record<string, string> = {
  AUTHENTICATION_FAILED: PASSWORD,
  REQUIRED_PASSWORD: PASSWORD,
  WRONG_PASSWORD: PASSWORD,
  UNKNOWN_USER: PASSWORD,
  ACCESS_DENIED: GRANT,
  READONLY: GRANT,
  DATABASE_ACCESS_DENIED: GRANT,
  UNKNOWN_DATABASE: 'does not exist; create the database, or see POSTERN_COLUMNS',
  NOT_ENOUGH_SPACE: 'has no space left on its disk; free some',
  TABLE_IS_READ_ONLY: 'takes no writes now; look at its log',
  TOO_MANY_PARTS: 'cannot merge as fast as it is written to; look at its log and its disk',
  MEMORY_LIMIT_EXCEEDED: `has too little memory for a question; ${LIMITS}`,
  FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: BEHIND,
  REPLICA_IS_NOT_IN_QUORUM: BEHIND,
  UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: QUORUM,
  TOO_FEW_LIVE_REPLICAS: QUORUM,
  UNKNOWN_STATUS_OF_INSERT: QUORUM,
  ALL_CONNECTION_TRIES_FAILED: 'cannot reach another server of its cluster; see whether all run',
  KEEPER_EXCEPTION: 'cannot reach its Keeper; see whether it runs',
  NO_ZOOKEEPER: 'has no Keeper in its settings; see POSTERN_COLUMNS_CLUSTER',
  CLUSTER_DOESNT_EXIST: 'has no cluster of that name; see POSTERN_COLUMNS_CLUSTER',
  TIMEOUT_EXCEEDED: `took too long to answer a question; ${LIMITS}`,
  TOO_SLOW: `took too long to answer a question; ${LIMITS}`,
};

function toSentence(error: Error & { code?: string; type?: string }): string {
  const { code, type, message } = error;
  if (type !== undefined) return SENTENCES[type] ?? `refused a query: ${type}, error ${code}; look at its log`;
  if (code !== undefined) return `does not answer (${code}); see whether it runs, and POSTERN_COLUMNS`;
  if (message.startsWith('Timeout error')) return 'did not answer in time; look at its log and its load';
  if (/hang up|aborted|terminated/.test(message)) return 'ended the connection; see whether it runs';
  return 'answered what ClickHouse does not; see POSTERN_COLUMNS';
}

/** `place`: host and database. */
export function toFailed(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof ClickHouseFailed) return error;
  return new ClickHouseFailed(`ClickHouse at ${place} ${toSentence(error)}`, (error as { type?: string }).type);
}
