/**
 * What can still be true of one thing a check is about (its country, its address, its licences …) after some conditions
 * on it were found to hold and others not. A cell is a set of possible values; conditions narrow it. A cell is only ever
 * called empty when no check can be in it; the other way round it may hold values that no check has.
 */
import { difference, type Intervals, intersection } from './lint-intervals.ts';

/** Bounds the work on one policy: reasoning over long lists of many rules must not keep a request waiting. */
export class Meter {
  #left: number;

  constructor(units: number) {
    this.#left = units;
  }

  /** Throws OutOfUnits. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new OutOfUnits();
  }
}

export class OutOfUnits extends Error {}

/** How values of one sort are narrowed. */
export interface Kind<State, Value> {
  /** Nothing is excluded. */
  readonly all: State;
  /** Those of `state` of which the condition `value` holds, or does not; null when none is left. */
  narrow(state: State, value: Value, holds: boolean, meter: Meter): State | null;
}

// A kind's state and value are its own business; regions only carry them.
export type AnyKind = Kind<any, any>;

/** One value: among those of a list, or any other. */
interface OneOf {
  only: ReadonlySet<unknown> | null;
  not: ReadonlySet<unknown>;
}

function oneOfKind(all: OneOf): Kind<OneOf, ReadonlySet<unknown>> {
  return {
    all,
    narrow({ only, not }, values, holds, meter) {
      meter.spend(values.size + not.size + (only?.size ?? 0));
      if (!holds) {
        if (only === null) return { only, not: not.union(values) };
        const left = only.difference(values);
        return left.size === 0 ? null : { only: left, not };
      }
      const left = only === null ? values.difference(not) : only.intersection(values);
      return left.size === 0 ? null : { only: left, not };
    },
  };
}

/** A text or number out of endlessly many. */
export const ONE_OF = oneOfKind({ only: null, not: new Set() });

/** A text out of a closed list. */
export const oneOutOf = (values: readonly string[]) => oneOfKind({ only: new Set(values), not: new Set() });

/** The values that a cell of ONE_OF is down to, null for endlessly many. */
export const valuesOf = (state: unknown): ReadonlySet<unknown> | null => (state as OneOf).only;

/** A set of names, such as tags: it shares one with each of some lists, and none with another. */
interface AnyOf {
  hits: readonly ReadonlySet<unknown>[];
  misses: ReadonlySet<unknown>;
}

export const ANY_OF: Kind<AnyOf, ReadonlySet<unknown>> = {
  all: { hits: [], misses: new Set() },
  narrow({ hits, misses }, values, holds, meter) {
    meter.spend(values.size + misses.size + hits.reduce((sum, hit) => sum + hit.size, 0));
    if (holds) {
      const hit = values.difference(misses);
      return hit.size === 0 ? null : { hits: [...hits, hit], misses };
    }
    const left = hits.map((hit) => hit.difference(values));
    return left.some((hit) => hit.size === 0) ? null : { hits: left, misses: misses.union(values) };
  },
};

/** A text that contains a part out of each of some lists, and no part of another; all in small letters. */
interface Parts {
  has: readonly (readonly string[])[];
  lacks: readonly string[];
}

export const PARTS: Kind<Parts, readonly string[]> = {
  all: { has: [], lacks: [] },
  narrow({ has, lacks }, parts, holds, meter) {
    // Who contains the whole contains what is in it. Nothing else follows: other parts can be written side by side.
    const without = (list: readonly string[], excluded: readonly string[]): string[] => {
      meter.spend(list.length * (excluded.length + 1));
      return list.filter((whole) => !excluded.some((part) => whole.includes(part)));
    };
    if (holds) {
      const left = without(parts, lacks);
      return left.length === 0 ? null : { has: [...has, left], lacks };
    }
    const left = has.map((list) => without(list, parts));
    return left.some((list) => list.length === 0) ? null : { has: left, lacks: [...lacks, ...parts] };
  },
};

/** A point on a line. */
export function onLine<P extends number | bigint>(all: Intervals<P>): Kind<Intervals<P>, Intervals<P>> {
  return {
    all,
    narrow(state, intervals, holds, meter) {
      meter.spend(state.length + intervals.length);
      const left = holds ? intersection(state, intervals) : difference(state, intervals);
      return left.length === 0 ? null : left;
    },
  };
}

/** What is asked of one licence. */
export interface LicenseAsk {
  /** null: any type. */
  types: ReadonlySet<string | null> | null;
  /** All of them. */
  features: ReadonlySet<string>;
  /** One without an end ends after everything: in no interval with an upper limit. */
  ends: Intervals<number>;
}

export const ANY_LICENSE: LicenseAsk = { types: null, features: new Set(), ends: [[-Infinity, Infinity]] };

/** All valid licences of a requester: for each of some asks there is one, for others there is none. */
export interface Licenses {
  some: readonly LicenseAsk[];
  none: readonly LicenseAsk[];
}

export const LICENSES: Kind<Licenses, LicenseAsk> = {
  all: { some: [], none: [] },
  narrow({ some, none }, ask, holds, meter) {
    const next = holds ? { some: [...some, ask], none } : { some, none: [...none, ask] };
    const doubtful = holds ? [ask] : some;
    return doubtful.every((one) => isPossible(one, next.none, meter)) ? next : null;
  },
};

/** Is there a licence that is what is asked for, and none of the others? */
function isPossible(ask: LicenseAsk, none: readonly LicenseAsk[], meter: Meter): boolean {
  meter.spend(none.length + none.reduce((sum, one) => sum + one.features.size, 0));
  // The licence with just the features asked for is the least of all; what that one is, every other is too.
  const against = none.filter((one) => one.features.isSubsetOf(ask.features));
  // null stands for a type that nobody names: what it is not, none of the others is.
  for (const type of ask.types ?? [null]) {
    meter.spend(against.length + 1);
    let { ends } = ask;
    for (const one of against) {
      if (one.types === null || one.types.has(type)) ends = difference(ends, one.ends);
    }
    if (ends.length > 0) return true;
  }
  return false;
}
