/**
 * The thread that holds a connection. The writer commits a whole group of requests in one transaction and one fsync;
 * each request is a savepoint of it, so that one which fails takes nothing else with it. The reader answers in between.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { DbErrorName, Step, Value } from './db.ts';
import { type Connection, classify, openConnection, runSteps } from './sqlite-connection.ts';

export type Request =
  | { kind: 'read'; sql: string; params: readonly Value[] }
  | { kind: 'atomic'; steps: readonly Step[] }
  | { kind: 'call'; procedure: string; payload: unknown };

export type Answer = { ok: true; value: unknown } | { ok: false; error: DbErrorName | undefined; message: string };

/** Code of another room that runs inside the writer's transactions, known to this one by name and module only. */
export interface Procedure<P = unknown, R = unknown> {
  run(payload: P): R;
  /** What it remembers of the store may be wrong: a transaction it took part in was not committed. */
  forget(): void;
}

export interface WorkerSetup {
  file: string;
  readOnly: boolean;
  /** Name → URL of a module that exports `procedure(connection): Procedure`. */
  procedures: Record<string, string>;
}

const setup = workerData as WorkerSetup;
let connection: Connection = openConnection(setup.file, { readOnly: setup.readOnly });
const openers = new Map<string, (connection: Connection) => Procedure>();
for (const [name, url] of Object.entries(setup.procedures)) {
  const module = (await import(url)) as { procedure: (connection: Connection) => Procedure };
  openers.set(name, module.procedure);
}
/** Opened at the first call: before it there may be no tables yet. */
const procedures = new Map<string, Procedure>();

function procedureOf(name: string): Procedure {
  let procedure = procedures.get(name);
  if (procedure === undefined) {
    const open = openers.get(name);
    if (open === undefined) throw new Error(`no procedure ${name}`);
    procedure = open(connection);
    procedures.set(name, procedure);
  }
  return procedure;
}

const failed = (error: unknown): Answer => ({
  ok: false,
  error: classify(error),
  message: error instanceof Error ? error.message : String(error),
});

function perform(request: Request): unknown {
  if (request.kind === 'read') return connection.all(request.sql, request.params);
  if (request.kind === 'atomic') return runSteps(connection, request.steps);
  return procedureOf(request.procedure).run(request.payload);
}

function readGroup(group: Request[]): Answer[] {
  return group.map((request) => {
    try {
      return { ok: true, value: perform(request) };
    } catch (error) {
      return failed(error);
    }
  });
}

function writeGroup(group: Request[]): Answer[] {
  const answers: Answer[] = [];
  // Alone, a request that fails rolls back the transaction itself.
  const alone = group.length === 1;
  let committing = false;
  try {
    connection.exec('begin immediate');
    for (const request of group) {
      if (!alone) connection.exec('savepoint request');
      try {
        answers.push({ ok: true, value: perform(request) });
      } catch (error) {
        // Out of space and I/O errors may end the whole transaction; then nothing of the group stands.
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
    return answers;
  } catch (error) {
    return abandon(group, error, committing);
  }
}

const isFatal = (error: unknown): boolean => {
  const name = classify(error);
  return name === 'Unavailable' || name === 'StorageFull';
};

/**
 * Nothing of the group was committed: say so to all of it, and start afresh on a new connection. What a failing disk did
 * with the last step of a commit nobody knows: a crash before the next one may bring the whole group back.
 */
function abandon(group: Request[], cause: unknown, committing: boolean): Answer[] {
  forget();
  try {
    if (connection.inTransaction) connection.exec('rollback');
  } catch {
    // The connection is given up below in any case.
  }
  try {
    const fresh = openConnection(setup.file, { readOnly: setup.readOnly });
    connection.close();
    connection = fresh;
    procedures.clear();
  } catch {
    // Still no way to open it: the next group tries again on the old one and, failing that, comes back here.
  }
  const answer = failed(cause);
  const inDoubt = committing && !answer.ok && answer.error === 'Unavailable';
  return group.map(() => (inDoubt ? { ...answer, error: 'InDoubt' } : answer));
}

function forget(): void {
  for (const procedure of procedures.values()) procedure.forget();
}

parentPort?.on('message', (group: Request[] | 'close') => {
  if (group === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(setup.readOnly ? readGroup(group) : writeGroup(group));
});
parentPort?.postMessage('ready');
