/** What PostgreSQL, or the way to it, answers besides success, as the seam has it: told by codes, never by text. */
import { DatabaseError } from 'pg';
import { type DbErrorName, dbError, Unavailable } from './db.ts';

/** What was worked out in between does not hold any more. */
export class BeginAnew extends Error {}

/** There was no connection to begin on. */
export class NotBegun extends Unavailable {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
  }
}

/** SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html); undefined for what the server did not say. */
const codeOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Nothing was written, and the same again may succeed: serialization_failure, deadlock_detected, lock_not_available. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof BeginAnew || ['40001', '40P01', '55P03'].includes(codeOf(error) ?? '');

/**
 * The connection is of no more use: it broke, or the server ended it (admin_shutdown and its kin,
 * idle_in_transaction_session_timeout), or the server is no longer the one that writes (read_only_sql_transaction).
 */
export const isBroken = (error: unknown): boolean =>
  !(error instanceof BeginAnew) && /^(08|57P|25P03|25006)/.test(codeOf(error) ?? '08');

function nameOf(code: string): DbErrorName | undefined {
  if (code === '23505') return 'UniqueViolation';
  if (code === '23503') return 'ForeignKeyViolation';
  // division_by_zero: see the pipeline on expectations.
  if (code === '22012') return 'Conflict';
  if (code === '53100') return 'StorageFull';
  // Connection, authorization, resources, locks and timeouts, shutdown, read-only server, system errors, damage.
  if (/^(08|28|40|53|55P03|57|25P03|25006|3D000|58|XX001|XX002)/.test(code)) return 'Unavailable';
  return undefined;
}

/**
 * As the seam has it. What is neither the server's nor the connection's is a fault of our own and stays as it is. A write
 * whose connection broke is in doubt: the commit may have been under way.
 */
export function toDbError(error: unknown, writing: boolean): unknown {
  if (!(error instanceof Error) || error instanceof NotBegun) return error;
  if (error instanceof BeginAnew) return new Unavailable('the transaction had to be begun anew too often');
  if (isRetryable(error)) return new Unavailable(error.message, { busy: true });
  const inDoubt = writing && isBroken(error);
  if (error instanceof DatabaseError) {
    const name = nameOf(error.code ?? '');
    if (name === undefined) return error;
    return dbError(inDoubt && name === 'Unavailable' ? 'InDoubt' : name, error.message);
  }
  if (error instanceof Unavailable) return new Unavailable(error.message, { cause: error.cause, inDoubt });
  // A socket's error is an Error and nothing more special; a TypeError would be ours.
  return error.constructor === Error ? new Unavailable(error.message, { cause: error, inDoubt }) : error;
}
