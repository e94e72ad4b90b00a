/** The columns' thread, with a fault to order: it dies at the next message while `<columns>.crash` exists. */
import { existsSync, rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const order = `${workerData.columnsFile}.crash`;
parentPort?.on('message', () => {
  if (!existsSync(order)) return;
  rmSync(order);
  throw new Error('ordered to die');
});
await import('../../../src/decisions/history/columns/columns-worker.ts');
