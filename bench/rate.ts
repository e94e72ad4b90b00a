/**
 * Measures how often this thread can run some work per second of its processor time, which other load affects least.
 */

export const RATE_NOTE = 'A second is one of processor time of the thread: what else the machine does moves it least.';

const ROUND_MS = 500;
/** Answers are added up, so that no work can be left out as unused. */
let sink = 0;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Does `work` for all indexes below `count`, again and again for half a second. */
export function rate(count: number, work: (index: number) => boolean): number {
  const began = cpuMs();
  let done = 0;
  let tookMs = 0;
  do {
    for (let i = 0; i < count; i++) if (work(i)) sink++;
    done += count;
    tookMs = cpuMs() - began;
  } while (tookMs < ROUND_MS);
  return sink < 0 ? 0 : (done / tookMs) * 1000;
}
