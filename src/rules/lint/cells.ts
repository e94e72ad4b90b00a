/**
 * Cells: the values that one subject of a check (its country, its address, its licenses …) may still have after some
 * conditions on it hold and others do not. Conditions narrow a cell. An empty cell contains no check; a cell that is
 * not empty may contain values that no check has.
 */
import { impliesHost, impliesPath, type PathPattern } from '../../lib/urls/url-pattern.ts';
import { difference, type Intervals, intersection } from './intervals.ts';

/** Bounds the work on one policy: reasoning about long lists of many rules must not block the service. */
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

/** Narrows values of one type. */
export interface CellKind<State, Value> {
  /** Excludes nothing. */
  readonly all: State;
  /** Returns the part of `state` for which the condition `value` holds, or does not; null: none. */
  narrow(state: State, value: Value, holds: boolean, meter: Meter): State | null;
}

// Only the kind itself reads its state and values; regions carry them.
export type AnyKind = CellKind<any, any>;

/** A single value: one of `only` (null: any value), and none of `not`. */
interface OneOf {
  only: ReadonlySet<unknown> | null;
  not: ReadonlySet<unknown>;
}

function oneOfKind(all: OneOf): CellKind<OneOf, ReadonlySet<unknown>> {
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

/** A text or number from an unbounded set. */
export const ONE_OF = oneOfKind({ only: null, not: new Set() });

/** A text from a closed list. */
export const oneOutOf = (values: readonly string[]) => oneOfKind({ only: new Set(values), not: new Set() });

/** Returns the values left in a cell of ONE_OF; null: unbounded. */
export const remainingValues = (state: unknown): ReadonlySet<unknown> | null => (state as OneOf).only;

/** A set of names, such as tags: it contains a name of each hit, and no miss. */
interface AnyOf {
  hits: readonly ReadonlySet<unknown>[];
  misses: ReadonlySet<unknown>;
}

export const ANY_OF: CellKind<AnyOf, ReadonlySet<unknown>> = {
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

/** A text that matches a pattern from each list of `has`, and none of `lacks`. */
interface Patterns<P> {
  has: readonly (readonly P[])[];
  lacks: readonly P[];
}

/** Texts that match `one` match `other` too if `implies(one, other)`. Nothing else is known of two patterns. */
function patternsKind<P>(
  implies: (one: P, other: P) => boolean,
  lengthOf: (one: P) => number,
): CellKind<Patterns<P>, readonly P[]> {
  return {
    all: { has: [], lacks: [] },
    narrow({ has, lacks }, patterns, holds, meter) {
      const without = (list: readonly P[], excluded: readonly P[]): P[] => {
        meter.spend(list.reduce((sum, one) => sum + 1 + lengthOf(one) / LENGTH_A_UNIT, 0) * (excluded.length + 1));
        return list.filter((one) => !excluded.some((other) => implies(one, other)));
      };
      if (holds) {
        const left = without(patterns, lacks);
        return left.length === 0 ? null : { has: [...has, left], lacks };
      }
      const left = has.map((list) => without(list, patterns));
      return left.some((list) => list.length === 0) ? null : { has: left, lacks: [...lacks, ...patterns] };
    },
  };
}

/** A text of this length takes twice as long to search as a short one. */
const LENGTH_A_UNIT = 32;

/** Lowercase parts of a text: a text with a whole contains its parts. */
export const PARTS = patternsKind<string>(
  (whole, part) => whole.includes(part),
  ({ length }) => length,
);

export const HOSTS = patternsKind<string>(impliesHost, ({ length }) => length);

export const PATHS = patternsKind<PathPattern>(impliesPath, ({ octets }) => octets);

/** A point on a line. */
export function onLine<P extends number | bigint>(all: Intervals<P>): CellKind<Intervals<P>, Intervals<P>> {
  return {
    all,
    narrow(state, intervals, holds, meter) {
      meter.spend(state.length + intervals.length);
      const left = holds ? intersection(state, intervals) : difference(state, intervals);
      return left.length === 0 ? null : left;
    },
  };
}

/** Requirements on one license. */
export interface LicenseAsk {
  /** null: any type. */
  types: ReadonlySet<string | null> | null;
  /** All of them. */
  features: ReadonlySet<string>;
  /** A license without an end ends after everything: in no interval with an upper bound. */
  ends: Intervals<number>;
}

export const ANY_LICENSE: LicenseAsk = { types: null, features: new Set(), ends: [[-Infinity, Infinity]] };

/** The valid licenses of a requester: one for each ask of `some`, none for any of `none`. */
export interface Licenses {
  some: readonly LicenseAsk[];
  none: readonly LicenseAsk[];
}

export const LICENSES: CellKind<Licenses, LicenseAsk> = {
  all: { some: [], none: [] },
  narrow({ some, none }, ask, holds, meter) {
    const next = holds ? { some: [...some, ask], none } : { some, none: [...none, ask] };
    const doubtful = holds ? [ask] : some;
    return doubtful.every((one) => isPossible(one, next.none, meter)) ? next : null;
  },
};

/** Checks whether a license can meet `ask` and none of the others. */
function isPossible(ask: LicenseAsk, none: readonly LicenseAsk[], meter: Meter): boolean {
  meter.spend(none.length + none.reduce((sum, one) => sum + one.features.size, 0));
  // A license with exactly the features of `ask` meets the fewest other asks.
  const against = none.filter((one) => one.features.isSubsetOf(ask.features));
  // null stands for a type that no ask names, so it meets the fewest other asks.
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
