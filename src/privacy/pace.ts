/** The pace of long work beside checks. */
import { setTimeout as pause } from 'node:timers/promises';

/** Rest per time of work: checks have the storage for most of the time. */
const REST = 2;
const REST_MIN_MS = 2;

export type Pace = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns a function that runs a piece of work and rests: longer where a busy store took longer. */
export const openPace = (): Pace => async (work) => {
  const began = performance.now();
  const value = await work();
  await pause(Math.max(REST_MIN_MS, (performance.now() - began) * REST));
  return value;
};
