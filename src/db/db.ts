/**
 * The seam to the records. Promise: `atomic` is all or nothing and answered only when it is on disk; a read that starts
 * after it was answered sees it. Transactions are values, so nobody else's statement can slip into one. SQL text is one
 * for all engines: placeholders `$1`, columns text / bigint / smallint / double precision, times in epoch milliseconds.
 * Text is without NUL and in the order of its bytes; numbers are safe integers or doubles.
 */
export type Value = string | number | null;
export type Row = Record<string, Value>;

/** One statement of a transaction. With `expect`, the whole transaction is a Conflict unless it changed so many rows. */
export interface Step {
  sql: string;
  params?: readonly Value[];
  expect?: number;
}

export interface Db {
  readonly engine: 'sqlite' | 'postgres';
  /** Rows of one statement, in a snapshot of its own. Throws Unavailable. */
  read<R extends Row = Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  /** Runs the steps as one durable transaction. Throws UniqueViolation, ForeignKeyViolation, Conflict, Unavailable. */
  atomic(steps: readonly Step[]): Promise<void>;
  /** Finishes what was asked, then lets go of the store. */
  close(): Promise<void>;
}

/** What an engine can answer besides success, told apart by its error code, never by its text. */
export class DbError extends Error {}
export class UniqueViolation extends DbError {}
export class ForeignKeyViolation extends DbError {}
/** An expectation did not hold: someone else's edit came first. Read again and decide anew. */
export class Conflict extends DbError {}
/**
 * The store cannot do it now; nothing was written. `full` when there is no space left. `inDoubt` when it failed while it was
 * being committed: it does not stand, but if the service ends before a later commit succeeds, it may be found done. `busy`
 * when others held what it needed, again and again.
 */
export class Unavailable extends DbError {
  readonly full: boolean;
  readonly inDoubt: boolean;
  readonly busy: boolean;
  constructor(message: string, options: { cause?: unknown; full?: boolean; inDoubt?: boolean; busy?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.full = options.full ?? false;
    this.inDoubt = options.inDoubt ?? false;
    this.busy = options.busy ?? false;
  }
}

export type DbErrorName =
  | 'UniqueViolation'
  | 'ForeignKeyViolation'
  | 'Conflict'
  | 'Unavailable'
  | 'InDoubt'
  | 'StorageFull';

/** An error class by its name: how errors cross from a worker thread. */
export function dbError(name: DbErrorName, message: string): DbError {
  if (name === 'UniqueViolation') return new UniqueViolation(message);
  if (name === 'ForeignKeyViolation') return new ForeignKeyViolation(message);
  if (name === 'Conflict') return new Conflict(message);
  return new Unavailable(message, { full: name === 'StorageFull', inDoubt: name === 'InDoubt' });
}
