/**
 * Runs impact previews, each in a thread of its own, one at a time in this process, so that checks keep theirs. A few
 * wait, for a bounded time; more are refused. A preview whose client hangs up is stopped.
 */
import { Worker } from 'node:worker_threads';
import { fail, unavailable } from '../../api/errors.ts';
import { Unavailable } from '../../db/db.ts';
import type { PastPlace } from '../../decisions/history/past.ts';
import { type ImpactMemory, toResourceLimits } from '../../lib/memory.ts';
import { atMost } from '../../lib/queue.ts';
import { directoryInForce, PACKAGED } from '../../rules/crawlers/directory.ts';
import type { FromImpactWorker, ImpactSetup } from './impact-worker.ts';
import type { ImpactReport } from './report.ts';

export type ImpactQuestion = Omit<ImpactSetup, 'place' | 'checksCome' | 'memory' | 'directory'>;

export interface Impacts {
  /** Throws service_unavailable when too many wait, Unavailable when the records cannot be read. */
  preview(question: ImpactQuestion, signal: AbortSignal): Promise<ImpactReport>;
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
export function openImpacts(place: PastPlace, memory: ImpactMemory, checksRecorded: () => number): Impacts {
  const queue = atMost(1, { waiting: WAITING_MAX, full: tooMany });
  let worker: Worker | undefined;
  let closed = false;

  async function run(question: ImpactQuestion, signal: AbortSignal): Promise<ImpactReport> {
    if (signal.aborted) throw hangUp();
    if (closed) throw new Unavailable('the service is stopping');
    const watch = watched(checksRecorded);
    const directory = directoryInForce();
    const thread = new Worker(new URL('./impact-worker.ts', import.meta.url), {
      workerData: {
        ...question,
        place,
        memory,
        checksCome: watch.checksCome,
        directory: directory === PACKAGED ? null : directory,
      } satisfies ImpactSetup,
      // Out of heap, the thread ends, not the process.
      resourceLimits: toResourceLimits(memory.heap),
    });
    worker = thread;
    const stop = (): void => void thread.terminate();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = await awaitAnswer(thread);
      if (answer.ok) return answer.report;
      if (answer.isSaid) throw unavailable(answer.message);
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

  return {
    async preview(question, signal) {
      const wait = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MAX_MS)]);
      try {
        return await queue.run(() => run(question, signal), wait);
      } catch (error) {
        if (error !== wait.reason) throw error;
        throw signal.aborted ? hangUp() : tooMany();
      }
    },
    abandon: () => void worker?.terminate(),
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

function watched(checksRecorded: () => number): { checksCome: ImpactSetup['checksCome']; end(): void } {
  const checksCome = new Int32Array(new SharedArrayBuffer(4));
  let before = checksRecorded();
  const timer = setInterval(() => {
    const now = checksRecorded();
    Atomics.store(checksCome, 0, now === before ? 0 : 1);
    before = now;
  }, WATCH_EVERY_MS);
  return { checksCome, end: () => clearInterval(timer) };
}

function awaitAnswer(thread: Worker): Promise<FromImpactWorker> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', (cause) => reject(new Unavailable('the preview’s thread failed', { cause })));
    thread.once('exit', () => reject(new Unavailable('the preview was stopped')));
  });
}

/** A refusal without a reader. */
const hangUp = () => fail('invalid_request', 'The client hung up.');

const tooMany = () => unavailable('Another impact preview is running. Retry later.', undefined, RETRY_AFTER_SECONDS);
