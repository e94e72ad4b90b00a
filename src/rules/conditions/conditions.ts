/**
 * The closed table of conditions: one row for each key. Validation, compilation, explanation and documentation follow
 * from it. A test answers true, false, or undefined for a value that the check does not know. A positive condition then
 * does not hold, and a `…Not` holds only in a deny rule, so silence never widens access.
 */
import { type TSchema, Type } from 'typebox';
import { toIso } from '../../lib/clock.ts';
import { toLowerLetters } from '../../lib/text.ts';
import type { Facts } from '../facts.ts';
import type { Action } from '../policy.ts';
import { ATTRIBUTE_CONDITIONS } from './attributes.ts';
import { type Condition, LIST_MAX, type LicenseTest, oneOrMany } from './condition.ts';
import { CRAWLER_CONDITIONS } from './crawler-conditions.ts';
import {
  anyOf,
  containsAny,
  equality,
  inRanges,
  list,
  type MatchAnswer,
  metadataEquality,
  type Test,
} from './match.ts';
import { ContentTypeName, CountryCode, PermissionName, RequesterId } from './names.ts';
import { PLACE_CONDITIONS } from './place-conditions.ts';
import { compileTime, TimeOrNow, TimeSchema } from './time.ts';

const shortText = Type.String({ minLength: 1, maxLength: 64 });

/** Returns the bound of a license's end, which may depend on the time of the check. */
function toBound(text: string | undefined): ((at: number) => number) | undefined {
  if (text === undefined) return undefined;
  if (text === 'now') return (at) => at;
  const time = Date.parse(text);
  return () => time;
}

const scalar = Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean(), Type.Null()]);
// Without the pattern, a key with a line break escapes validation together with its value.
const metadataValues = Type.Record(
  Type.String({ pattern: '^[\\s\\S]*$' }),
  Type.Union([scalar, Type.Array(scalar, { minItems: 1, maxItems: LIST_MAX })]),
  // typebox ignores bounds of a record's key type, but keeps those of `propertyNames`.
  { minProperties: 1, maxProperties: 50, propertyNames: { minLength: 1, maxLength: 200 } },
);

/** Stands in explanations for an address that cannot be read. */
export const UNREADABLE = 'unreadable';

export const CONDITIONS = {
  default: {
    about: 'rule',
    negatable: false,
    schema: Type.Boolean(),
    doc: '`true` marks a catch-all: it always holds, and its rule is evaluated after all others. `false` never holds.',
    example: true,
  },
  hasValidLicense: {
    about: 'rule',
    negatable: false,
    schema: Type.Boolean(),
    doc: 'The requester has (`true`) or lacks (`false`) a license that is valid for this content now.',
    example: false,
  },
  licenseType: {
    about: 'license',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'A valid license has this type.',
    example: ['enterprise', 'research'],
    compile(value: string | string[]): LicenseTest {
      const wanted = new Set(list(value));
      return (license) => wanted.has(license.type);
    },
    actual: (license) => license.type,
  },
  licenseFeatures: {
    about: 'license',
    negatable: true,
    schema: Type.Array(shortText, { minItems: 1, maxItems: LIST_MAX }),
    doc: 'A valid license has all of these features.',
    example: ['api', 'bulk'],
    compile(value: string[]): LicenseTest {
      return ({ features }) => {
        for (const feature of value) if (!features.includes(feature)) return false;
        return true;
      };
    },
    actual: (license) => license.features,
  },
  licenseExpiry: {
    about: 'license',
    negatable: false,
    schema: Type.Object(
      { after: Type.Optional(TimeOrNow), before: Type.Optional(TimeOrNow) },
      { additionalProperties: false, minProperties: 1 },
    ),
    doc: 'A valid license ends at or after `after` and before `before`; `"now"` is the time of the check. A license without an end ends after everything.',
    example: { after: '2027-01-01T00:00:00Z' },
    compile(value: { after?: string; before?: string }): LicenseTest {
      const after = toBound(value.after);
      const before = toBound(value.before);
      return ({ expiresAt }, at) => {
        const end = expiresAt ?? Number.POSITIVE_INFINITY;
        return (after === undefined || end >= after(at)) && (before === undefined || end < before(at));
      };
    },
    actual: (license) => (license.expiresAt === null ? null : toIso(license.expiresAt)),
  },
  requesterId: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(RequesterId),
    doc: 'The id of the requester.',
    example: 'partner_openai',
    ...equality((facts) => facts.requesterId),
  },
  requesterType: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The type of the registered requester.',
    example: 'ai_crawler',
    ...equality((facts) => facts.requester?.type ?? null),
  },
  requesterTags: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The registered requester has any of these tags. A requester without tags is known to have none.',
    example: ['partner', 'nonprofit'],
    ...anyOf((facts) => facts.requester?.tags ?? null),
  },
  purpose: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The purpose that the check names.',
    example: ['training', 'fine_tuning'],
    ...equality((facts) => facts.purpose),
  },
  permission: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(PermissionName),
    doc: 'The permission that the check requests.',
    example: 'commercial_use',
    ...equality((facts) => facts.permission),
  },
  contentId: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 255 })),
    doc: 'The item, by its id or externalId.',
    example: ['article-123', 'article-124'],
    compile(value: string | string[]): Test {
      const wanted = new Set(list(value));
      return ({ content }) => (content === null ? undefined : wanted.has(content.id) || wanted.has(content.externalId));
    },
    actual: (facts) => facts.content?.id ?? null,
  },
  contentType: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(ContentTypeName),
    doc: 'The type of the item.',
    example: 'dataset',
    ...equality((facts) => facts.content?.type ?? null),
  },
  contentTags: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The item has any of these tags. An item without tags is known to have none.',
    example: ['premium', 'archive'],
    ...anyOf((facts) => facts.content?.tags ?? null),
  },
  contentMetadata: {
    about: 'check',
    negatable: true,
    schema: metadataValues,
    doc: 'Every key is a top-level key of the item’s metadata and equals the value, or any of the list.',
    example: { section: ['politics', 'economy'] },
    ...metadataEquality((facts) => facts.content?.metadata ?? null),
  },
  requesterMetadata: {
    about: 'check',
    negatable: true,
    schema: metadataValues,
    doc: 'Every key is a top-level key of the registered requester’s metadata and equals the value, or any of the list.',
    example: { tier: 'gold' },
    ...metadataEquality((facts) => facts.requester?.metadata ?? null),
  },
  ...ATTRIBUTE_CONDITIONS,
  ...CRAWLER_CONDITIONS,
  ...PLACE_CONDITIONS,
  country: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(CountryCode),
    doc: 'The country of the request, as uppercase ISO 3166 alpha-2 (`context.country`).',
    example: ['DE', 'AT', 'CH'],
    ...equality((facts) => facts.country),
  },
  ip: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ format: 'ip-range', maxLength: 64 })),
    doc: 'The address of the request is this IPv4 or IPv6 address or in this CIDR range (`context.ip`). If a proxy sent an address that cannot be read, the condition holds in deny rules and not in allow rules.',
    example: ['203.0.113.0/24', '2001:db8::/32'],
    compile: (value: string | string[]): Test => inRanges(list(value)),
    actual: (facts) => (facts.ipUnreadable ? UNREADABLE : facts.ip),
  },
  userAgent: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 512 })),
    doc: 'The user agent contains this text; case is ignored (`context.userAgent`).',
    example: ['GPTBot', 'ClaudeBot'],
    compile(value: string | string[]): Test {
      const isIn = containsAny(list(value).map(toLowerLetters));
      return ({ lowerAgent }) => (lowerAgent === null ? undefined : isIn(lowerAgent));
    },
    actual: (facts) => facts.userAgent,
  },
  time: {
    about: 'check',
    negatable: false,
    schema: TimeSchema,
    doc: 'The time of the check: at or after `after`, before `before`, on one of `days`, from `from` to before `to` (which may cross midnight; the day is that of the check), in `timezone` (default: UTC).',
    example: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:30', timezone: 'Europe/Berlin' },
    compile: compileTime,
    actual: (facts) => toIso(facts.at),
  },
} as const satisfies Record<string, Condition>;

