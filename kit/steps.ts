/**
 * Steps of the process between two turns of the event loop: blocks of code entered, and JSON read and written. They are
 * counted, not timed, so a busy machine counts the same. Code compiled before the meter is counted by function only, so
 * import `src/` after this file.
 */
import { Session } from 'node:inspector';

/**
 * Counting takes as long as millions of steps. So turns are counted together until the thread has worked this long:
 * all that they did is then held against one turn, which can only be more.
 */
const COUNT_AFTER_MS = 10;

/** A character of JSON costs a fraction of what a block does. */
const JSON_CHARACTERS_A_STEP = 4;

interface Coverage {
  result: { functions: { ranges: { count: number }[] }[] }[];
}

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

let characters = 0;
let countedAt = 0;
const workedMs = (): number => process.threadCpuUsage().user / 1_000;
/** Says whether the thread has worked since it was counted last. */
const hasWorked = (): boolean => workedMs() - countedAt > COUNT_AFTER_MS;
const { parse, stringify } = JSON;
JSON.parse = (text: string, ...more: never[]) => {
  characters += text.length;
  return parse(text, ...more);
};
JSON.stringify = ((value: unknown, ...more: never[]) => {
  const text = stringify(value, ...more);
  characters += text?.length ?? 0;
  return text;
}) as typeof JSON.stringify;

/** Since the last call. */
function take(): number {
  let steps = Math.ceil(characters / JSON_CHARACTERS_A_STEP);
  characters = 0;
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error;
    for (const script of (coverage as Coverage).result) {
      for (const { ranges } of script.functions) for (const { count } of ranges) steps += count;
    }
  });
  countedAt = workedMs();
  return steps;
}

/** At least the most steps of one turn while the work goes on. */
export async function mostStepsOf(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let ended = false;
  if (hasWorked()) take();
  const counting = new Promise<void>((resolve) => {
    const tick = (): void => {
      if (ended || hasWorked()) most = Math.max(most, take());
      if (ended) resolve();
      else setImmediate(tick);
    };
    setImmediate(tick);
  });
  try {
    await work();
  } finally {
    ended = true;
    await counting;
  }
  return most;
}
