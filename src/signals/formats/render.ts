/** Renders all signals of a table: those of large sites in a thread of their own, so that checks keep theirs. */
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../db/db.ts';
import { toResourceLimits } from '../../lib/memory.ts';
import type { Table } from '../table/table.ts';
import { type Rendering, SIGNAL_KINDS, SIGNALS, type Signal, type SignalKind } from './kinds.ts';

/** null: the site has it switched off. */
export type Renderings = { readonly [K in SignalKind]: Rendering | null };

/** Up to this many rows take less time than the start of a thread. */
const ROWS_HERE_MAX = 200;
/** Characters of the site's own file. */
const BASE_HERE_MAX = 8_192;
/** Ten thousand patterns take half of it. */
const LIMITS = toResourceLimits({ oldMiB: 160, youngMiB: 12 });

export const renderHere = (table: Table): Renderings =>
  Object.fromEntries(SIGNAL_KINDS.map((kind) => [kind, (SIGNALS[kind] as Signal).render(table)])) as Renderings;

/** Throws Unavailable. */
export async function render(table: Table): Promise<Renderings> {
  const length = table.site.signals.robotsBase?.length ?? 0;
  if (table.rows.length <= ROWS_HERE_MAX && length <= BASE_HERE_MAX) return renderHere(table);
  const thread = new Worker(new URL('./render-worker.ts', import.meta.url), {
    workerData: table,
    resourceLimits: LIMITS,
  });
  try {
    return await new Promise<Renderings>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (cause) => reject(new Unavailable('the signals could not be rendered', { cause })));
      thread.once('exit', () => reject(new Unavailable('the rendering of signals was stopped')));
    });
  } finally {
    await thread.terminate();
  }
}
