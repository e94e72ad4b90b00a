/**
 * The pace of long work beside checks: a check may wait for one piece. So pieces become smaller while they take longer
 * than that may, as in a busy store, and larger again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from './db.ts';

/** Rest per time of work, and the size of its pieces: checks have the storage and the cores for most of the time. */
export interface Rest {
  idle: number;
  /** In a process whose event loop is never idle. */
  busy: number;
  pieces: keyof typeof PIECES;
}

/** For work that must keep up with the checks of a busy process. */
export const STEADY: Rest = { idle: 2, busy: 2, pieces: 'large' };
/** For work that nothing waits for. */
export const PATIENT: Rest = { idle: 2, busy: 40, pieces: 'large' };
/** For rows that each take much of the writer's time. */
export const CAREFUL: Rest = { idle: 2, busy: 40, pieces: 'small' };

const REST_MIN_MS = 2;
const REST_MAX_MS = 500;
/** Rows of a piece: with fewer, the commit is most of the work, and on PostgreSQL the round trips. */
const PIECES = {
  large: { ms: 3, rowsMin: { sqlite: 100, postgres: 400 } },
  small: { ms: 1, rowsMin: { sqlite: 20, postgres: 400 } },
} as const;
const ROWS_MAX = 2_000;
const GROWTH_MAX = 1.25;

/** Runs a piece of work, which takes so many rows, and rests: longer where a busy store took longer. */
export type Pace = <T>(work: (rows: number) => Promise<T>) => Promise<T>;

export function openPace(engine: Db['engine'], { idle, busy, pieces }: Rest): Pace {
  const { ms, rowsMin } = PIECES[pieces];
  const least: number = rowsMin[engine];
  let rows = least;
  let last = performance.eventLoopUtilization();
  return async (work) => {
    const began = performance.now();
    const value = await work(Math.round(rows));
    const tookMs = performance.now() - began;
    rows = Math.min(ROWS_MAX, Math.max(least, rows * Math.min(GROWTH_MAX, ms / tookMs)));
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const rest = idle + (busy - idle) * utilization;
    await pause(Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, tookMs * rest)));
    return value;
  };
}
