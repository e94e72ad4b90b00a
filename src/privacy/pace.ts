/**
 * The pace of long work beside checks: a check may wait for one piece. So pieces become smaller while they take longer
 * than that may, as in a busy store, and larger again.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Rest per time of work: checks have the storage for most of the time. */
const REST = 3;
const REST_MIN_MS = 2;
const PIECE_MS = 3;
/** Rows of a piece: with fewer, the commit is most of the work. */
const ROWS_MIN = 50;
const ROWS_MAX = 2_000;
const GROWTH_MAX = 1.25;

/** Runs a piece of work, which takes so many rows, and rests: longer where a busy store took longer. */
export type Pace = <T>(work: (rows: number) => Promise<T>) => Promise<T>;

export function openPace(): Pace {
  let rows = ROWS_MIN;
  return async (work) => {
    const began = performance.now();
    const value = await work(Math.round(rows));
    const tookMs = performance.now() - began;
    rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, rows * Math.min(GROWTH_MAX, PIECE_MS / tookMs)));
    await pause(Math.max(REST_MIN_MS, tookMs * REST));
    return value;
  };
}
