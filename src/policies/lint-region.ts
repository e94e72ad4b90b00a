/**
 * Which checks a rule holds for, as something to reason about. A condition becomes literals on one subject each (the
 * country, a metadata key, the licences …); a rule is a union of conjunctions of literals; a region is the set of checks
 * for which some literals hold. The opposite of a literal is a literal, so a rule can be taken away from a region.
 *
 * Regions err on one side: one that is empty contains no check, so "nothing is left of this rule once the earlier ones
 * are taken away" is proof that it never decides. What is not seen, and therefore never claimed:
 * - windows of time in different time zones against each other, or weekdays against dates (but see `isShortAndVoid`);
 * - that an item has exactly one id and one externalId, that lists of tags are bounded, that there are 676 countries;
 * - what a licence's end or its scope has to do with the time or the item of the check;
 * - what the store holds: that no requester has a type, that a date is past;
 * - rules with so many alternatives or values that the reasoning is given up (ALTERNATIVES_MAX, PIECES_MAX, Meter).
 */
import { parseRange, type Range } from '../lib/ip-range.ts';
import { smallLetters } from '../lib/text.ts';
import { CONDITIONS, type ConditionKey, conditionOf, list } from './conditions.ts';
import type { Facts } from './facts.ts';
import {
  ANY_LICENSE,
  ANY_OF,
  type AnyKind,
  LICENSES,
  type LicenseAsk,
  type Licenses,
  type Meter,
  ONE_OF,
  oneOutOf,
  onLine,
  PARTS,
} from './lint-cells.ts';
import { type Intervals, intersection, union } from './lint-intervals.ts';
import type { Rule } from './policy.ts';
import { compileTime } from './time.ts';

/** Holds for checks whose subject is known and of which the condition says `holds`, and, if `silent`, for unknown ones. */
interface Literal {
  subject: string;
  kind: AnyKind;
  value: unknown;
  holds: boolean;
  silent: boolean;
}

export type Conjunction = readonly Literal[];

interface Cell {
  /** The check may not know it. */
  unknown: boolean;
  /** What it may be if known; null: it cannot be known. */
  known: unknown;
}

/** A subject that is not mentioned may be anything. */
export type Region = ReadonlyMap<string, Cell>;

export const EVERYTHING: Region = new Map();

/** The parts of a rule that come from Not forms over several metadata keys multiply. */
const ALTERNATIVES_MAX = 64;
/** Regions that are left of one rule at a time. */
const PIECES_MAX = 256;

export const LICENSE_SUBJECT = 'licenses';
/** Known exactly when the requester is registered. */
const REGISTERED = 'requesterTags';
const REQUESTER_METADATA = 'requesterMetadata.';
const fromRecord = (subject: string): boolean =>
  subject === REGISTERED || subject === 'requesterType' || subject.startsWith(REQUESTER_METADATA);

/** Of an item and of the licences everything is known, except metadata keys that are absent. */
const mayBeUnknown = (subject: string): boolean =>
  !/^(contentId|contentType|contentTags|licenses|time)($|\.)/.test(subject);

// ---------------------------------------------------------------------------------------------------------------------
// Regions

function cellOf(region: Region, subject: string, kind: AnyKind): Cell {
  return region.get(subject) ?? { unknown: mayBeUnknown(subject), known: kind.all };
}

/** Those checks of the region for which the literal holds; null when there are none. */
function meet(region: Region, { subject, kind, value, holds, silent }: Literal, meter: Meter): Region | null {
  meter.spend(1 + region.size);
  const before = cellOf(region, subject, kind);
  const unknown = before.unknown && silent;
  const known = before.known === null ? null : kind.narrow(before.known, value, holds, meter);
  if (!unknown && known === null) return null;
  const next = new Map(region).set(subject, { unknown, known });
  return fromRecord(subject) ? withRegistration(next) : next;
}

/** Type, tags and metadata are known of registered requesters only, and those have an id. */
function withRegistration(region: Map<string, Cell>): Region | null {
  const subjects = [...region.keys()].filter(fromRecord);
  const id = cellOf(region, 'requesterId', ONE_OF);
  const tags = cellOf(region, REGISTERED, ANY_OF);
  if (subjects.some((subject) => region.get(subject)?.unknown === false)) {
    if (tags.known === null || id.known === null) return null;
    region.set('requesterId', { ...id, unknown: false }).set(REGISTERED, { ...tags, unknown: false });
  }
  return region;
}

export function meetAll(region: Region, literals: Conjunction, meter: Meter): Region | null {
  let met: Region | null = region;
  for (const literal of literals) {
    if (met === null) return null;
    met = meet(met, literal, meter);
  }
  return met;
}

const opposite = (literal: Literal): Literal => ({ ...literal, holds: !literal.holds, silent: !literal.silent });

