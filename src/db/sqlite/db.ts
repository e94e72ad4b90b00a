/**
 * The records on SQLite, for one process: one worker thread writes, one reads. Requests that arrive during a commit
 * form the next group and share its fsync. The queue is bounded: beyond it, Unavailable.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { type Heap, planBudget, type StorageMemory, toResourceLimits, USUAL_MIB } from '../../lib/memory.ts';
import { type Db, dbError, type Row, type Step, Unavailable, type Value } from '../db.ts';
import { StartRefused } from '../start-refused.ts';
import type { SqliteSetup, StartAnswer, WorkerAnswer, WorkerRequest } from './worker.ts';

const GROUP_MAX = 256;
const QUEUE_MAX = 20_000;
const SQLITE_BUSY = 5;

interface Waiting {
  request: WorkerRequest;
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** A worker thread with its queue. One group of requests is in flight at a time. */
class Thread {
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[] = [];
  #dead: Error | undefined;
  #closed: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  readonly #onDeath: (cause: Error) => void;

  constructor(setup: SqliteSetup, heap: Heap, onDeath: (cause: Error) => void) {
    this.#onDeath = onDeath;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: toResourceLimits(heap),
    });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('message', (opened: StartAnswer) => {
        this.#worker.on('message', (answers: WorkerAnswer[]) => this.#settle(answers));
        if (opened === 'ready') resolve();
        else reject(new StartRefused(opened.refused));
      });
      this.#worker.once('error', (cause) => reject(new Unavailable('the records cannot be opened', { cause })));
    });
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('exit', () => this.#die(new Error('the storage thread ended')));
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  ask<T>(request: WorkerRequest): Promise<T> {
    if (this.#dead !== undefined) return Promise.reject(new Unavailable('the store is closed', { cause: this.#dead }));
    if (this.#waiting.length >= QUEUE_MAX) return Promise.reject(new Unavailable('too many requests are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#inFlight.length === 0) this.#send();
    });
  }

  #send(): void {
    this.#inFlight = this.#waiting.length <= GROUP_MAX ? this.#waiting : this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.length <= GROUP_MAX ? [] : this.#waiting.slice(GROUP_MAX);
    this.#worker.postMessage(this.#inFlight.map((one) => one.request));
  }

  #settle(answers: WorkerAnswer[]): void {
    const group = this.#inFlight;
    this.#inFlight = [];
    // The next group is sent before these answers are handled: the thread never waits for this one.
    if (this.#waiting.length > 0) this.#send();
    for (let i = 0; i < group.length; i++) {
      const { resolve, reject } = group[i] as Waiting;
      const answer = answers[i] as WorkerAnswer;
      if (answer.ok) resolve(answer.value as never);
      else reject(dbError(answer.error, answer.message));
    }
    if (this.#inFlight.length === 0) this.#closed?.();
  }

  #die(cause: Error): void {
    if (this.#dead !== undefined) return;
    this.#dead = cause;
    const message = 'the storage thread ended';
    for (const { reject, request } of this.#inFlight) {
      reject(new Unavailable(message, { cause, inDoubt: request.kind !== 'read' }));
    }
    for (const { reject } of this.#waiting) reject(new Unavailable(message, { cause }));
    this.#inFlight = [];
    this.#waiting = [];
    this.#closed?.();
    this.#onDeath(cause);
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#dead !== undefined) return;
    if (this.#inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.#closed = resolve;
      });
    }
    this.#dead = new Error('closed');
    const gone = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage('close');
    await gone;
  }
}

export interface SqliteDb extends Db {
  readonly engine: 'sqlite';
  readonly file: string;
  /** Runs a procedure inside the writer's next transaction. Throws as `atomic` does. */
  call<R>(procedure: string, payload: unknown): Promise<R>;
  /** Runs a procedure that only reads, in the thread that reads. Throws as `read` does. */
  ask<R>(reading: string, payload: unknown): Promise<R>;
  /** Moves the write-ahead log into the file and empties it. Returns false while a reader still needs it. */
  checkpoint(): Promise<boolean>;
}

export interface SqliteOptions extends Pick<SqliteSetup, 'migrateAt'> {
  /** Names and URLs of modules; see worker.ts. */
  procedures?: SqliteSetup['procedures'];
  /** The same for the thread that reads. */
  readings?: SqliteSetup['procedures'];
  /** Called once when a thread dies, which is not restarted. */
  onDeath?: (cause: Error) => void;
  memory?: StorageMemory;
}

/**
 * Opens `file` (created if absent) with one connection per thread. Throws Unavailable when it cannot be opened, and
 * StartRefused when its tables cannot be migrated.
 */
export async function openSqlite(
  file: string,
  {
    procedures = {},
    readings = {},
    onDeath = () => {},
    memory = planBudget(USUAL_MIB).storage,
    migrateAt,
  }: SqliteOptions = {},
): Promise<SqliteDb> {
  const { heap, pagesKiB } = memory;
  createFile(file);
  const { promise: died, resolve: die } = Promise.withResolvers<Error>();
  void died.then(onDeath);
  const writer = new Thread({ file, readOnly: false, procedures, pagesKiB, migrateAt }, heap, die);
  const reader = new Thread({ file, readOnly: true, procedures: readings, pagesKiB }, heap, die);
  try {
    await Promise.all([writer.ready(), reader.ready()]);
  } catch (error) {
    await Promise.all([reader.close(), writer.close()]);
    throw error;
  }
  return {
    engine: 'sqlite',
    file,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) => reader.ask<R[]>({ kind: 'read', sql, params }),
    atomic: (steps: readonly Step[]) => writer.ask<void>({ kind: 'atomic', steps }),
    atomicLater: (steps: readonly Step[]) => writer.ask<void>({ kind: 'atomic', steps, later: true }),
    ask: <R>(procedure: string, payload: unknown) => reader.ask<R>({ kind: 'call', procedure, payload }),
    call: <R>(procedure: string, payload: unknown) => writer.ask<R>({ kind: 'call', procedure, payload }),
    checkpoint: () => writer.ask<boolean>({ kind: 'checkpoint' }),
    async close() {
      // The writer last: the last to close checkpoints the log into the file, which the reader may not.
      await reader.close();
      await writer.close();
    },
  };
}

/** The reader, which starts beside the writer, creates none. */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch {
    // The writer reports why.
  }
}

export interface Hold {
  /** Returns the number stored in the file; 0 before one was set. */
  mark(): number;
  setMark(mark: number): void;
  release(): void;
}

export const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === SQLITE_BUSY;

/**
 * Locks `file` until this process ends, however it ends: the operating system releases the lock. Returns undefined when
 * another process holds it; throws when the file cannot be used at all.
 */
export function holdFile(file: string): Hold | undefined {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // In this mode the lock outlasts a commit.
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return {
      mark: () => (lock.prepare('pragma user_version').get() as { user_version: number }).user_version,
      setMark: (mark) => lock.exec(`pragma user_version = ${mark}; commit; begin exclusive`),
      release: () => lock.close(),
    };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
