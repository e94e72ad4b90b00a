/**
 * The columns: all questions over many decisions. Promise: an answer is exact and includes every decision acknowledged,
 * and every deletion answered, before it was asked. What cannot be answered in time is Unavailable; nothing that happens
 * to the columns harms the service, and their file may be deleted at any time.
 */
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../db/db.ts';
import type { Bounds, ColumnsReport, DecisionFilter, FindPage, Found, ReportQuery, Stats } from './answers.ts';
import type { FromWorker, Question, ToWorker, WorkerSetup, WorkerState } from './columns-worker.ts';

export type { Bounds, ColumnsReport, DecisionFilter, FindPage, Found, ReportQuery, Stats } from './answers.ts';

const QUESTIONS_MAX = 500;
const ANSWER_WITHIN_MS = 10_000;
const RESTART_MAX_MS = 30_000;
const CLOSE_WITHIN_MS = 10_000;

export interface Columns {
  /** Throws Unavailable, like all questions. */
  report(query: ReportQuery): Promise<ColumnsReport>;
  /** Decisions on one item; zeros for one that has none or does not exist. */
  stats(contentNo: number): Promise<Stats>;
  /** Places in the ledger, newest first. */
  find(filter: DecisionFilter, page: FindPage): Promise<Found>;
  /** When the oldest and the newest decision were made; null when there is none. */
  bounds(): Promise<Bounds | null>;
  /** Any of these questions, as another node asks it. */
  ask<T>(question: Question): Promise<T>;
  figures(): ColumnsFigures;
  /** The server of the records is silent: what is under way there is asked again over a new connection. */
  abandon(): void;
  close(): Promise<void>;
}

/** For metrics and for readiness. */
export interface ColumnsFigures extends WorkerState {
  /** Questions asked and not answered yet. */
  questions: number;
  restarts: number;
}

export interface ColumnsOptions {
  /** A file of SQLite or the URL of a PostgreSQL. */
  records: string;
  columnsFile: string;
  /** Folder of archived decisions. */
  archiveDir?: string | null;
  /** Told what went wrong with the columns and was put right by starting again. */
  onProblem?: (message: string) => void;
  /** How long a question may wait, above all for a rebuild. */
  answerWithinMs?: number;
  /** The thread's module. */
  worker?: URL;
}

interface Asked {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Starts the thread and returns at once; questions wait until it has caught up. */
export function openColumns(options: ColumnsOptions): Columns {
  const { records, columnsFile, archiveDir = null, onProblem = () => {}, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const module = options.worker ?? new URL('./columns-worker.ts', import.meta.url);
  const asked = new Map<number, Asked>();
  let state: WorkerState = { behind: 0, caughtUpAt: null, sizeBytes: 0, rebuilds: 0 };
  let restarts = 0;
  let restartMs = 100;
  let restarting: NodeJS.Timeout | undefined;
  let nextId = 1;
  let closed = false;
  let worker: Worker | undefined = start();

  function start(): Worker {
    // Out of heap, the thread ends and not the process.
    const thread = new Worker(module, {
      workerData: { records, columnsFile, archiveDir } satisfies WorkerSetup,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    thread.on('message', hear);
    thread.on('error', (error) => onProblem(`the columns' thread failed: ${(error as Error).message}`));
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
      refuseAll('the columns are not available');
      if (closed) return;
      restarting = setTimeout(() => {
        restarts++;
        worker = start();
      }, restartMs);
      restartMs = Math.min(restartMs * 2, RESTART_MAX_MS);
    });
    return thread;
  }

  function hear(message: FromWorker): void {
    if (message.kind === 'state') {
      state = message.state;
      if (message.state.behind === 0) restartMs = 100;
    } else if (message.kind === 'problem') {
      onProblem(message.message);
    } else {
      const one = take(message.id);
      if (message.kind === 'answer') one?.resolve(message.value as never);
      else one?.reject(new Unavailable(`usage cannot be answered now: ${message.message}`));
    }
  }

  function take(id: number): Asked | undefined {
    const one = asked.get(id);
    if (one !== undefined) {
      asked.delete(id);
      clearTimeout(one.timer);
    }
    return one;
  }

  function refuseAll(message: string): void {
    for (const id of [...asked.keys()]) take(id)?.reject(new Unavailable(message));
  }

  const send = (message: ToWorker): void => worker?.postMessage(message);

  function ask<T>(question: Question): Promise<T> {
    if (closed || worker === undefined) return Promise.reject(new Unavailable('the columns are not available'));
    if (asked.size >= QUESTIONS_MAX) return Promise.reject(new Unavailable('too many questions are waiting'));
    return new Promise<T>((resolve, reject) => {
      const id = nextId++;
      const timer = setTimeout(() => {
        send({ kind: 'forget', id });
        take(id)?.reject(new Unavailable('usage is still being counted'));
      }, answerWithinMs);
      asked.set(id, { resolve, reject, timer });
      send({ kind: 'ask', id, question });
    });
  }

  return {
    report: (query) => ask({ kind: 'report', query }),
    stats: (contentNo) => ask({ kind: 'stats', contentNo }),
    find: (filter, page) => ask({ kind: 'find', filter, page }),
    bounds: () => ask({ kind: 'bounds' }),
    ask,
    figures: () => ({ ...state, questions: asked.size, restarts }),
    abandon: () => send({ kind: 'abandon' }),
    async close() {
      closed = true;
      clearTimeout(restarting);
      const thread = worker;
      if (thread === undefined) return;
      const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      send({ kind: 'close' });
      // A thread that hangs must not keep the service from ending; the file is rebuilt if it suffers.
      const timer = setTimeout(() => void thread.terminate(), CLOSE_WITHIN_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
