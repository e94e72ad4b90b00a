/**
 * The thread that owns a connection. The writer commits a group of requests in one transaction and one fsync. Each
 * request is a savepoint, so a failure affects no other. The reader runs beside it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type DbErrorName, dbError, type Row, type Step, type Tables, type Value } from '../db.ts';
import { type Connection, classify, openConnection, runSteps, type Synchronous } from './connection.ts';

export type WorkerRequest =
  | { kind: 'read'; sql: string; params: readonly Value[] }
  | { kind: 'atomic'; steps: readonly Step[]; later?: true }
  | { kind: 'call'; procedure: string; payload: unknown }
  | { kind: 'checkpoint' };

export type WorkerAnswer =
  | { ok: true; value: unknown }
  | { ok: false; error: DbErrorName | undefined; message: string };

/**
 * Code of another room that runs inside the writer's transactions, or that reads in the reader's thread. This room
 * knows its name and module only.
 */
export interface Procedure<P = unknown, R = unknown> {
  run(payload: P): R;
  /** Drops what it cached of the store: a transaction it took part in was not committed. */
  forget(): void;
}

export interface SqliteSetup {
  file: string;
  readOnly: boolean;
  /** Page cache, KiB. */
  pagesKiB: number;
  /** Name → URL of a module that exports `procedure(connection): Procedure`. */
  procedures: Record<string, string>;
  /** Migrates the tables before the first request, at this time (epoch ms). */
  migrateAt?: number | undefined;
}

/** The first message of the thread: it takes requests, or the reason why the records cannot be used. */
export type StartAnswer = 'ready' | { refused: string };

const setup = workerData as SqliteSetup;
let connection: Connection = openConnection(setup.file, { readOnly: setup.readOnly, cacheKiB: setup.pagesKiB });
/** The setting of the connection; undefined: it could not be set. */
let synchronous: Synchronous | undefined = 'full';
const openers = new Map<string, (connection: Connection) => Procedure>();
for (const [name, url] of Object.entries(setup.procedures)) {
  const module = (await import(url)) as { procedure: (connection: Connection) => Procedure };
  openers.set(name, module.procedure);
}
/** Opened on the first call: before it the tables may not exist. */
const procedures = new Map<string, Procedure>();

function openProcedure(name: string): Procedure {
  const open = openers.get(name);
  if (open === undefined) throw new Error(`no procedure ${name}`);
  const procedure = open(connection);
  procedures.set(name, procedure);
  return procedure;
}

const failed = (error: unknown): WorkerAnswer => ({
  ok: false,
  error: classify(error),
  message: error instanceof Error ? error.message : String(error),
});

function perform(request: WorkerRequest): unknown {
  if (request.kind === 'read') return connection.all(request.sql, request.params);
  if (request.kind === 'atomic') return runSteps(connection, request.steps);
  if (request.kind === 'checkpoint') return undefined;
  const procedure = procedures.get(request.procedure) ?? openProcedure(request.procedure);
  return procedure.run(request.payload);
}

function readGroup(group: WorkerRequest[]): WorkerAnswer[] {
  return group.map((request) => {
    try {
      return { ok: true, value: perform(request) };
    } catch (error) {
      return failed(error);
    }
  });
}

function writeGroup(group: WorkerRequest[]): WorkerAnswer[] {
  const answers: WorkerAnswer[] = [];
  // A single request needs no savepoint: its failure rolls back the transaction.
  const alone = group.length === 1;
  let committing = false;
  try {
    setSynchronous(group.every((request) => request.kind === 'atomic' && request.later) ? 'normal' : 'full');
    connection.exec('begin immediate');
    for (const request of group) {
      if (!alone) connection.exec('savepoint request');
      try {
        answers.push({ ok: true, value: perform(request) });
      } catch (error) {
        // A full disk and I/O errors may end the whole transaction; then the whole group is rolled back.
        if (!connection.inTransaction || isFatal(error)) throw error;
        connection.exec(alone ? 'rollback' : 'rollback to request');
        forget();
        answers.push(failed(error));
        if (alone) return answers;
      }
      if (!alone) connection.exec('release request');
    }
    committing = true;
    connection.exec('commit');
    checkpoint(group, answers);
    return answers;
  } catch (error) {
    return abandon(group, error, committing);
  }
}