export type ConditionKey = keyof typeof CONDITIONS;

const NOT = 'Not';

/** Schemas of all keys of a rule's conditions: those of the table and their negations. */
export const CONDITION_SCHEMAS: Record<string, TSchema> = Object.fromEntries(
  Object.entries(CONDITIONS).flatMap(([key, { schema, negatable }]) => {
    const row: [string, TSchema] = [key, schema];
    return negatable ? [row, [key + NOT, schema]] : [row];
  }),
);

const TABLE: ReadonlyMap<string, Condition> = new Map(Object.entries(CONDITIONS));

/** Returns the row of a key and whether the key negates it. Throws for unknown keys, which validation refuses. */
export function getCondition(key: string): { condition: Condition; negated: boolean } {
  const condition = TABLE.get(key);
  if (condition !== undefined) return { condition, negated: false };
  const positive = key.endsWith(NOT) ? TABLE.get(key.slice(0, -NOT.length)) : undefined;
  if (positive?.negatable === true) return { condition: positive, negated: true };
  throw new Error(`no condition is called ${key}`);
}

/** Returns the name of a condition in the table. */
export const stripNot = (key: string): string => (key.endsWith(NOT) ? key.slice(0, -NOT.length) : key);

const OF_THE_ITEM = new Set(['contentType', 'contentTags', 'contentMetadata']);
const OF_THE_URL = new Set(['host', 'path']);

/** Checks whether items of one place may differ in a condition. */
export const readsItem = (key: string): boolean => ABOUT_ITEMS.has(stripNot(key));
const ABOUT_ITEMS = new Set(['contentId', ...OF_THE_ITEM, ...OF_THE_URL]);

/**
 * Checks whether a condition reveals data of the item, which requires permission to read content. Host and path do only
 * in a check by `contentId`: they are those of the item's `source`.
 */
export function tellsOfItem(key: string, { page }: Pick<Facts, 'page'>): boolean {
  const name = stripNot(key);
  return OF_THE_ITEM.has(name) || (page === null && OF_THE_URL.has(name));
}

/** The silence rule: which answer holds, and whether a missing or an unreadable answer holds. */
export interface Meaning {
  wanted: boolean;
  silent: boolean;
  unreadable: boolean;
}

export const toMeaning = (negated: boolean, action: Action): Meaning => ({
  wanted: !negated,
  silent: negated && action === 'deny',
  unreadable: action === 'deny',
});

/** Applies the silence rule to the answer of a test. */
export function isMet(answer: MatchAnswer, { wanted, silent, unreadable }: Meaning): boolean {
  if (answer === undefined) return silent;
  return answer === null ? unreadable : answer === wanted;
}

export const holds = (answer: MatchAnswer, negated: boolean, action: Action): boolean =>
  isMet(answer, toMeaning(negated, action));
