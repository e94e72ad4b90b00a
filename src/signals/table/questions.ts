/**
 * Questions to a policy for one statement: the circumstances that are unknown in advance, with a value for each case
 * that the policy distinguishes. Pure. Conditions are read to choose questions; `decide` alone answers them.
 */
import type { Range } from '../../lib/ip-range.ts';
import { parseRange } from '../../lib/ip-range.ts';
import { spelledPatterns } from '../../lib/urls/pattern-spellings.ts';
import type { UrlRules } from '../../lib/urls/spellings.ts';
import { type PathPattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { list } from '../../rules/conditions/match.ts';
import { compileTime } from '../../rules/conditions/time.ts';
import { VERIFIED_KINDS, type VerifiedKind } from '../../rules/facts.ts';

/** The circumstances of one question. */
export interface Circumstances {
  at: number;
  country: string | null;
  ip: string | null;
  ipUnreadable: boolean;
  verified: VerifiedKind | undefined;
  crawlerVerified: boolean;
}

export const UNKNOWNS = ['time', 'country', 'address', 'verification', 'license', 'limit', 'purpose', 'name'] as const;
/** A circumstance that a visitor cannot know in advance, or that a file cannot say. */
export type Unknown = (typeof UNKNOWNS)[number];

/** The facts that a policy reads, by the keys of its conditions without `Not`. */
export interface PolicyFacts {
  keys: ReadonlySet<string>;
  circumstances: readonly Circumstances[] | 'too many';
  /** With their other spellings; null: no patterns say them. */
  paths: readonly PathPattern[] | null;
  /** The time after which other questions may be right, epoch ms. */
  until: number;
}

const CIRCUMSTANCES_MAX = 1_024;
const DAY_MS = 86_400_000;
/** Days of the week return, and a file may be used for a day. */
export const HORIZON_MS = 8 * DAY_MS;

export function read(policy: CompiledPolicy, now: number, urls: UrlRules): PolicyFacts {
  const values = new Map<string, unknown[]>();
  for (const { conditions } of policy.rules) {
    for (const [key, value] of Object.entries(conditions)) {
      const name = key.replace(/Not$/, '');
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  const given = (name: string): unknown[] => values.get(name) ?? [];
  const texts = (name: string): string[] => [...new Set(given(name).flatMap((one) => list(one as string | string[])))];
  const times = sampleTimes(given('time') as Time[], now);
  const countries = texts('country').length === 0 ? [null] : [null, OTHER_COUNTRY, ...texts('country')];
  const kinds = values.has('requesterVerified') ? [undefined, ...VERIFIED_KINDS] : [undefined];
  const proven = values.has('crawlerVerified') ? [false, true] : [false];
  const verified = kinds.flatMap((kind) => proven.map((crawlerVerified) => ({ verified: kind, crawlerVerified })));
  const addresses = sampleAddresses(texts('ip'));
  const many = times.at.length * countries.length * verified.length * addresses.length > CIRCUMSTANCES_MAX;
  return {
    keys: new Set(values.keys()),
    circumstances: many
      ? 'too many'
      : times.at.flatMap((at) =>
          countries.flatMap((country) =>
            addresses.flatMap((address) => verified.map((proof) => ({ at, country, ...address, ...proof }))),
          ),
        ),
    paths: spellPaths(texts('path'), urls),
    until: times.until,
  };
}

function spellPaths(texts: readonly string[], urls: UrlRules): PathPattern[] | null {
  const spelled = texts.flatMap((text) => parsePathPattern(text) ?? []).map((one) => spelledPatterns(one, urls));
  return spelled.includes(undefined) ? null : (spelled as PathPattern[][]).flat();
}

/** No condition names it: it is assigned to users. */
const OTHER_COUNTRY = 'ZZ';

type Time = Parameters<typeof compileTime>[0];

/** Returns times of the coming days, one for each state of all conditions together. */
function sampleTimes(times: readonly Time[], now: number): { at: number[]; until: number } {
  if (times.length === 0) return { at: [now], until: Infinity };
  const moments = new Set([now]);
  let until = Infinity;
  for (const time of times) {
    for (const text of [time.after, time.before]) {
      const moment = text === undefined ? now : Date.parse(text);
      if (moment <= now) continue;
      if (moment <= now + HORIZON_MS) moments.add(moment);
      until = Math.min(until, moment <= now + HORIZON_MS ? moment : moment - HORIZON_MS);
    }
    for (const moment of boundaries(time, now)) moments.add(moment);
  }
  const tests = times.map((time) => compileTime(time));
  const states = new Map<string, number>();
  for (const at of [...moments].toSorted((a, b) => a - b)) {
    const state = tests.map((test) => (test({ at } as never) ? '1' : '0')).join('');
    if (!states.has(state)) states.set(state, at);
  }
  return { at: [...states.values()], until };
}

/** Returns the times at which days and hours begin and end. */
function boundaries({ days, from, to, timezone = 'UTC' }: Time, now: number): number[] {
  if (days === undefined && from === undefined && to === undefined) return [];
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainDate();
  const found: number[] = [];
  for (let i = 0; i <= HORIZON_MS / DAY_MS; i++) {
    for (const text of ['00:00', from, to]) {
      if (text === undefined) continue;
      const local = today.add({ days: i }).toPlainDateTime(Temporal.PlainTime.from(text));
      const at = local.toZonedDateTime(timezone).epochMilliseconds;
      if (at > now) found.push(at);
    }
  }
  return found;
}

type KnownAddress = Pick<Circumstances, 'ip' | 'ipUnreadable'>;
const NO_ADDRESS: KnownAddress = { ip: null, ipUnreadable: false };

/**
 * Returns none, one that cannot be read, and an address of each set that the ranges distinguish. Sets begin where a
 * range begins or ends.
 */
function sampleAddresses(texts: readonly string[]): KnownAddress[] {
  if (texts.length === 0) return [NO_ADDRESS];
  const ranges = texts.flatMap((text) => parseRange(text) ?? []);
  const begins = ranges.flatMap(({ family, first, last }) => [
    { family, value: BigInt(first) },
    { family, value: BigInt(last) + 1n },
  ]);
  begins.push({ family: 4, value: 0n }, { family: 6, value: 1n });
  const sets = new Map<string, string>();
  for (const { family, value } of begins) {
    if (value >= 1n << BigInt(family === 4 ? 32 : 128)) continue;
    const state = ranges.map((range) => (isIn(range, family, value) ? '1' : '0')).join('');
    if (!sets.has(state)) sets.set(state, toText(family, value));
  }
  const known = [...sets.values()].map((ip): KnownAddress => ({ ip, ipUnreadable: false }));
  return [NO_ADDRESS, { ip: null, ipUnreadable: true }, ...known];
}

const isIn = (range: Range, family: 4 | 6, value: bigint): boolean =>
  range.family === family && value >= BigInt(range.first) && value <= BigInt(range.last);

function toText(family: 4 | 6, value: bigint): string {
  const width = family === 4 ? 8n : 16n;
  const count = family === 4 ? 4 : 8;
  const parts: bigint[] = [];
  for (let i = count - 1; i >= 0; i--) parts.push((value >> (BigInt(i) * width)) & ((1n << width) - 1n));
  return family === 4 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':');
}
