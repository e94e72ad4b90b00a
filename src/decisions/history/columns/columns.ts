/**
 * The columns answer all questions over many decisions. Promise: an answer is exact. It includes every decision
 * acknowledged, and every deletion answered, before the question. A question that cannot be answered in time throws
 * Unavailable. No failure of the columns harms the service, and their file may be deleted at any time.
 */
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../../db/db.ts';
import { type ColumnsMemory, planBudget, toResourceLimits, USUAL_MIB } from '../../../lib/memory.ts';
import type { Alarms, AlarmsQuery } from './alarms.ts';
import type { ColumnsQuestion } from './answerer.ts';
import type { ColumnsReport, ReportQuery } from './counts.ts';
import type { Demand, DemandQuery } from './demand-query.ts';
import type { Divergences, DivergencesQuery } from './divergences.ts';
import type { LicensedCell, LicensedQuery, LicensedWindow, TimeSpan } from './licensed.ts';
import type { RowPage } from './list-page.ts';
import type { ColumnsSetup, FromWorker, ToWorker, WorkerState } from './messages.ts';
import type { ProgramsQuery, SeenProgram } from './program-list.ts';
import type { Bounds, FindPage, FoundDecisions, Stats } from './questions.ts';
import type { Seen, SeenQuery } from './seen.ts';
import type { ColumnsFilter } from './sql.ts';
import type { CountedVisitors, VisitorsQuestion } from './visitors.ts';

export type { ColumnsReport, ReportQuery } from './counts.ts';
export type { Bounds, FindPage, FoundDecisions, Stats } from './questions.ts';
export type { ColumnsFilter } from './sql.ts';

const QUESTIONS_MAX = 500;
const ANSWER_WITHIN_MS = 10_000;
const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 30_000;
const CLOSE_WITHIN_MS = 10_000;

const opened = new Set<Columns>();

/** Closes all columns before the process exits: exiting while DuckDB works would abort it. Settles within `ms`. */
export async function endColumns(ms: number): Promise<void> {
  const closed = Promise.all([...opened].map((columns) => columns.close()));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([closed, late]);
  clearTimeout(timer);
}

export interface Columns {
  /** Throws Unavailable, as do all questions. */
  report(query: ReportQuery): Promise<ColumnsReport>;
  /** Counts visitors by page and by time. */
  visitors(query: VisitorsQuestion): Promise<CountedVisitors>;
  /** Counts the decisions on an item; zeros for an unknown item. */
  stats(contentNo: number): Promise<Stats>;
  /** Finds the sequence numbers of decisions, newest first. */
  find(filter: ColumnsFilter, page: FindPage): Promise<FoundDecisions>;
  /** Lists every requester that is registered or was seen. */
  seen(query: SeenQuery): Promise<RowPage<Seen>>;
  /** Lists programs that the directory of crawlers does not name. */
  programs(query: ProgramsQuery): Promise<RowPage<SeenProgram>>;
  /** Lists the denials for certain reasons by requester. */
  demand(query: DemandQuery): Promise<RowPage<Demand>>;
  /** Returns what changed within a day. */
  alarms(query: AlarmsQuery): Promise<Alarms>;
  /** Counts where a candidate decided otherwise than its policy. */
  divergences(query: DivergencesQuery): Promise<Divergences>;
  /** Counts licensed decisions by the quarter of an hour. */
  licensedCells(query: LicensedQuery): Promise<LicensedCell[]>;
  /** Returns licensed decisions by license and purpose; the caller bounds the span. */
  licensedGroups(query: LicensedQuery): Promise<LicensedWindow>;
  /** Counts licensed decisions by license. */
  licensedCounts(query: LicensedQuery): Promise<Map<string, number>>;
  /** Counts decisions that count and that no license allowed. */
  unlicensed(query: TimeSpan): Promise<number>;
  /** Returns the times of the oldest and newest decision; null: none. */
  bounds(): Promise<Bounds | null>;
  figures(): ColumnsFigures;
  /** Repeats pending reads over a new connection; the database server has stopped responding. */
  abandon(): void;
  close(): Promise<void>;
}

/** For metrics and readiness. */
export interface ColumnsFigures extends WorkerState {
  /** Pending questions. */
  questions: number;
  restarts: number;
}

export interface ColumnsOptions {
  /** A SQLite file or a PostgreSQL URL. */
  records: string;
  columnsFile: string;
  /** The URL of ClickHouse, which has the columns instead of the file. */
  clickHouse?: string | null;
  /** Folder of archived decisions. */
  archiveDir?: string | null;
  memory?: ColumnsMemory;
  /** Receives problems that a restart solved. `isLoss`: the records have lost decisions. */
  onProblem?: (message: string, isLoss: boolean) => void;
  /** Limit on the wait for an answer, mostly during a rebuild. */
  answerWithinMs?: number;
  /** The thread starts when this settles or with the first question, instead of at once; null: with that alone. */
  startAfter?: Promise<void> | null;
  /** The module of the thread. */
  worker?: URL;
}

/** A caller reads this sentence; the log has the message. */
const SAYS =
  'Reports cannot be answered right now; checks and edits go on. Retry; the log and the status of the service say why.';
const refusal = (message: string): Unavailable => new Unavailable(message, { says: SAYS });

