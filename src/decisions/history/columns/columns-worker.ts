/**
 * The thread that owns the columns. Promise: every answer includes all that was committed before the question arrived.
 * After any failure of the file the thread starts again, from an empty file if necessary.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { withArchive } from '../archive/parquet.ts';
import { openMovedStore } from '../moved/store.ts';
import { Answerer, type Asked, type Replies } from './answerer.ts';
import { compactStore } from './compact.ts';
import { DecisionsLost, Diverged } from './diverged.ts';
import {
  errorMessage,
  hasRoom,
  isDamage,
  isFull,
  openMemoryStore,
  openStore,
  removeStore,
  type Store,
} from './duckdb.ts';
import type { ColumnsEngine } from './engine.ts';
import { type LicensedWindow, toTransferList } from './licensed.ts';
import type { ColumnsSetup, FromWorker, ToWorker, WorkerState } from './messages.ts';
import { type DecisionSource, openSource, SourceFailed } from './source.ts';
import { openTail, type Tail } from './tail.ts';

/**
 * Between questions, decisions gather for this long or to this number: a step costs as much as four thousand of them.
 * The next question waits until they are taken.
 */
const GATHER_MS = 5_000;
const GATHERED_MAX = 32_768;
const LOOK_EVERY_MS = 1_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 60_000;
const INTERRUPT_EVERY_MS = 20;

const CLOSED = 'the columns are closed';

const setup = workerData as ColumnsSetup;
const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const post = (message: FromWorker): void => port.postMessage(message);

let closing = false;
let source: DecisionSource | undefined;
let current: ColumnsEngine | undefined;
let wake: (() => void) | undefined;
/** In order of arrival. */
let waiting: Asked[] = [];
/** Questions whose caller still waits. */
const open = new Set<number>();
const { engineMiB, heap } = setup.memory;
const ending = new AbortController();
const state: WorkerState = { behind: 0, caughtUpAt: null, sizeBytes: 0, rebuilds: 0, problem: null };

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
    ending.abort();
    // A thread that ends while DuckDB works aborts the process. Repeated, because another query may follow.
    setInterval(() => current?.interrupt(), INTERRUPT_EVERY_MS).unref();
    current?.interrupt();
  }
  wake?.();
});

