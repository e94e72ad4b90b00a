/** Rules as literals: a rule is a union of conjunctions, and each of its conditions is one or more literals. */

import { parseRange, type Range } from '../../lib/ip-range.ts';
import { toLowerLetters } from '../../lib/text.ts';
import { parseHostPattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import { type ConditionKey, getCondition } from '../conditions/conditions.ts';
import { list } from '../conditions/match.ts';
import { compileTime } from '../conditions/time.ts';
import { CONTENT_TYPES } from '../content-types.ts';
import { UNKNOWN_PURPOSE } from '../crawlers/crawler.ts';
import { CRAWLERS } from '../crawlers/directory.ts';
import { type Facts, VERIFIED_KINDS, type VerifiedKind } from '../facts.ts';
import type { Rule } from '../policy.ts';
import {
  ANY_LICENSE,
  ANY_OF,
  type AnyKind,
  HOSTS,
  LICENSES,
  type LicenseAsk,
  ONE_OF,
  oneOutOf,
  onLine,
  PARTS,
  PATHS,
} from './cells.ts';
import { type Intervals, intersection, union } from './intervals.ts';
import { type Conjunction, LICENSE_SUBJECT, type Literal, UNVERIFIED } from './region.ts';

/** `…Not` conditions on several metadata keys multiply the conjunctions of a rule. */
const ALTERNATIVES_MAX = 64;

/** Returns conjunctions, any of which makes the rule hold. None: it never holds; null: too many to reason about. */
export function toParts({ action, conditions = {} }: Rule): readonly Conjunction[] | null {
  let parts: Literal[][] = [[]];
  for (const [key, value] of Object.entries(conditions)) {
    const alternatives = toAlternatives(key, value as never, action === 'deny');
    parts = parts.flatMap((literals) => alternatives.map((more) => [...literals, ...more]));
    if (parts.length > ALTERNATIVES_MAX) return null;
  }
  const license = positiveLicense(conditions);
  return license === null ? parts : parts.map((literals) => [...literals, license]);
}

type Texts = string | string[];
type Metadata = Record<string, unknown>;

/** Conditions on values by key. */
const BY_KEY: ReadonlySet<string> = new Set(['attributes', 'contentMetadata', 'requesterMetadata']);

/** Returns conjunctions, any of which makes the condition hold. `positiveLicense` takes the positive license keys. */
function toAlternatives(key: string, value: never, denies: boolean): Literal[][] {
  const { condition, negated } = getCondition(key);
  const name = (negated ? key.slice(0, -'Not'.length) : key) as ConditionKey;
  if (condition.about === 'license') return negated ? [negatedLicense(name, value, denies)] : [[]];
  if (BY_KEY.has(name)) return metadataAlternatives(name, value, negated, denies);
  switch (name) {
    case 'default':
      return value === true ? [[]] : [];
    case 'hasValidLicense':
      return [[aLicense(ANY_LICENSE, value === true)]];
    case 'time':
      return [timeLiterals(value)];
    case 'crawlerVerified':
      return [[provenLiteral(value)]];
    case 'requesterVerified':
      return [[verifiedLiteral(value)]];
    default:
      return [[listLiteral(name, list(value), { negated, denies })]];
  }
}

interface Negation {
  negated: boolean;
  denies: boolean;
}

function listLiteral(name: ConditionKey, texts: string[], negation: Negation): Literal {
  const field = OF_THE_CRAWLER[name];
  if (field !== undefined) return crawlerLiteral(field, texts, negation);
  const [kind, toValue] = VALUES[name] ?? [ONE_OF, toSet];
  return { subject: name, kind, value: toValue(texts), ...toFlags(negation) };
}

const toFlags = ({ negated, denies }: Negation) => ({
  holds: !negated,
  silent: negated && denies,
  unreadable: denies,
});

const toSet = (texts: readonly string[]) => new Set(texts);

/** IPv4 first, then IPv6. */
const V6 = 1n << 32n;
const ADDRESSES = onLine<bigint>([[0n, V6 + (1n << 128n)]]);

function toInterval({ family, first, last }: Range): [bigint, bigint] {
  const offset = family === 4 ? 0n : V6;
  return [offset + BigInt(first), offset + BigInt(last) + 1n];
}

/** The kind of a condition's subject, and the value by which its texts narrow that; for others ONE_OF and a set. */
const VALUES: Partial<Record<ConditionKey, readonly [kind: AnyKind, toValue: (texts: string[]) => unknown]>> = {
  contentId: [ANY_OF, toSet],
  contentTags: [ANY_OF, toSet],
  requesterTags: [ANY_OF, toSet],
  contentType: [oneOutOf(CONTENT_TYPES), toSet],
  host: [HOSTS, (texts) => [...toSet(texts.flatMap((text) => parseHostPattern(text) ?? []))]],
  path: [PATHS, (texts) => [...toSet(texts)].flatMap((text) => parsePathPattern(text) ?? [])],
  userAgent: [PARTS, (texts) => [...toSet(texts.map(toLowerLetters))]],
  ip: [
    ADDRESSES,
    (texts) =>
      union(
        texts
          .map(parseRange)
          .filter((range) => range !== undefined)
          .map(toInterval),
      ),
  ],
};

// ---------------------------------------------------------------------------------------------------------------------
// Who is asking

const PROVEN = oneOutOf(['true', 'false']);
const VERIFIED = oneOutOf([UNVERIFIED, ...VERIFIED_KINDS]);

const verifiedLiteral = (value: boolean | VerifiedKind[]): Literal => ({
  subject: 'requesterVerified',
  kind: VERIFIED,
  value: new Set(typeof value === 'boolean' ? [UNVERIFIED] : value),
  holds: value !== true,
  silent: false,
});

/** Unknown where the user agent names no crawler: then neither value holds. */
const provenLiteral = (value: boolean): Literal => ({
  subject: 'crawlerVerified',
  kind: PROVEN,
  value: new Set([String(value)]),
  holds: true,
  silent: false,
});

/** Holds for checks whose user agent names a crawler that was not proven. */
export const UNPROVEN_CRAWLER: Literal = provenLiteral(false);

/** Holds for checks whose requester was not verified. */
export const UNVERIFIED_CHECK: Literal = verifiedLiteral(false);

/** No crawler has this name. */
const UNKNOWN_PROGRAM = '';

/**
 * All three keys are about one value, the name of the crawler. A condition on the operator is unknown for crawlers
 * whose operator is.
 */
function crawlerLiteral(field: CrawlerField, texts: readonly string[], negation: Negation): Literal {
  const wanted: ReadonlySet<string | null> = new Set(texts);
  const hidesUnknown = negation.negated && !negation.denies;
  const named = CRAWLERS.filter((one) => wanted.has(one[field]) || (hidesUnknown && one[field] === null));
  const value = new Set(named.map((one) => one.name));
  // A program that the directory does not name is like a crawler of its own.
  if (field === 'purpose' && wanted.has(UNKNOWN_PURPOSE)) value.add(UNKNOWN_PROGRAM);
  return { subject: 'crawler', kind: ONE_OF, value, ...toFlags(negation) };
}

type CrawlerField = 'name' | 'operator' | 'purpose';

const OF_THE_CRAWLER: Partial<Record<ConditionKey, CrawlerField>> = {
  crawler: 'name',
  crawlerOperator: 'operator',
  crawlerPurpose: 'purpose',
};

/** Unlike other conditions, metadata is unknown as soon as one key is absent. */
function metadataAlternatives(name: string, value: Metadata, negated: boolean, denies: boolean): Literal[][] {
  const entries = Object.entries(value).map(([key, one]) => ({
    subject: `${name}.${key}`,
    kind: ONE_OF,
    value: new Set(Array.isArray(one) ? one : [one]),
  }));
  const equal = entries.map((entry) => ({ ...entry, holds: true, silent: false }));
  if (!negated) return [equal];
  // A deny rule needs one key that is absent or differs; an allow rule needs all keys, of which one differs.
  const present = denies ? [] : entries.map((entry) => ({ ...entry, value: new Set(), holds: false, silent: false }));
  return entries.map((entry) => [...present, { ...entry, holds: false, silent: denies }]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Licenses

/** Some valid license matches `value`, or none does. */
const aLicense = (value: LicenseAsk, holds: boolean): Literal => ({
  subject: LICENSE_SUBJECT,
  kind: LICENSES,
  value,
  holds,
  silent: false,
});

/** A negated key excludes every matching license. Without a license it holds in a deny rule only. */
function negatedLicense(name: string, value: Texts, denies: boolean): Literal[] {
  const excluded = new Set(list(value));
  const ask = { ...ANY_LICENSE, ...(name === 'licenseType' ? { types: excluded } : { features: excluded }) };
  return denies ? [aLicense(ask, false)] : [aLicense(ask, false), aLicense(ANY_LICENSE, true)];
}

/** All positive keys must match the same license. */
function positiveLicense({ licenseType, licenseFeatures, licenseExpiry }: Record<string, unknown>): Literal | null {
  if (licenseType === undefined && licenseFeatures === undefined && licenseExpiry === undefined) return null;
  const ask: LicenseAsk = {
    types: licenseType === undefined ? null : new Set(list(licenseType as Texts)),
    features: new Set((licenseFeatures as string[] | undefined) ?? []),
    ends: intersection(ANY_LICENSE.ends, toEnds((licenseExpiry as Expiry | undefined) ?? {})),
  };
  return aLicense(ask, true);
}

interface Expiry {
  after?: string;
  before?: string;
}

/** A valid license ends after now, so `after: "now"` matches all of them and `before: "now"` none. */
function toEnds({ after, before }: Expiry): Intervals<number> {
  if (before === 'now') return [];
  const from = after === undefined || after === 'now' ? -Infinity : Date.parse(after);
  return union([[from, before === undefined ? Infinity : Date.parse(before)]]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Times

type Time = Parameters<typeof compileTime>[0];

const MINUTE = 60_000;
const DAY = 1440;
const WEEK = 7 * DAY;
const A_MONDAY = Date.UTC(2024, 0, 1);
const TIMES = onLine<number>([[-Infinity, Infinity]]);
const MINUTES_OF_WEEK = onLine<number>([[0, WEEK]]);

function timeLiterals(time: Time): Literal[] {
  const known = { holds: true, silent: false };
  const timezone = (time.timezone ?? 'UTC').toLowerCase();
  return [
    { ...known, subject: 'time', kind: TIMES, value: toSpan(time) },
    { ...known, subject: `time.${timezone}`, kind: MINUTES_OF_WEEK, value: toMinutesOfWeek(time) },
  ];
}

const toSpan = ({ after, before }: Time): Intervals<number> =>
  union([[after === undefined ? -Infinity : Date.parse(after), before === undefined ? Infinity : Date.parse(before)]]);

/** Returns the minutes of a local week at which the compiled condition holds. */
function toMinutesOfWeek({ days, from, to }: Time): Intervals<number> {
  const test = compileTime({ ...(days && { days }), ...(from && { from }), ...(to && { to }) });
  // The answer changes only at midnight, `from` and `to`.
  const marks = [0, ...[from, to].filter((one) => one !== undefined).map(toMinutes)];
  const edges = [...new Set([0, 1, 2, 3, 4, 5, 6].flatMap((day) => marks.map((mark) => day * DAY + mark)))].toSorted(
    (a, b) => a - b,
  );
  return union(
    edges
      .map((edge, i): [number, number] => [edge, edges[i + 1] ?? WEEK])
      // The condition reads nothing but the time of the check.
      .filter(([edge]) => test({ at: A_MONDAY + edge * MINUTE } as Facts)),
  );
}

const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
