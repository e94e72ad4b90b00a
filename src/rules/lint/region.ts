/**
 * Sets of checks to reason about. A region holds the checks for which some literals hold. The opposite of a literal is
 * a literal too, so a rule can be subtracted from a region.
 * Regions err on one side: an empty region contains no check, so "nothing is left of this rule without that one" proves
 * that the rule never decides. Lint therefore never claims what regions cannot see:
 * - time windows in different time zones, and weekdays against dates;
 * - that an item has exactly one id and one externalId, that tag lists are bounded, that there are 676 countries;
 * - how the end or scope of a license relates to the time or item of the check;
 * - that type, tags and id of an item are known or unknown together, and the same of a crawler and its user agent;
 * - that a user agent names a crawler, and which collections have which hosts and paths;
 * - what the store holds: that no requester has a type, that a date has passed;
 * - rules with too many alternatives or values (ALTERNATIVES_MAX, PIECES_MAX, Meter).
 */
import type { Steps } from '../../lib/slices.ts';
import { ANY_LICENSE, ANY_OF, type AnyKind, type Licenses, type Meter, ONE_OF } from './cells.ts';

/** A condition on one subject: the country, a metadata key, the licenses … */
export interface Literal {
  subject: string;
  kind: AnyKind;
  value: unknown;
  /** The answer of the condition, for a known subject, with which the literal holds. */
  holds: boolean;
  /** The literal also holds for an unknown subject. */
  silent: boolean;
  /** And for one that cannot be read. */
  unreadable?: boolean;
}

export type Conjunction = readonly Literal[];

interface Cell {
  /** The check may not know the subject. */
  unknown: boolean;
  /** The check may have a subject that cannot be read. */
  unreadable?: boolean;
  /** Possible values of a known subject; null: the subject cannot be known. */
  known: unknown;
}

/** A subject without a cell may be anything. */
export type Region = ReadonlyMap<string, Cell>;

export const EVERYTHING: Region = new Map();

/** The most regions that may be left when a rule is subtracted. */
const PIECES_MAX = 256;

export const LICENSE_SUBJECT = 'licenses';
/** Stands for a requester that was not verified. */
export const UNVERIFIED = '';
/** Known exactly when the requester is registered. */
const REGISTERED = 'requesterTags';
const REQUESTER_METADATA = 'requesterMetadata.';
const fromRecord = (subject: string): boolean =>
  subject === REGISTERED || subject === 'requesterType' || subject.startsWith(REQUESTER_METADATA);

/** A check by URL may have no item. Everything else that a caller does not state is known. */
const mayBeUnknown = (subject: string): boolean => !/^(licenses|time|collection|requesterVerified)($|\.)/.test(subject);

/** Every deny rule that names any address holds for one that cannot be read. */
const mayBeUnreadable = (subject: string): boolean => subject === 'ip';

function getCell(region: Region, subject: string, kind: AnyKind): Cell {
  return (
    region.get(subject) ?? { unknown: mayBeUnknown(subject), unreadable: mayBeUnreadable(subject), known: kind.all }
  );
}

/** Returns the checks of the region for which the literal holds; null: none. */
function meet(region: Region, literal: Literal, meter: Meter): Region | null {
  const { subject, kind, value, holds, silent } = literal;
  meter.spend(1 + region.size);
  const before = getCell(region, subject, kind);
  const unknown = before.unknown && silent;
  const unreadable = before.unreadable === true && literal.unreadable === true;
  const known = before.known === null ? null : kind.narrow(before.known, value, holds, meter);
  if (!unknown && !unreadable && known === null) return null;
  const next = new Map(region).set(subject, { unknown, unreadable, known });
  return fromRecord(subject) ? withRegistration(next) : next;
}

/** Type, tags and metadata are known only of registered requesters, and those have an id. */
function withRegistration(region: Map<string, Cell>): Region | null {
  const subjects = [...region.keys()].filter(fromRecord);
  const id = getCell(region, 'requesterId', ONE_OF);
  const tags = getCell(region, REGISTERED, ANY_OF);
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

const opposite = (literal: Literal): Literal => ({
  ...literal,
  holds: !literal.holds,
  silent: !literal.silent,
  unreadable: literal.unreadable !== true,
});

/** Subtracts the checks for which all literals hold. Returns disjoint pieces, at most one for each literal. */
function without(region: Region, literals: Conjunction, meter: Meter): Region[] {
  // A region that loses nothing stays in one piece.
  if (meetAll(region, literals, meter) === null) return [region];
  const pieces: Region[] = [];
  let common = region;
  for (const literal of literals) {
    const piece = meet(common, opposite(literal), meter);
    if (piece !== null) pieces.push(piece);
    // Not null: some checks meet all literals.
    common = meet(common, literal, meter) as Region;
  }
  return pieces;
}

/** Subtracts the checks for which a rule holds; null: too many pieces would be left. */
export function* withoutRule(
  regions: readonly Region[],
  parts: readonly Conjunction[],
  meter: Meter,
): Steps<Region[] | null> {
  let left = [...regions];
  for (const literals of parts) {
    const pieces: Region[] = [];
    for (const region of left) {
      pieces.push(...without(region, literals, meter));
      yield;
    }
    left = pieces;
    if (left.length > PIECES_MAX) return null;
  }
  return left;
}

/** Returns the checks of the regions for which a rule holds. */
export function* within(regions: readonly Region[], parts: readonly Conjunction[], meter: Meter): Steps<Region[]> {
  const met: Region[] = [];
  for (const region of regions) {
    met.push(...parts.map((literals) => meetAll(region, literals, meter)).filter((one) => one !== null));
    yield;
  }
  return met;
}

/** Returns the region of the same checks without a value for the subjects. */
export function silenced(region: Region, subjects: readonly string[]): Region {
  const next = new Map(region);
  for (const subject of subjects) next.set(subject, { unknown: true, known: null });
  return next;
}

/** Returns the attributes that a region distinguishes. */
export const attributesIn = (region: Region): string[] =>
  [...region.keys()].filter((subject) => subject.startsWith('attributes.'));

/** Returns the region of the same checks without a requester: no id, so no record, no license and no proof. */
export function anonymous(region: Region): Region {
  const rest = new Map([...region].filter(([subject]) => !subject.startsWith(REQUESTER_METADATA)));
  rest.set(LICENSE_SUBJECT, { unknown: false, known: { some: [], none: [ANY_LICENSE] } satisfies Licenses });
  rest.set('requesterVerified', { unknown: false, known: { only: new Set([UNVERIFIED]), not: new Set() } });
  return silenced(rest, ['requesterId', 'requesterType', REGISTERED]);
}