const replies: Replies = {
  isWanted: ({ id }) => open.has(id),
  closing: () => (closing ? CLOSED : null),
  answer({ id, question }, value) {
    if (!open.delete(id)) return;
    const moved = question.kind === 'licensedGroups' ? toTransferList(value as LicensedWindow) : [];
    port.postMessage({ kind: 'answer', id, value } satisfies FromWorker, moved);
  },
  refuse({ id }, message) {
    if (open.delete(id)) post({ kind: 'refusal', id, message });
  },
  problem: (message) => post({ kind: 'problem', message }),
  damaged: () => wake?.(),
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function gather(tail: Tail, isIdle: () => boolean, rest: () => Promise<void>): Promise<void> {
  const until = performance.now() + GATHER_MS;
  await pause(LOOK_EVERY_MS);
  if (isIdle()) await rest();
  while (isIdle() && performance.now() < until && (await tail.gathered()) < GATHERED_MAX) await pause(LOOK_EVERY_MS);
}

/** After a failed attempt to compact the file, the next one waits. */
const COMPACT_RETRY_MS = 600_000;
let compactAt = 0;

/**
 * Tails and answers until the thread closes, the file should be compacted, or `isOver`. Throws when this file or this
 * source fails.
 */
async function serve(engine: ColumnsEngine, isOver: () => boolean): Promise<void> {
  const { tail } = engine;
  const answerer = new Answerer(await engine.connect(), await engine.connect(), replies);
  /** Something was asked, or much was tailed, since the engine gave back memory. */
  let used = true;
  const rest = async (): Promise<void> => {
    // Beside a query, the engine would have to wait for it.
    if (!used || open.size > 0) return;
    used = false;
    await engine.rest();
  };
  try {
    while (!closing) {
      if (answerer.damage !== undefined) throw answerer.damage;
      // Only questions that arrived before the step: its answers include all that was committed before them.
      const count = waiting.length;
      const { caughtUp, behind } = await tail.step();
      state.behind = behind;
      if (caughtUp) state.caughtUpAt = Date.now();
      state.problem = null;
      state.sizeBytes = engine.size();
      post({ kind: 'state', state });
      used ||= count > 0 || !caughtUp;
      if (!caughtUp) continue;
      answerer.dispatch(waiting.splice(0, count));
      if (isOver() || isCompactDue(tail)) return;
      const isIdle = () => waiting.length === 0 && !closing && answerer.damage === undefined;
      if (isIdle()) await gather(tail, isIdle, rest);
    }
  } finally {
    await answerer.idle();
  }
}

const isCompactDue = (tail: Tail): boolean => tail.isRewritten() && performance.now() >= compactAt;

/** Opens both ends and serves until they fail or the thread closes; retries with increasing delay. */
async function run(): Promise<void> {
  let retryMs = RETRY_MIN_MS;
  let inMemory = false;
  while (!closing) {
    const startedAt = performance.now();
    const end = await serveOnce(inMemory);
    if (closing) return;
    if (end === 'damaged' && setup.clickHouse === null) removeStore(setup.columnsFile);
    inMemory = end === 'full';
    if (performance.now() - startedAt > RETRY_MAX_MS) retryMs = RETRY_MIN_MS;
    await pause(retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }
}

type End = 'over' | 'failed' | 'damaged' | 'full';

/** While the disk is full, nothing can be written to the file, and a copy in memory answers. */
async function serveOnce(inMemory: boolean): Promise<End> {
  let isCompacting = false;
  try {
    source = withArchive(
      await openSource(setup.records, setup.memory.pagesKiB, openMovedStore(setup.clickHouse)),
      setup.archiveDir,
      setup.memory.archiveMiB,
    );
    current = await openEngine(source, inMemory);
    const isOver = inMemory ? () => hasRoom(setup.columnsFile) : () => false;
    await serve(current, isOver);
    isCompacting = !inMemory && !closing && isCompactDue(current.tail);
    return 'over';
  } catch (error) {
    const end = inMemory ? 'failed' : toEnd(error);
    const from = end === 'damaged' ? ' from nothing' : '';
    const message = `the columns start again${from}: ${errorMessage(error)}`;
    // One that lasts is logged once.
    if (!closing && state.problem !== errorMessage(error)) {
      post({ kind: 'problem', message, isLoss: error instanceof DecisionsLost });
    }
    // A new file is filled soon, so questions wait for it. Other failures may last.
    if (end === 'failed') await fail(errorMessage(error));
    return end;
  } finally {
    const used = current;
    current = undefined;
    await closeQuietly(used);
    await closeQuietly(source);
    source = undefined;
    if (isCompacting) await compact();
  }
}

/** The newest decision that the columns had when they last worked. */
let newest = 0;

/** Refuses what waits, and says why and how far behind the columns are. */
async function fail(problem: string): Promise<void> {
  for (const asked of waiting.splice(0)) replies.refuse(asked, problem);
  state.problem = problem;
  try {
    const head = (await source?.read((records) => records.head()))?.decisionsSeq ?? 0;
    if (current !== undefined) newest = head - (await current.tail.gathered());
    state.behind = Math.max(0, head - newest);
  } catch {
    // The records do not answer: it stays as it was.
  }
  post({ kind: 'state', state });
}

async function compact(): Promise<void> {
  try {
    await compactStore(setup.columnsFile, { heap, engineMiB, signal: ending.signal });
  } catch (error) {
    if (closing) return;
    compactAt = performance.now() + COMPACT_RETRY_MS;
    post({ kind: 'problem', message: `the columns could not be compacted: ${errorMessage(error)}` });
  }
}

function toEnd(error: unknown): End {
  if (setup.clickHouse !== null) return error instanceof Diverged ? 'damaged' : 'failed';
  if (isFull(error)) return 'full';
  if (error instanceof SourceFailed) return 'failed';
  return error instanceof Diverged || isDamage(error) ? 'damaged' : 'failed';
}

async function openEngine(records: DecisionSource, inMemory: boolean): Promise<ColumnsEngine> {
  if (setup.clickHouse !== null) {
    const { openClickHouseColumns } = await import('../clickhouse/open.ts');
    return openClickHouseColumns({
      url: setup.clickHouse,
      records: setup.records,
      source: records,
      pause,
      signal: ending.signal,
      onRebuild: () => {
        state.rebuilds++;
      },
    });
  }
  const store = inMemory ? await openMemoryStore(engineMiB) : await openFile();
  try {
    return { ...store, tail: await openTail(store.writer, records) };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function openFile(): Promise<Store> {
  const opened = await openStore(setup.columnsFile, engineMiB);
  if (opened.fresh) state.rebuilds++;
  return opened.store;
}

async function closeQuietly(end: DecisionSource | ColumnsEngine | undefined): Promise<void> {
  try {
    await end?.close();
  } catch (error) {
    post({ kind: 'problem', message: `the columns did not close well: ${errorMessage(error)}` });
  }
}

await run();
for (const asked of waiting.splice(0)) replies.refuse(asked, CLOSED);
port.close();