interface Pending {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Starts the thread and returns at once; questions wait until it has caught up. */
export function openColumns(options: ColumnsOptions): Columns {
  const columns = new ColumnsThread(options);
  opened.add(columns);
  return columns;
}

class ColumnsThread implements Columns {
  readonly #options: ColumnsOptions;
  readonly #pending = new Map<number, Pending>();
  #state: WorkerState = { behind: 0, caughtUpAt: null, sizeBytes: 0, rebuilds: 0, problem: null };
  #worker: Worker | undefined;
  #started = false;
  #restarts = 0;
  #restartMs = RESTART_MIN_MS;
  #restarting: NodeJS.Timeout | undefined;
  #nextId = 1;
  #closed = false;

  constructor(options: ColumnsOptions) {
    this.#options = options;
    if (options.startAfter === undefined) this.#start();
    else void options.startAfter?.then(() => this.#startOnce());
  }

  report = (query: ReportQuery): Promise<ColumnsReport> => this.#ask({ kind: 'report', query });
  visitors = (query: VisitorsQuestion): Promise<CountedVisitors> => this.#ask({ kind: 'visitors', query });
  stats = (contentNo: number): Promise<Stats> => this.#ask({ kind: 'stats', contentNo });
  find = (filter: ColumnsFilter, page: FindPage): Promise<FoundDecisions> => this.#ask({ kind: 'find', filter, page });
  seen = (query: SeenQuery): Promise<RowPage<Seen>> => this.#ask({ kind: 'seen', query });
  programs = (query: ProgramsQuery): Promise<RowPage<SeenProgram>> => this.#ask({ kind: 'programs', query });
  demand = (query: DemandQuery): Promise<RowPage<Demand>> => this.#ask({ kind: 'demand', query });
  alarms = (query: AlarmsQuery): Promise<Alarms> => this.#ask({ kind: 'alarms', query });
  divergences = (query: DivergencesQuery): Promise<Divergences> => this.#ask({ kind: 'divergences', query });
  licensedCells = (query: LicensedQuery): Promise<LicensedCell[]> => this.#ask({ kind: 'licensedCells', query });
  licensedGroups = (query: LicensedQuery): Promise<LicensedWindow> => this.#ask({ kind: 'licensedGroups', query });
  licensedCounts = (query: LicensedQuery): Promise<Map<string, number>> => this.#ask({ kind: 'licensedCounts', query });
  unlicensed = (query: TimeSpan): Promise<number> => this.#ask({ kind: 'unlicensed', query });
  bounds = (): Promise<Bounds | null> => this.#ask({ kind: 'bounds' });

  #ask<T>(question: ColumnsQuestion): Promise<T> {
    this.#startOnce();
    if (this.#closed || this.#worker === undefined) {
      return Promise.reject(refusal('the columns are not available'));
    }
    if (this.#pending.size >= QUESTIONS_MAX) {
      return Promise.reject(refusal('too many questions are waiting'));
    }
    return new Promise<T>((resolve, reject) => {
      const id = this.#nextId++;
      const timer = setTimeout(() => {
        this.#send({ kind: 'forget', id });
        this.#take(id)?.reject(refusal(this.#state.problem ?? 'usage is still being counted'));
      }, this.#options.answerWithinMs ?? ANSWER_WITHIN_MS);
      this.#pending.set(id, { resolve, reject, timer });
      this.#send({ kind: 'ask', id, question });
    });
  }

  figures(): ColumnsFigures {
    return { ...this.#state, questions: this.#pending.size, restarts: this.#restarts };
  }

  abandon(): void {
    this.#send({ kind: 'abandon' });
  }

  async close(): Promise<void> {
    this.#closed = true;
    opened.delete(this);
    clearTimeout(this.#restarting);
    const thread = this.#worker;
    if (thread === undefined) return;
    const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    this.#send({ kind: 'close' });
    // A hanging thread must not keep the service from shutting down; a damaged file is rebuilt.
    const timer = setTimeout(() => void thread.terminate(), CLOSE_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #startOnce(): void {
    if (!this.#started && !this.#closed) this.#start();
  }

  #start(): void {
    this.#started = true;
    const { records, columnsFile, archiveDir = null, clickHouse = null, memory, worker } = this.#options;
    const budget = memory ?? planBudget(USUAL_MIB).columns;
    // Without heap, the thread ends instead of the process.
    const thread = new Worker(worker ?? new URL('./columns-worker.ts', import.meta.url), {
      workerData: { records, columnsFile, archiveDir, clickHouse, memory: budget } satisfies ColumnsSetup,
      resourceLimits: toResourceLimits(budget.heap),
    });
    thread.on('message', (message: FromWorker) => this.#receive(message));
    thread.on('error', (error) => this.#report(`the columns' thread failed: ${(error as Error).message}`));
    thread.on('exit', () => this.#onExit(thread));
    this.#worker = thread;
  }

  /** Refuses all questions and starts another thread, slower each time. */
  #onExit(thread: Worker): void {
    if (this.#worker === thread) this.#worker = undefined;
    for (const id of this.#pending.keys()) {
      this.#take(id)?.reject(refusal('the columns are not available'));
    }
    if (this.#closed) return;
    this.#restarting = setTimeout(() => {
      this.#restarts++;
      this.#start();
    }, this.#restartMs);
    this.#restartMs = Math.min(this.#restartMs * 2, RESTART_MAX_MS);
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'state') {
      this.#state = message.state;
      if (message.state.behind === 0) this.#restartMs = RESTART_MIN_MS;
    } else if (message.kind === 'problem') {
      this.#report(message.message, message.isLoss);
    } else {
      const pending = this.#take(message.id);
      if (message.kind === 'answer') pending?.resolve(message.value as never);
      else pending?.reject(refusal(`usage cannot be answered now: ${message.message}`));
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #report(message: string, isLoss = false): void {
    this.#options.onProblem?.(message, isLoss);
  }
}