/** What is left of a region without the checks for which all literals hold: disjoint pieces, one a literal at most. */
function without(region: Region, literals: Conjunction, meter: Meter): Region[] {
  // Where nothing is taken away the region stays in one piece.
  if (meetAll(region, literals, meter) === null) return [region];
  const pieces: Region[] = [];
  let common = region;
  for (const literal of literals) {
    const piece = meet(common, opposite(literal), meter);
    if (piece !== null) pieces.push(piece);
    // Not null: there are checks for which all of them hold.
    common = meet(common, literal, meter) as Region;
  }
  return pieces;
}

/** What is left of the regions without the checks a rule holds for; null when it falls into too many pieces. */
export function withoutRule(regions: readonly Region[], parts: readonly Conjunction[], meter: Meter): Region[] | null {
  let left = [...regions];
  for (const literals of parts) {
    left = left.flatMap((region) => without(region, literals, meter));
    if (left.length > PIECES_MAX) return null;
  }
  return left;
}

/** The checks of some regions for which a rule holds. */
export function within(regions: readonly Region[], parts: readonly Conjunction[], meter: Meter): Region[] {
  return regions.flatMap((region) =>
    parts.map((literals) => meetAll(region, literals, meter)).filter((one) => one !== null),
  );
}

/** The region as it is when the check says nothing of the subjects. */
export function silenced(region: Region, subjects: readonly string[]): Region {
  const next = new Map(region);
  for (const subject of subjects) next.set(subject, { unknown: true, known: null });
  return next;
}

