/**
 * The thread that owns the columns. Promise: every answer includes all that was committed before the question came, and
 * whatever befalls the file, the thread goes on: it starts again, from an empty file where need be.
 */
import { parentPort, workerData } from 'node:worker_threads';
import {
  answerBounds,
  answerFind,
  answerReport,
  answerStats,
  type DecisionFilter,
  type FindPage,
  type ReportQuery,
} from './answers.ts';
import { withArchive } from './archive-source.ts';
import { openSource, type Source, SourceFailed } from './source.ts';
import { openStore, removeStore, type Store } from './store.ts';
import { Diverged, openTail, type Tail } from './tail.ts';

export type Question =
  | { kind: 'report'; query: ReportQuery }
  | { kind: 'stats'; contentNo: number }
  | { kind: 'find'; filter: DecisionFilter; page: FindPage }
  | { kind: 'bounds' };

export type ToWorker =
  | { kind: 'ask'; id: number; question: Question }
  | { kind: 'forget'; id: number }
  | { kind: 'abandon' }
  | { kind: 'close' };

export interface WorkerState {
  /** Places between the newest decision tailed and the newest there is. */
  behind: number;
  caughtUpAt: number | null;
  sizeBytes: number;
  rebuilds: number;
}

export type FromWorker =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'refusal'; id: number; message: string }
  | { kind: 'problem'; message: string }
  | { kind: 'state'; state: WorkerState };

export interface WorkerSetup {
  /** A file of SQLite or the URL of a PostgreSQL. */
  records: string;
  columnsFile: string;
  archiveDir: string | null;
}

const TAIL_EVERY_MS = 1_000;
const RETRY_MAX_MS = 60_000;

interface Asked {
  id: number;
  question: Question;
}

interface Lane {
  (work: () => Promise<void>): void;
  idle(): Promise<unknown>;
}

/** Work one after another, on a connection of its own. */
function lane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  const enter: Lane = (work) => {
    last = last.then(work);
  };
  enter.idle = () => last;
  return enter;
}

const setup = workerData as WorkerSetup;
const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const post = (message: FromWorker): void => port.postMessage(message);

let closing = false;
let source: Source | undefined;
let wake: (() => void) | undefined;
/** In the order they came; those whose asker gave up are no longer in `open`. */
let waiting: Asked[] = [];
const open = new Set<number>();
const state: WorkerState = { behind: 0, caughtUpAt: null, sizeBytes: 0, rebuilds: 0 };

