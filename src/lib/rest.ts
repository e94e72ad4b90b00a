/** Gives memory of a thread back to the system while the thread is at rest; V8 does that after minutes, if at all. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 500;
/** A thread with less work receives no requests: one would wait for a collection of the whole heap. */
const IDLE_PART = 0.01;
/** The start is long over. */
const LOOKS_MAX = 20;
const MIB = 1024 * 1024;
/** Periodic work needs as many. */
const FEW_USES = 8;
/** A heap that has grown by less is not collected again. */
const GROWTH_BYTES = 4 * MIB;

// Before threads start: code that a thread compiles is cached for threads that start with the same flags.
setFlagsFromString('--expose-gc');
let gc: NodeJS.GCFunction | undefined;

function collect(options: NodeJS.GCOptions): void {
  gc ??= runInNewContext('gc') as NodeJS.GCFunction;
  gc({ ...options, execution: 'sync' });
}

/**
 * Collects the heap of the main thread when it is first at rest, unless it is busy for ten seconds. Never later: after
 * pauses in which its heap was made small, checks took up to 1.4 times the processor time.
 */
export function collectAfterStart(): void {
  let before = performance.eventLoopUtilization();
  let looks = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    looks++;
    if (utilization >= IDLE_PART && looks < LOOKS_MAX) return;
    clearInterval(timer);
    if (utilization < IDLE_PART) collectIfGrown();
  }, LOOK_EVERY_MS);
  timer.unref();
}

let collectedBytes = 0;

/**
 * Collects the heap of this thread if it has grown since the last time. For threads with small heaps: it takes a
 * millisecond for each MiB that is alive. Only the first time, after the start, is it a last resort: that gives back
 * most, and drops compiled code.
 */
export function collectIfGrown(): void {
  if (getHeapStatistics().total_heap_size < collectedBytes + GROWTH_BYTES) return;
  collect({ type: 'major', flavor: collectedBytes === 0 ? 'last-resort' : 'regular' });
  collectedBytes = getHeapStatistics().total_heap_size;
}

/** Returns a function that notes a use, and calls `rest` in the first quiet half second after a busy one. */
export function onceQuiet(rest: () => void): () => void {
  let uses = 0;
  // So is the start.
  let wasBusy = true;
  setInterval(() => {
    const isBusy = uses > FEW_USES;
    uses = 0;
    if (wasBusy && !isBusy) rest();
    wasBusy = isBusy;
  }, LOOK_EVERY_MS).unref();
  return () => {
    uses++;
  };
}