/** The same checks by nobody in particular: no id, so no record of it, and no licence. */
export function anonymous(region: Region): Region {
  const rest = new Map([...region].filter(([subject]) => !subject.startsWith(REQUESTER_METADATA)));
  rest.set(LICENSE_SUBJECT, { unknown: false, known: { some: [], none: [ANY_LICENSE] } satisfies Licenses });
  return silenced(rest, ['requesterId', 'requesterType', REGISTERED]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Rules

/** What a rule holds for: any of the conjunctions. None: it never holds; null: too many to reason about. */
export function partsOf({ action, conditions = {} }: Rule): readonly Conjunction[] | null {
  let parts: Literal[][] = [[]];
  for (const [key, value] of Object.entries(conditions)) {
    const alternatives = alternativesOf(key, value, action === 'deny');
    parts = parts.flatMap((literals) => alternatives.map((more) => [...literals, ...more]));
    if (parts.length > ALTERNATIVES_MAX) return null;
  }
  const asked = licenseAsked(conditions);
  return asked === null ? parts : parts.map((literals) => [...literals, asked]);
}

/** One condition: any of the conjunctions. The positive licence keys are left to `licenseAsked`. */
function alternativesOf(key: string, value: unknown, denies: boolean): Literal[][] {
  const { condition, negated } = conditionOf(key);
  const name = (negated ? key.slice(0, -'Not'.length) : key) as ConditionKey;
  const literal = (subject: string, kind: AnyKind, of: unknown): Literal => ({
    subject,
    kind,
    value: of,
    holds: !negated,
    silent: negated && denies,
  });
  if (condition.about === 'license') return negated ? [licenseNot(name, value, denies)] : [[]];
  switch (name) {
    case 'default':
      return value === true ? [[]] : [];
    case 'hasValidLicense':
      return [[aLicense(ANY_LICENSE, value === true)]];
    case 'time':
      return [timeLiterals(value as Time)];
    case 'contentMetadata':
    case 'requesterMetadata':
      return metadataAlternatives(name, value as Record<string, unknown>, negated, denies);
    case 'ip': {
      const ranges = list(value as string | string[]).map(parseRange);
      return [[literal(name, ADDRESSES, union(ranges.filter((range) => range !== undefined).map(toInterval)))]];
    }
    case 'userAgent':
      return [[literal(name, PARTS, [...new Set(list(value as string | string[]).map(smallLetters))])]];
    case 'contentId':
    case 'contentTags':
    case 'requesterTags':
      return [[literal(name, ANY_OF, new Set(list(value as string | string[])))]];
    case 'contentType':
      return [[literal(name, CONTENT_TYPES, new Set(list(value as string | string[])))]];
    default:
      return [[literal(name, ONE_OF, new Set(list(value as string | string[])))]];
  }
}

/** Read off the condition's own schema, so that the list cannot differ. */
const [contentTypeSchema] = (CONDITIONS.contentType.schema as unknown as { anyOf: [{ enum: string[] }] }).anyOf;
const CONTENT_TYPES = oneOutOf(contentTypeSchema.enum);

/** Unlike other conditions it is unknown as soon as one key is absent. */
function metadataAlternatives(
  name: string,
  value: Record<string, unknown>,
  negated: boolean,
  denies: boolean,
): Literal[][] {
  const entries = Object.entries(value).map(([key, one]) => ({
    subject: `${name}.${key}`,
    kind: ONE_OF,
    value: new Set(Array.isArray(one) ? one : [one]),
  }));
  const equal = entries.map((entry) => ({ ...entry, holds: true, silent: false }));
  if (!negated) return [equal];
  // A deny rule takes one key that is absent or differs; an allow rule takes all present and one that differs.
  const present = denies ? [] : entries.map((entry) => ({ ...entry, value: new Set(), holds: false, silent: false }));
  return entries.map((entry) => [...present, { ...entry, holds: false, silent: denies }]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Licences

/** Some valid licence is so; or none is. */
const aLicense = (value: LicenseAsk, holds: boolean): Literal => ({
  subject: LICENSE_SUBJECT,
  kind: LICENSES,
  value,
  holds,
  silent: false,
});

/** Over all valid licences. Without any a deny rule takes it and an allow rule does not. */
function licenseNot(name: string, value: unknown, denies: boolean): Literal[] {
  const excluded = new Set(list(value as string | string[]));
  const ask = { ...ANY_LICENSE, ...(name === 'licenseType' ? { types: excluded } : { features: excluded }) };
  return denies ? [aLicense(ask, false)] : [aLicense(ask, false), aLicense(ANY_LICENSE, true)];
}

/** The positive keys together, which one licence must meet. */
function licenseAsked({ licenseType, licenseFeatures, licenseExpiry }: Record<string, unknown>): Literal | null {
  if (licenseType === undefined && licenseFeatures === undefined && licenseExpiry === undefined) return null;
  const ask: LicenseAsk = {
    types: licenseType === undefined ? null : new Set(list(licenseType as string | string[])),
    features: new Set((licenseFeatures as string[] | undefined) ?? []),
    ends: intersection(ANY_LICENSE.ends, endsOf((licenseExpiry as Expiry | undefined) ?? {})),
  };
  return aLicense(ask, true);
}

interface Expiry {
  after?: string;
  before?: string;
}

/** A valid licence ends after now: `after: "now"` asks nothing of it, and `before: "now"` is none. */
function endsOf({ after, before }: Expiry): Intervals<number> {
  if (before === 'now') return [];
  const from = after === undefined || after === 'now' ? -Infinity : Date.parse(after);
  return union([[from, before === undefined ? Infinity : Date.parse(before)]]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Addresses and times

/** IPv4 first, IPv6 behind it. */
const V6 = 1n << 32n;
const ADDRESSES = onLine<bigint>([[0n, V6 + (1n << 128n)]]);

function toInterval({ family, first, last }: Range): [bigint, bigint] {
  const offset = family === 4 ? 0n : V6;
  return [offset + BigInt(first), offset + BigInt(last) + 1n];
}

type Time = Parameters<typeof compileTime>[0];

const MINUTE = 60_000;
const DAY = 1440;
const WEEK = 7 * DAY;
const A_MONDAY = Date.UTC(2024, 0, 1);
const MOMENTS = onLine<number>([[-Infinity, Infinity]]);
const MINUTES_OF_WEEK = onLine<number>([[0, WEEK]]);

function timeLiterals(time: Time): Literal[] {
  const known = { holds: true, silent: false };
  const timezone = (time.timezone ?? 'UTC').toLowerCase();
  return [
    { ...known, subject: 'time', kind: MOMENTS, value: spanOf(time) },
    { ...known, subject: `time.${timezone}`, kind: MINUTES_OF_WEEK, value: weekOf(time) },
  ];
}

const spanOf = ({ after, before }: Time): Intervals<number> =>
  union([[after === undefined ? -Infinity : Date.parse(after), before === undefined ? Infinity : Date.parse(before)]]);

/** The minutes of a week by the clocks of the zone, as the condition itself decides them. */
function weekOf({ days, from, to }: Time): Intervals<number> {
  const test = momentTest({ ...(days && { days }), ...(from && { from }), ...(to && { to }) });
  // It changes at midnight, `from` and `to`, and nowhere else.
  const marks = [0, ...[from, to].filter((one) => one !== undefined).map(minutesOf)];
  const edges = [...new Set([0, 1, 2, 3, 4, 5, 6].flatMap((day) => marks.map((mark) => day * DAY + mark)))].sort(
    (a, b) => a - b,
  );
  return union(
    edges
      .map((edge, i): [number, number] => [edge, edges[i + 1] ?? WEEK])
      .filter(([edge]) => test(A_MONDAY + edge * MINUTE)),
  );
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** The condition asks the facts for the moment alone. */
function momentTest(time: Time): (at: number) => boolean {
  const test = compileTime(time);
  return (at) => test({ at } as Facts);
}

/** From here on all clocks are whole minutes from UTC. */
const WHOLE_MINUTES_SINCE = Date.UTC(1973, 0, 1);
const SHORT = 8 * DAY * MINUTE;

/** A few days of which no minute is on the days and at the hours asked for: found by asking each. */
export function isShortAndVoid(time: Time, meter: Meter): boolean {
  const [span] = spanOf(time);
  if (span === undefined) return true;
  const [after, before] = span;
  if (before - after > SHORT || after < WHOLE_MINUTES_SINCE) return false;
  meter.spend(((before - after) / MINUTE) * 2);
  const test = momentTest(time);
  for (let at = after; at < before; at = (Math.floor(at / MINUTE) + 1) * MINUTE) if (test(at)) return false;
  return true;
}
