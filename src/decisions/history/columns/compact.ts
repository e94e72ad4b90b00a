/** Compacts the columns: freed blocks of their file hold former values. */
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sync } from '../../../lib/folder.ts';
import { type Heap, toResourceLimits } from '../../../lib/memory.ts';
import type { CompactSetup } from './compact-worker.ts';
import { compactFile, engineSettings } from './duckdb.ts';

export interface Compacting {
  heap: Heap;
  engineMiB: number;
  /** Aborted when the process ends. */
  signal: AbortSignal;
}

/**
 * Copies a closed store into a new file and puts that in its place. After a crash, one of both is there, complete.
 * Throws when it fails or is aborted.
 */
export async function compactStore(file: string, { heap, engineMiB, signal }: Compacting): Promise<void> {
  const fresh = compactFile(file);
  for (const path of [fresh, `${fresh}.wal`]) rmSync(path, { force: true });
  const thread = new Worker(new URL('./compact-worker.ts', import.meta.url), {
    workerData: { file, fresh, settings: engineSettings(engineMiB) } satisfies CompactSetup,
    resourceLimits: toResourceLimits(heap),
  });
  const stop = (): void => thread.postMessage('stop');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await new Promise<void>((resolve, reject) => {
      thread.once('error', reject);
      thread.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the thread ended with ${code}`))));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
  sync(fresh);
  renameSync(fresh, file);
  sync(dirname(file));
}
