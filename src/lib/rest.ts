/** Gives memory of a thread back to the system while the thread is at rest; V8 does that after minutes, if at all. */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 500;
/** A thread that was busy for less of the time is at rest: a millisecond more delays no request much. */
const IDLE_PART = 0.05;
/** A thread with less work receives no requests: one would wait for a collection of the whole heap. */
const UNUSED_PART = 0.01;
const MIB = 1024 * 1024;
/** A smaller young generation does not shrink. */
const YOUNG_BYTES = 2 * MIB;
/** Periodic work needs as many. */
const FEW_USES = 8;
/** A larger heap would hold up its thread for too long. */
const SMALL_BYTES = 48 * MIB;
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
 * From now on the young generation of this thread shrinks whenever the thread is at rest: it stays as large as the load
 * made it otherwise. A collection of it takes about a millisecond, however large the heap is. A small heap is collected
 * in full while there are no requests.
 */
export function shrinkAtRest(): void {
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization >= IDLE_PART) return;
    const isSmall = getHeapStatistics().total_heap_size <= SMALL_BYTES;
    if (isSmall && utilization < UNUSED_PART) collectIfGrown();
    else if (youngBytes() > YOUNG_BYTES) collect({ type: 'minor' });
  }, LOOK_EVERY_MS).unref();
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

let collectedBytes = 0;

/**
 * Collects the heap of this thread if it has grown since the last time. For threads with small heaps: it takes a
 * millisecond for each MiB that is alive.
 */
export function collectIfGrown(): void {
  if (getHeapStatistics().total_heap_size < collectedBytes + GROWTH_BYTES) return;
  collect({ type: 'major', flavor: 'last-resort' });
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
