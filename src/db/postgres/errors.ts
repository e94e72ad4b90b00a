/** Maps errors of PostgreSQL and of the connection to it, by code and never by text. */
import { DatabaseError } from 'pg';
import { type DbErrorName, dbError, Unavailable } from '../db.ts';

/** No connection could be made. */
export class NotBegun extends Unavailable {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
  }
}

/** SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html); undefined for errors that are not the server's. */
const findSqlState = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Nothing was written, and a retry may succeed: serialization_failure, deadlock_detected, lock_not_available. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01', '55P03'].includes(findSqlState(error) ?? '');

/**
 * The connection is unusable: it broke, the server ended it (admin_shutdown and its kin,
 * idle_in_transaction_session_timeout), or the server has become read-only (read_only_sql_transaction).
 */
export const isBroken = (error: unknown): boolean => /^(08|57P|25P03|25006)/.test(findSqlState(error) ?? '08');

function toErrorName(code: string): DbErrorName | undefined {
  if (code === '23505') return 'UniqueViolation';
  if (code === '23503') return 'ForeignKeyViolation';
  // division_by_zero: how the pipeline checks expectations.
  if (code === '22012') return 'Conflict';
  if (code === '53100') return 'StorageFull';
  // Connection, authorization, resources, locks and timeouts, shutdown, read-only server, system errors, damage.
  if (/^(08|28|40|53|55P03|57|25P03|25006|3D000|58|XX001|XX002)/.test(code)) return 'Unavailable';
  return undefined;
}

/**
 * Converts an error of the server or the connection. Any other error is a bug and is returned unchanged. A write whose
 * connection broke is in doubt: the commit may have been in flight.
 */
export function toDbError(error: unknown, writing: boolean): unknown {
  if (!(error instanceof Error) || error instanceof NotBegun) return error;
  if (isRetryable(error)) return new Unavailable(error.message, { busy: true });
  const inDoubt = writing && isBroken(error);
  if (error instanceof DatabaseError) {
    const name = toErrorName(error.code ?? '');
    if (name === undefined) return error;
    return dbError(inDoubt && name === 'Unavailable' ? 'InDoubt' : name, error.message);
  }
  if (error instanceof Unavailable) return new Unavailable(error.message, { cause: error.cause, inDoubt });
  // A socket's error is a plain Error; a TypeError would be a bug.
  return error.constructor === Error ? new Unavailable(error.message, { cause: error, inDoubt }) : error;
}
