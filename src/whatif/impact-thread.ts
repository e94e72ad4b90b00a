/**
 * Runs impact previews and counts of candidates, each in a thread of its own, one at a time in this process, so that
 * checks keep theirs. A few wait, for a bounded time; more are refused. One whose client hangs up is stopped.
 */
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../db/db.ts';
import { fail, unavailable } from '../errors.ts';
import { atMost } from '../lib/queue.ts';
import { type ImpactMemory, limitsOf } from '../memory.ts';
import type { CandidateFigures, CandidateQuestion } from './candidate-count.ts';
import type { FromImpactWorker, ImpactQuestion, ThreadSetup } from './impact-worker.ts';
import type { ImpactReport } from './report.ts';

export interface Impacts {
  /** Throws service_unavailable when too many wait, Unavailable when the records cannot be read. */
  preview(question: ImpactQuestion, signal: AbortSignal): Promise<ImpactReport>;
  /** Counts what a candidate has decided so far. Throws as `preview` does. */
  count(question: CandidateQuestion, signal: AbortSignal): Promise<CandidateFigures>;
  /** Ends the running preview, because the database has stopped responding. */
  abandon(): void;
  close(): Promise<void>;
}

const WAITING_MAX = 4;
const WAIT_MAX_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;
/** Updates a preview's flag for arriving checks this often. */
const WATCH_EVERY_MS = 20;
/** `checksRecorded`: the number so far; while it grows, a preview yields to checks. */
export function openImpacts(records: string, memory: ImpactMemory, checksRecorded: () => number): Impacts {
  const queue = atMost(1, { waiting: WAITING_MAX, full: tooMany });
  let worker: Worker | undefined;
  let closed = false;

  async function run(question: ThreadSetup['question'], signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw hangUp();
    if (closed) throw new Unavailable('the service is stopping');
    const watch = watched(checksRecorded);
    const thread = new Worker(new URL('./impact-worker.ts', import.meta.url), {
      workerData: { question, records, memory, checksCome: watch.checksCome } satisfies ThreadSetup,
      // Out of heap, the thread ends, not the process.
      resourceLimits: limitsOf(memory.heap),
    });
    worker = thread;
    const stop = (): void => void thread.terminate();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = await answerOf(thread);
      if (answer.ok) return answer.report;
      throw new Unavailable(`the decisions cannot be read now: ${answer.message}`);
    } catch (error) {
      throw signal.aborted ? hangUp() : error;
    } finally {
      signal.removeEventListener('abort', stop);
      watch.end();
      await thread.terminate();
      worker = undefined;
    }
  }

  async function runInTurn(question: ThreadSetup['question'], signal: AbortSignal): Promise<unknown> {
    const wait = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MAX_MS)]);
    try {
      return await queue.run(() => run(question, signal), wait);
    } catch (error) {
      if (error !== wait.reason) throw error;
      throw signal.aborted ? hangUp() : tooMany();
    }
  }

  return {
    preview: async (question, signal) => (await runInTurn(question, signal)) as ImpactReport,
    count: async (question, signal) => (await runInTurn(question, signal)) as CandidateFigures,
    abandon: () => void worker?.terminate(),
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

function watched(checksRecorded: () => number): { checksCome: ThreadSetup['checksCome']; end(): void } {
  const checksCome = new Int32Array(new SharedArrayBuffer(4));
  let before = checksRecorded();
  const timer = setInterval(() => {
    const now = checksRecorded();
    Atomics.store(checksCome, 0, now === before ? 0 : 1);
    before = now;
  }, WATCH_EVERY_MS);
  return { checksCome, end: () => clearInterval(timer) };
}

function answerOf(thread: Worker): Promise<FromImpactWorker> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', (cause) => reject(new Unavailable('the preview’s thread failed', { cause })));
    thread.once('exit', () => reject(new Unavailable('the preview was stopped')));
  });
}

/** A refusal without a reader. */
const hangUp = () => fail('invalid_request', 'The client hung up.');

const tooMany = () =>
  unavailable('Other decisions are being counted or decided again. Retry later.', undefined, RETRY_AFTER_SECONDS);
