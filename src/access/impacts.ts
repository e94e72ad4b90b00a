/**
 * Runs impact previews: each in a thread of its own, one at a time in this process, so that checks keep theirs. A few wait
 * for their turn, for a bounded time; more are refused. One whose client hangs up is stopped.
 */
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../db/db.ts';
import { fail, unavailable } from '../errors.ts';
import type { ImpactReport } from './impact-report.ts';
import type { FromImpactWorker, ImpactSetup } from './impact-worker.ts';

export type ImpactQuestion = Omit<ImpactSetup, 'records' | 'checksCome'>;

export interface Impacts {
  /** Throws service_unavailable when too many wait, Unavailable when the records cannot be read. */
  preview(question: ImpactQuestion, signal: AbortSignal): Promise<ImpactReport>;
  /** The server of the records is silent: what is under way ends now. */
  abandon(): void;
  close(): Promise<void>;
}

const WAITING_MAX = 4;
const WAIT_MAX_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;
/** How often a preview hears whether checks come. */
const WATCH_EVERY_MS = 20;
/** Out of heap, the thread ends and not the process. */
const HEAP_MIB = 768;

/** `checksRecorded`: how many so far; while it grows, a preview makes room for them. */
export function openImpacts(records: string, checksRecorded: () => number): Impacts {
  const turns = turnstile();
  let worker: Worker | undefined;
  let closed = false;

  async function run(question: ImpactQuestion, signal: AbortSignal): Promise<ImpactReport> {
    if (signal.aborted) throw hangUp();
    if (closed) throw new Unavailable('the service is stopping');
    const watch = watched(checksRecorded);
    const thread = new Worker(new URL('./impact-worker.ts', import.meta.url), {
      workerData: { ...question, records, checksCome: watch.checksCome } satisfies ImpactSetup,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
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

  return {
    async preview(question, signal) {
      await turns.enter(signal);
      try {
        return await run(question, signal);
      } finally {
        turns.leave();
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

function answerOf(thread: Worker): Promise<FromImpactWorker> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', (cause) => reject(new Unavailable('the preview’s thread failed', { cause })));
    thread.once('exit', () => reject(new Unavailable('the preview was stopped')));
  });
}

/** Nobody reads it. */
const hangUp = () => fail('invalid_request', 'The client hung up.');

const tooMany = () =>
  unavailable('Another impact preview is under way; try again later.', undefined, RETRY_AFTER_SECONDS);

/** Lets one in at a time, in the order they came. */
function turnstile(): { enter(signal: AbortSignal): Promise<void>; leave(): void } {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    async enter(signal) {
      if (!taken) {
        taken = true;
        return;
      }
      if (waiting.length >= WAITING_MAX) throw tooMany();
      await new Promise<void>((resolve, reject) => {
        const giveUp = (error: Error): void => {
          const place = waiting.indexOf(go);
          if (place === -1) return;
          waiting.splice(place, 1);
          finish();
          reject(error);
        };
        const hungUp = (): void => giveUp(hangUp());
        const timer = setTimeout(() => giveUp(tooMany()), WAIT_MAX_MS);
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', hungUp);
        };
        const go = (): void => {
          finish();
          resolve();
        };
        waiting.push(go);
        signal.addEventListener('abort', hungUp, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}
