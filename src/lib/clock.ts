/** Time. Code that needs it takes a Clock, so that tests control it. */

export interface Clock {
  /** Epoch milliseconds. Never less than a value it gave before. */
  now(): number;
}

/**
 * A clock that never runs backwards within a process. Ids, decisions and rolling limits are ordered by it, so a
 * correction of the machine's clock must not reorder them.
 */
export function steadyClock(source: () => number = Date.now): Clock {
  let latest = 0;
  return {
    now() {
      const now = source();
      if (now > latest) latest = now;
      return latest;
    },
  };
}

/** Faults of a clock that is set from outside: see machineClock. */
export interface MachineClock extends Clock {
  /** Continues from `at` if that is later. */
  goOnFrom(at: number): void;
  figures(): ClockFigures;
}

export interface ClockFigures {
  /** The time that this clock is ahead of the machine's, after that was set back. */
  aheadMs: number;
  /** The number of steps forward by JUMP_MS or more, and of those taken back. */
  jumps: number;
  takenBack: number;
  /** Time since the latest of either, by the monotonic clock; infinite without one. */
  steadyForMs: number;
}

/** A step forward this large may be a mistake: it is remembered, so that it can be taken back. */
const JUMP_MS = 10_000;
const JUMPS_KEPT = 8;
/** The share by which time slows while ahead of the machine's clock: three seconds in an hour. */
const SLOWER = 0.001;
/** Tolerance for a clock that is set back by hand: this, or a hundredth of the step. */
const NEAR_MS = 60_000;

/**
 * The machine's clock, corrected by the monotonic clock. Promise: time never stands still. When the machine's clock is
 * set back, time continues by the monotonic clock, slightly slower, until the two meet. A step forward is followed at
 * once, as after a sleep. If the clock is then set back to where it would be without that step, the step was a mistake
 * and time goes back too: the only case in which `now()` falls.
 */
export function machineClock(
  wall: () => number = () => Date.now(),
  elapsed: () => number = () => performance.now(),
): MachineClock {
  /** Offset of time from the monotonic clock. */
  let line = wall() - elapsed();
  /** Offsets before steps forward, the latest last. */
  let before: number[] = [];
  let latest = 0;
  let readAt = elapsed();
  let steppedAt = Number.NEGATIVE_INFINITY;
  let jumps = 0;
  let takenBack = 0;

  function step(offset: number, gone: number): void {
    const jumped = offset > line;
    if (jumped) {
      before = [...before, line].slice(-JUMPS_KEPT);
      jumps++;
      line = offset;
    } else {
      const home = findHome(offset);
      if (home === undefined) return;
      line = Math.max(home, offset);
      before = before.filter((one) => one < line - JUMP_MS);
      takenBack++;
      latest = 0;
    }
    steppedAt = gone;
  }

  /** The offset that the machine's clock returned to, if any. */
  function findHome(offset: number): number | undefined {
    let home: number | undefined;
    for (const one of before) {
      if (home === undefined || Math.abs(offset - one) < Math.abs(offset - home)) home = one;
    }
    if (home === undefined) return undefined;
    const size = line - home;
    return Math.abs(offset - home) <= Math.min(size / 2, Math.max(NEAR_MS, size / 100)) ? home : undefined;
  }

  return {
    now() {
      // In this order: a pause between the two readings makes the offset smaller, and the old offset stays.
      const at = wall();
      const gone = elapsed();
      const offset = at - gone;
      if (Math.abs(offset - line) >= JUMP_MS) step(offset, gone);
      line = Math.max(offset, line - (gone - readAt) * SLOWER);
      readAt = gone;
      // The sum may fall short of a whole millisecond.
      const now = Math.floor(gone + line + 0.001);
      if (now > latest) latest = now;
      return latest;
    },
    goOnFrom(at) {
      line = Math.max(line, at - elapsed());
      latest = Math.max(latest, at);
    },
    figures: () => ({
      aheadMs: Math.max(0, Math.round(line - (wall() - elapsed()))),
      jumps,
      takenBack,
      steadyForMs: elapsed() - steppedAt,
    }),
  };
}

/** A clock ahead by more than this was wrong; waiting for the machine's would falsify every timestamp. */
const AHEAD_MAX_MS = 3_600_000;

/** Returns the clock after a restart: it continues from the newest entry if that is later, by an hour at most. */
export function goingOnFrom(clock: Clock | MachineClock, newestAt: number): Clock {
  const ahead = newestAt - clock.now();
  if (ahead <= 0 || ahead > AHEAD_MAX_MS) return clock;
  if (!('goOnFrom' in clock)) return { now: () => clock.now() + ahead };
  clock.goOnFrom(newestAt);
  return clock;
}

/** The first and the last time that `toIso` can write: years of four digits. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 time with `Z` or an offset to epoch milliseconds. Returns undefined for anything else, also for
 * 30 February and for years that `toIso` cannot write.
 */
export function parseIso(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > last) return undefined;
  const at = Date.parse(text);
  // NaN fails both comparisons.
  return at >= FIRST_TIME && at <= LAST_TIME ? at : undefined;
}

/** Formats a time as `2026-11-21T09:30:00.123Z`, the one form on the wire. */
export function toIso(at: number): string {
  const second = Math.floor(at / 1000);
  const slot = second & (SECONDS_KEPT - 1);
  if (seconds[slot] !== second) {
    texts[slot] = new Date(second * 1000).toISOString().slice(0, -4);
    seconds[slot] = second;
  }
  // In one piece, which JSON.stringify writes faster.
  return [texts[slot], MILLISECONDS[Math.floor(at - second * 1000)]].join('');
}
// Formatting takes half a microsecond, and the times of checks and of their limits' resets are of few seconds.
const SECONDS_KEPT = 16;
const seconds: number[] = Array(SECONDS_KEPT).fill(Number.NaN);
const texts: string[] = Array(SECONDS_KEPT).fill('');
const MILLISECONDS = Array.from({ length: 1000 }, (_, ms) => `${String(ms).padStart(3, '0')}Z`);

/**
 * Monotonic milliseconds, independent of the machine's clock and comparable between threads: `performance.now()` counts
 * from the start of its thread, `process.hrtime()` from one origin for all.
 */
export const monotonicMs = (): number => performance.now() + OFFSET;
const [sinceSeconds, sinceNanoseconds] = process.hrtime();
const OFFSET = sinceSeconds * 1_000 + sinceNanoseconds / 1e6 - performance.now();

/**
 * Returns whether a text looks like the name of a time zone. Temporal would also accept offsets, whose clocks never
 * change, and whole date-times.
 */
export const hasZoneForm = (name: string): boolean => /^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(name);
