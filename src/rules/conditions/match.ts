/** Matchers of conditions: they compare values with the facts of a check. Pure. */
import { contains, parseRange } from '../../lib/ip-range.ts';
import { textSet } from '../../lib/text-set.ts';
import type { Facts } from '../facts.ts';

/** Undefined: the check does not know the value. Null: it has one that cannot be read. */
export type MatchAnswer = boolean | undefined | null;
export type Test = (facts: Facts) => MatchAnswer;

export interface Matcher {
  compile(value: never): Test;
  /** Returns what the check knows about the subject of the condition. */
  actual(facts: Facts, value: unknown): unknown;
}

/** Returns the value of a condition as a list. */
export const list = (value: string | string[]): string[] => (typeof value === 'string' ? [value] : value);

/** Matches if any value is among those of the check. */
export function anyOf(read: (facts: Facts) => readonly string[] | null): Matcher {
  return {
    compile(value: string | string[]): Test {
      const wanted = new Set(list(value));
      return (facts) => {
        const actual = read(facts);
        if (actual === null) return undefined;
        for (const one of actual) if (wanted.has(one)) return true;
        return false;
      };
    },
    actual: read,
  };
}

type Metadata = Readonly<Record<string, unknown>>;

/** Compares without conversion: "1" is not 1. An absent key makes the whole condition unknown. */
export function metadataTest(value: Metadata): (metadata: Metadata) => boolean | undefined {
  const wanted = Object.entries(value).map(([key, one]) => [key, new Set(Array.isArray(one) ? one : [one])] as const);
  return (metadata) => {
    let all = true;
    for (const [key, values] of wanted) {
      if (!Object.hasOwn(metadata, key)) return undefined;
      all &&= values.has(metadata[key]);
    }
    return all;
  };
}

export function metadataEquality(read: (facts: Facts) => Metadata | null): Matcher {
  return {
    compile(value: Metadata): Test {
      const isEqual = metadataTest(value);
      return (facts) => {
        const metadata = read(facts);
        return metadata === null ? undefined : isEqual(metadata);
      };
    },
    actual(facts, value) {
      const metadata = read(facts);
      // Only the keys that the condition names: the caller may not see the rest.
      const named = Object.keys(value as object).filter((key) => metadata !== null && Object.hasOwn(metadata, key));
      return metadata === null ? null : Object.fromEntries(named.map((key) => [key, metadata[key]]));
    },
  };
}

/** Matches if the value, or any of the list, equals that of the check. */
export function equality(read: (facts: Facts) => string | null): Matcher {
  return {
    compile(value: string | string[]): Test {
      if (typeof value === 'string') {
        return (facts) => {
          const actual = read(facts);
          return actual === null ? undefined : actual === value;
        };
      }
      const isWanted = amongTexts(value);
      return (facts) => {
        const actual = read(facts);
        return actual === null ? undefined : isWanted(actual);
      };
    },
    actual: read,
  };
}

/** Texts up to which comparing with each is faster than a Set; see Recent. */
const FEW_TEXTS = 8;

function amongTexts(texts: readonly string[]): (text: string) => boolean {
  if (texts.length <= FEW_TEXTS) return (text) => texts.includes(text);
  const set = new Set(texts);
  return (text) => set.has(text);
}

/** Characters of all texts up to which searching for each is fastest (measured). */
const FEW = 256;

/** Returns a test whether a text contains any of the parts; its time does not depend on their number. */
export function containsAny(parts: readonly string[]): (text: string) => boolean {
  if (parts.reduce((sum, part) => sum + part.length, 0) <= FEW) {
    return (text) => {
      for (const part of parts) if (text.includes(part)) return true;
      return false;
    };
  }
  return textSet(parts);
}

/** Matches an address in any of the ranges. */
export function inRanges(texts: readonly string[]): Test {
  const ranges = texts.map(parseRange).filter((range) => range !== undefined);
  return ({ address, ipUnreadable }) => {
    if (address === null) return ipUnreadable ? null : undefined;
    for (const range of ranges) if (contains(range, address)) return true;
    return false;
  };
}
