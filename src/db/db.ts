/**
 * The seam to the records. Promise: `atomic` is all or nothing and returns only when it is on disk; a read that starts
 * afterwards sees it. Transactions are values, so no other statement can slip into one. All engines take the same SQL:
 * placeholders `$1`, columns text / bigint / smallint / double precision, times in epoch milliseconds. Text has no NUL
 * and sorts by bytes; numbers are safe integers or doubles.
 */
export type Value = string | number | null;
export type Row = Record<string, Value>;

/** A statement of a transaction. With `expect`, the transaction is a Conflict unless so many rows changed. */
export interface Step {
  sql: string;
  params?: readonly Value[];
  expect?: number;
}

export interface Db {
  readonly engine: 'sqlite' | 'postgres';
  /** Returns the rows of one statement, in a snapshot of its own. Throws Unavailable. */
  read<R extends Row = Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  /** Runs the steps as one durable transaction. Throws UniqueViolation, ForeignKeyViolation, Conflict, Unavailable. */
  atomic(steps: readonly Step[]): Promise<void>;
  /**
   * Does what `atomic` does, for work that is done again if it is lost: it returns before it is on disk, so no check
   * waits for the disk. It is on disk once a later `atomic` or flush has returned; until then a power cut undoes it,
   * whole.
   */
  atomicLater(steps: readonly Step[]): Promise<void>;
  /** Finishes all requests, then closes the store. */
  close(): Promise<void>;
}

/** The part of the records that migrations use. */
export type Tables = Pick<Db, 'engine' | 'read' | 'atomic'>;
/** SQL in both dialects, or for one engine alone. */
export type Migration = readonly (string | { postgres: string })[];

/** An error of an engine, distinguished by its code, never by its text. */
export class DbError extends Error {}
export class UniqueViolation extends DbError {}
export class ForeignKeyViolation extends DbError {}
/** An expectation failed: another edit came first. Read again and plan again. */
export class Conflict extends DbError {}
/**
 * The store cannot do it now, and nothing was written. `full`: no space is left. `inDoubt`: it failed during the commit
 * and was rolled back; if the service ends before its next successful commit, it may turn out applied. `busy`: locks of
 * others prevented it repeatedly. `says`: what the caller reads, instead of a sentence for all of them.
 */
export class Unavailable extends DbError {
  readonly full: boolean;
  readonly inDoubt: boolean;
  readonly busy: boolean;
  readonly says: string | undefined;
  constructor(
    message: string,
    options: { cause?: unknown; full?: boolean; inDoubt?: boolean; busy?: boolean; says?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.full = options.full ?? false;
    this.inDoubt = options.inDoubt ?? false;
    this.busy = options.busy ?? false;
    this.says = options.says;
  }
}

export type DbErrorName =
  | 'UniqueViolation'
  | 'ForeignKeyViolation'
  | 'Conflict'
  | 'Unavailable'
  | 'InDoubt'
  | 'StorageFull';

/** Makes an error from its name: errors cross from a worker thread this way. `undefined`: a bug. */
export function dbError(name: DbErrorName | undefined, message: string): Error {
  if (name === undefined) return new Error(message);
  if (name === 'UniqueViolation') return new UniqueViolation(message);
  if (name === 'ForeignKeyViolation') return new ForeignKeyViolation(message);
  if (name === 'Conflict') return new Conflict(message);
  return new Unavailable(message, { full: name === 'StorageFull', inDoubt: name === 'InDoubt' });
}
