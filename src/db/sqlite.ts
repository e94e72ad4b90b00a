/**
 * The records on SQLite, for one process: one worker thread writes, one reads. What arrives while a group is being
 * committed is the next group, so the fsync is shared by all who wait. The queue is bounded; beyond it: Unavailable.
 */
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { type Db, dbError, type Row, type Step, Unavailable, type Value } from './db.ts';
import type { Answer, Request, WorkerSetup } from './sqlite-worker.ts';

const GROUP_MAX = 256;
const QUEUE_MAX = 20_000;
const SQLITE_BUSY = 5;

interface Waiting {
  request: Request;
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/** A worker thread and the requests that wait for it; one group is under way at a time. */
class Lane {
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  #waiting: Waiting[] = [];
  #underWay: Waiting[] = [];
  #dead: Error | undefined;
  #closed: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  readonly #onDeath: (cause: Error) => void;

  constructor(setup: WorkerSetup, onDeath: (cause: Error) => void) {
    this.#onDeath = onDeath;
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), { workerData: setup });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (answers: Answer[]) => this.#settle(answers));
        resolve();
      });
      this.#worker.once('error', (cause) => reject(new Unavailable('the records cannot be opened', { cause })));
    });
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('exit', () => this.#die(new Error('the storage thread ended')));
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  ask<T>(request: Request): Promise<T> {
    if (this.#dead !== undefined) return Promise.reject(new Unavailable('the store is closed', { cause: this.#dead }));
    if (this.#waiting.length >= QUEUE_MAX) return Promise.reject(new Unavailable('too many requests are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (this.#underWay.length === 0) this.#send();
    });
  }

  #send(): void {
    this.#underWay = this.#waiting.length <= GROUP_MAX ? this.#waiting : this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.length <= GROUP_MAX ? [] : this.#waiting.slice(GROUP_MAX);
    this.#worker.postMessage(this.#underWay.map((one) => one.request));
  }

  #settle(answers: Answer[]): void {
    const group = this.#underWay;
    this.#underWay = [];
    // The next group goes out before this one's answers are worked on: the thread never waits for us.
    if (this.#waiting.length > 0) this.#send();
    for (let i = 0; i < group.length; i++) {
      const { resolve, reject } = group[i] as Waiting;
      const answer = answers[i] as Answer;
      if (answer.ok) resolve(answer.value as never);
      else reject(answer.error === undefined ? new Error(answer.message) : dbError(answer.error, answer.message));
    }
    if (this.#underWay.length === 0) this.#closed?.();
  }

  #die(cause: Error): void {
    if (this.#dead !== undefined) return;
    this.#dead = cause;
    const message = 'the storage thread ended';
    for (const { reject, request } of this.#underWay) {
      reject(new Unavailable(message, { cause, inDoubt: request.kind !== 'read' }));
    }
    for (const { reject } of this.#waiting) reject(new Unavailable(message, { cause }));
    this.#underWay = [];
    this.#waiting = [];
    this.#closed?.();
    this.#onDeath(cause);
  }

  /** Once, however often it is asked. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#dead !== undefined) return;
    if (this.#underWay.length > 0) {
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
  /** Runs a procedure inside the writer's next transaction. Same errors as `atomic`. */
  call<R>(procedure: string, payload: unknown): Promise<R>;
}

/**
 * Opens `file` (created if absent) with one connection per thread. `procedures` maps names to module URLs; see
 * sqlite-worker. A thread that ends by itself is not started again: `onDeath` hears of it, once. Throws when the file cannot
 * be opened.
 */
export async function openSqlite(
  file: string,
  procedures: Record<string, string> = {},
  onDeath: (cause: Error) => void = () => {},
): Promise<SqliteDb> {
  const writer = new Lane({ file, readOnly: false, procedures }, onDeath);
  await writer.ready();
  const reader = new Lane({ file, readOnly: true, procedures: {} }, onDeath);
  await reader.ready();
  return {
    engine: 'sqlite',
    file,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) => reader.ask<R[]>({ kind: 'read', sql, params }),
    atomic: (steps: readonly Step[]) => writer.ask<void>({ kind: 'atomic', steps }),
    call: <R>(procedure: string, payload: unknown) => writer.ask<R>({ kind: 'call', procedure, payload }),
    async close() {
      // The writer last: who closes last writes the log back into the file, and the reader may not.
      await reader.close();
      await writer.close();
    },
  };
}

/**
 * Holds `file` for this process until it ends, however it ends: the operating system lets go of the lock. Returns
 * undefined when another process holds it; throws when the file cannot be used at all.
 */
export function holdFile(file: string): { release(): void } | undefined {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
