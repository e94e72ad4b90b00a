/** A thread that counts chunks of lines. It returns each buffer, so that memory does not grow. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Chunk, type CountOptions, openCounter } from './count.ts';
import type { VisitCounts } from './tally.ts';

/** `bytes`: a buffer of which the first `length` bytes are lines; null: there are no more. */
export interface ToAuditWorker {
  id: number;
  bytes: ArrayBuffer | null;
  length: number;
}

export type FromAuditWorker = { id: number; bytes: ArrayBuffer; chunk: Chunk } | { counted: VisitCounts };

const options = workerData as CountOptions;
// Conditions take a while to load, and few audits need them.
const answer = options.policy === null ? null : (await import('./answers.ts')).openAnswers(options.policy);
const counter = openCounter(options, answer);
parentPort?.on('message', ({ id, bytes, length }: ToAuditWorker) => {
  if (bytes === null) {
    parentPort?.postMessage({ counted: counter.counted() } satisfies FromAuditWorker);
    return;
  }
  const chunk = counter.count(Buffer.from(bytes, 0, length));
  parentPort?.postMessage({ id, bytes, chunk } satisfies FromAuditWorker, [bytes]);
});
