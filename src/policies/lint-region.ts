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
import { CONDITIONS, type ConditionKey, conditionOf, list } from './conditions.ts';
import type { Facts } from './facts.ts';
import {
  ANY_LICENSE,
  ANY_OF,
  type AnyKind,
  LICENSES,
  type LicenseAsk,
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

type Conjunction = readonly Literal[];

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

const SILENT_SUBJECTS = new Set(['requesterId', 'requesterType', REGISTERED, 'purpose', 'permission', 'country', 'ip']);
const mayBeUnknown = (subject: string): boolean =>
  SILENT_SUBJECTS.has(subject) || subject === 'userAgent' || /^(content|requester)Metadata\./.test(subject);

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
  return subject === 'requesterId' || fromRecord(subject) ? withRegistration(next) : next;
}

/** Type, tags and metadata are known of registered requesters only, and those have an id. */
function withRegistration(region: Map<string, Cell>): Region | null {
  const subjects = [...region.keys()].filter(fromRecord);
  const id = cellOf(region, 'requesterId', ONE_OF);
  const tags = cellOf(region, REGISTERED, ANY_OF);
  if (subjects.some((subject) => region.get(subject)?.unknown === false)) {
    if (tags.known === null || id.known === null) return null;
    region.set('requesterId', { ...id, unknown: false }).set(REGISTERED, { ...tags, unknown: false });
  } else if (tags.known === null || id.known === null) {
    for (const subject of subjects) region.set(subject, { unknown: true, known: null });
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
  let common: Region | null = region;
  for (const literal of literals) {
    if (common === null) break;
    const piece = meet(common, opposite(literal), meter);
    if (piece !== null) pieces.push(piece);
    common = meet(common, literal, meter);
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

/** The same checks made by nobody in particular: no record, and no licence. */
export function anonymous(region: Region): Region {
  const next = new Map(region);
  for (const subject of next.keys()) if (fromRecord(subject)) next.delete(subject);
  const none = LICENSES.narrow(LICENSES.all, ANY_LICENSE, false, { spend: () => {} } as unknown as Meter);
  return silenced(next, ['requesterId', 'requesterType', REGISTERED]).size === 0
    ? next
    : new Map(silenced(next, ['requesterId', 'requesterType', REGISTERED])).set(LICENSE_SUBJECT, {
        unknown: false,
        known: none,
      });
}