/** In WAL, `normal` commits without an fsync; the next commit with one brings all before it to disk. */
function setSynchronous(wanted: Synchronous): void {
  if (synchronous === wanted) return;
  synchronous = undefined;
  connection.exec(`pragma synchronous = ${wanted}`);
  synchronous = wanted;
}

/** Writes the log into the file and empties it, if a request of the group asks for that and no reader needs it. */
function checkpoint(group: readonly WorkerRequest[], answers: WorkerAnswer[]): void {
  if (!group.some(({ kind }) => kind === 'checkpoint')) return;
  // Waiting for readers would hold up checks.
  connection.exec('pragma busy_timeout = 0');
  let done = false;
  try {
    done = connection.all('pragma wal_checkpoint(truncate)')[0]?.busy === 0;
  } catch {
    // A later attempt does it.
  }
  connection.exec('pragma busy_timeout = 5000');
  for (const [i, { kind }] of group.entries()) if (kind === 'checkpoint') answers[i] = { ok: true, value: done };
}

const isFatal = (error: unknown): boolean => {
  const name = classify(error);
  return name === 'Unavailable' || name === 'StorageFull';
};

/**
 * Fails the whole group and reconnects. When the disk failed during the commit itself, the outcome is in doubt: a crash
 * before the next commit may restore the group.
 */
function abandon(group: WorkerRequest[], cause: unknown, committing: boolean): WorkerAnswer[] {
  forget();
  try {
    if (connection.inTransaction) connection.exec('rollback');
  } catch {
    // The connection is replaced below in any case.
  }
  try {
    const fresh = openConnection(setup.file, { readOnly: setup.readOnly, cacheKiB: setup.pagesKiB });
    connection.close();
    connection = fresh;
    synchronous = 'full';
    procedures.clear();
  } catch {
    // The file cannot be opened: the next group retries on the old connection and, if that fails, comes back here.
  }
  const answer = failed(cause);
  const inDoubt = committing && !answer.ok && answer.error === 'Unavailable';
  return group.map(() => (inDoubt ? { ...answer, error: 'InDoubt' } : answer));
}

function forget(): void {
  for (const procedure of procedures.values()) procedure.forget();
}

/** Migrates the tables on this thread: the main thread loads the rest of the service meanwhile. */
async function migrateTables(at: number): Promise<StartAnswer> {
  const [{ migrate }, { StartRefused }] = await Promise.all([import('../migrate.ts'), import('../start-refused.ts')]);
  const toValue = ([answer]: WorkerAnswer[]): unknown => {
    if (answer?.ok === true) return answer.value;
    throw dbError(answer?.error, answer?.message ?? '');
  };
  const tables: Tables = {
    engine: 'sqlite',
    read: async <R extends Row>(sql: string, params: readonly Value[] = []) =>
      toValue(readGroup([{ kind: 'read', sql, params }])) as R[],
    atomic: async (steps) => void toValue(writeGroup([{ kind: 'atomic', steps }])),
  };
  try {
    await migrate(tables, at);
    return 'ready';
  } catch (error) {
    if (error instanceof StartRefused) return { refused: error.message };
    throw error;
  }
}

const opened: StartAnswer = setup.migrateAt === undefined ? 'ready' : await migrateTables(setup.migrateAt);
parentPort?.on('message', (group: WorkerRequest[] | 'close') => {
  if (group === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(setup.readOnly ? readGroup(group) : writeGroup(group));
});
parentPort?.postMessage(opened);