port.on('message', (message: ToWorker) => {
  if (message.kind === 'ask') {
    waiting.push(message);
    open.add(message.id);
  } else if (message.kind === 'forget') {
    open.delete(message.id);
    waiting = waiting.filter((asked) => asked.id !== message.id);
  } else if (message.kind === 'abandon') {
    source?.abandon();
  } else {
    closing = true;
  }
  wake?.();
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** The file's own faults, for which a new one helps; DuckDB tells them apart by how the message begins. */
const isDamage = (error: unknown): boolean =>
  error instanceof Diverged ||
  (/^(IO|INTERNAL|FATAL|Serialization|TransactionContext) Error|[Cc]orrupt|invalidated/.test(messageOf(error)) &&
    !/No space left/.test(messageOf(error)));

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};

/** Tails and answers until the thread is to close. Throws when it cannot go on with this file or this source. */
async function serve(store: Store, tail: Tail): Promise<void> {
  const quickly = lane();
  const slowly = lane();
  const quick = await store.connect();
  const slow = await store.connect();
  let damage: unknown;

  async function settle(asked: readonly Asked[], work: () => Promise<(asked: Asked) => unknown>): Promise<void> {
    const wanted = asked.filter((one) => open.has(one.id));
    if (wanted.length === 0) return;
    try {
      if (damage !== undefined) throw damage;
      const valueFor = await work();
      for (const one of wanted) answer(one, valueFor(one));
    } catch (error) {
      for (const one of wanted) refuse(one, messageOf(error));
      if (isDamage(error)) {
        damage = error;
        wake?.();
      } else post({ kind: 'problem', message: `a question was not answered: ${messageOf(error)}` });
    }
  }

  /** One scan for all items asked about meanwhile: ten million rows take as long for fifty as for five. */
  let statsAsked: Asked[] = [];
  function settleStats(): Promise<void> {
    const stats = statsAsked;
    statsAsked = [];
    return settle(stats, () => statsFor(quick, stats));
  }

  function dispatch(ready: readonly Asked[]): void {
    for (const asked of ready) {
      const { question } = asked;
      if (question.kind === 'stats') {
        statsAsked.push(asked);
        if (statsAsked.length === 1) quickly(settleStats);
        continue;
      }
      const [enter, connection] = question.kind === 'report' ? [slowly, slow] : [quickly, quick];
      enter(() =>
        settle([asked], async () => {
          const value = await answerTo(connection, question);
          return () => value;
        }),
      );
    }
  }

  try {
    while (!closing) {
      if (damage !== undefined) throw damage;
      const asked = waiting.length;
      const { caughtUp, behind } = await tail.step();
      state.behind = behind;
      if (caughtUp) state.caughtUpAt = Date.now();
      state.sizeBytes = store.size();
      post({ kind: 'state', state });
      if (!caughtUp) continue;
      dispatch(waiting.splice(0, asked));
      if (waiting.length === 0 && !closing && damage === undefined) await pause(TAIL_EVERY_MS);
    }
  } finally {
    await Promise.all([quickly.idle(), slowly.idle()]);
  }
}

type Connection = Awaited<ReturnType<Store['connect']>>;

async function statsFor(connection: Connection, stats: readonly Asked[]): Promise<(asked: Asked) => unknown> {
  const no = ({ question }: Asked): number => (question as Question & { kind: 'stats' }).contentNo;
  const found = await answerStats(connection, [...new Set(stats.map(no))]);
  return (asked) => found.get(no(asked)) ?? { total: 0, allowed: 0 };
}

function answerTo(connection: Connection, question: Exclude<Question, { kind: 'stats' }>): Promise<unknown> {
  if (question.kind === 'report') return answerReport(connection, question.query);
  if (question.kind === 'find') return answerFind(connection, question.filter, question.page);
  return answerBounds(connection);
}

function answer({ id }: Asked, value: unknown): void {
  if (open.delete(id)) post({ kind: 'answer', id, value });
}

function refuse({ id }: Asked, message: string): void {
  if (open.delete(id)) post({ kind: 'refusal', id, message });
}

/** Opens both ends and serves, again and again, slower with each failure in a row. */
async function run(): Promise<void> {
  let retryMs = 100;
  while (!closing) {
    let store: Store | undefined;
    let damaged = false;
    const startedAt = performance.now();
    try {
      source = withArchive(await openSource(setup.records), setup.archiveDir);
      const opened = await openStore(setup.columnsFile);
      store = opened.store;
      if (opened.fresh) state.rebuilds++;
      await serve(store, await openTail(store.writer, source));
    } catch (error) {
      damaged = !(error instanceof SourceFailed) && isDamage(error);
      post({
        kind: 'problem',
        message: `the columns start again${damaged ? ' from nothing' : ''}: ${messageOf(error)}`,
      });
      // A new file is soon filled, so the questions wait for it; for anything else there is no telling.
      if (!damaged) for (const asked of waiting.splice(0)) refuse(asked, messageOf(error));
    }
    await closeQuietly(store);
    await closeQuietly(source);
    source = undefined;
    if (closing) return;
    if (damaged) removeStore(setup.columnsFile);
    if (performance.now() - startedAt > RETRY_MAX_MS) retryMs = 100;
    await pause(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }
}

async function closeQuietly(end: Source | Store | undefined): Promise<void> {
  try {
    await end?.close();
  } catch (error) {
    post({ kind: 'problem', message: `the columns did not close well: ${messageOf(error)}` });
  }
}

await run();
for (const asked of waiting.splice(0)) refuse(asked, 'the columns are closed');
port.close();
