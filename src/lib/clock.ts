/** Time as a parameter: everything that needs the moment is handed a Clock, so that tests own it. */
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

/** The first and the last moment that `toIso` can write: years of four digits. */
export const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** `2026-11-21T09:30:00.123Z`, the one form of time on the wire. */
export function toIso(at: number): string {
  if (at !== latestAt) {
    latestAt = at;
    latestIso = new Date(at).toISOString();
  }
  return latestIso;
}
// Many answers are of the same millisecond.
let latestAt = Number.NaN;
let latestIso = '';
