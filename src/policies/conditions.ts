/**
 * The closed table of conditions: one row a key. From it come validation, compilation, explanation and documentation. A
 * test answers true, false, or undefined when the check does not know the value; a positive condition then does not hold,
 * and a `…Not` holds only in a deny rule, so silence never widens access.
 */
import { type TSchema, Type } from 'typebox';
import { toIso } from '../lib/clock.ts';
import { contains, parseRange, type Range } from '../lib/ip-range.ts';
import { smallLetters } from '../lib/text.ts';
import type { Facts, LicenseFacts } from './facts.ts';
import type { Action } from './policy.ts';
import { compileTime, TimeSchema } from './time.ts';

const LIST_MAX = 1000;

export type Test = (facts: Facts) => boolean | undefined;
export type LicenseTest = (license: LicenseFacts, at: number) => boolean;

interface Described {
  schema: TSchema;
  /** There is a key with the suffix `Not` as well. */
  negatable: boolean;
  doc: string;
  example: unknown;
}

/** A key that asks the check itself. */
interface CheckCondition extends Described {
  about: 'check';
  compile(value: never): Test;
  actual(facts: Facts): unknown;
}

/** A key that asks one licence; those of a rule must be met by the same one. */
interface LicenseCondition extends Described {
  about: 'license';
  compile(value: never): LicenseTest;
  actual(license: LicenseFacts): unknown;
}

/** A key with a meaning of its own in compile. */
interface RuleCondition extends Described {
  about: 'rule';
}

export type Condition = CheckCondition | LicenseCondition | RuleCondition;

const oneOrMany = (item: TSchema): TSchema => Type.Union([item, Type.Array(item, { minItems: 1, maxItems: LIST_MAX })]);

export const PERMISSION_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
export const REQUESTER_ID_PATTERN = '^[A-Za-z0-9._:@/-]{1,128}$';
export const COUNTRY_PATTERN = '^[A-Z]{2}$';

const shortText = Type.String({ minLength: 1, maxLength: 64 });
const expiryMoment = Type.Union([Type.Literal('now'), Type.String({ format: 'date-time' })]);

/** A moment of a licence's end as it is at a check; undefined when none is given. */
function momentOf(text: string | undefined): ((at: number) => number) | undefined {
  if (text === undefined) return undefined;
  if (text === 'now') return (at) => at;
  const moment = Date.parse(text);
  return () => moment;
}

const scalar = Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean(), Type.Null()]);
// Without the pattern a key with a line break would escape it, and its value with it.
const metadataValues = Type.Record(
  Type.String({ pattern: '^[\\s\\S]*$' }),
  Type.Union([scalar, Type.Array(scalar, { minItems: 1, maxItems: LIST_MAX })]),
  // Bounds of a record's key type are passed over; those of `propertyNames` are kept.
  { minProperties: 1, maxProperties: 50, propertyNames: { minLength: 1, maxLength: 200 } },
);

/** Any of the values is among those the check knows. */
function anyOf(read: (facts: Facts) => readonly string[] | null): Pick<CheckCondition, 'compile' | 'actual'> {
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

/** Without conversion: "1" is not 1. A key that is absent makes the whole condition unknown. */
function metadataEquality(
  read: (facts: Facts) => Readonly<Record<string, unknown>> | null,
): Pick<CheckCondition, 'compile' | 'actual'> {
  return {
    compile(value: Record<string, unknown>): Test {
      const wanted = Object.entries(value).map(
        ([key, one]) => [key, new Set(Array.isArray(one) ? one : [one])] as const,
      );
      return (facts) => {
        const metadata = read(facts);
        if (metadata === null) return undefined;
        let all = true;
        for (const [key, values] of wanted) {
          if (!Object.hasOwn(metadata, key)) return undefined;
          all &&= values.has(metadata[key]);
        }
        return all;
      };
    },
    actual: read,
  };
}

/** The value, or any of the list, equals what the check knows. */
function equality(read: (facts: Facts) => string | null): Pick<CheckCondition, 'compile' | 'actual'> {
  return {
    compile(value: string | string[]): Test {
      if (typeof value === 'string') {
        return (facts) => {
          const actual = read(facts);
          return actual === null ? undefined : actual === value;
        };
      }
      const wanted = new Set(value);
      return (facts) => {
        const actual = read(facts);
        return actual === null ? undefined : wanted.has(actual);
      };
    },
    actual: read,
  };
}

/** A condition's value as the list it stands for. */
export const list = (value: string | string[]): string[] => (typeof value === 'string' ? [value] : value);

export const CONDITIONS = {
  default: {
    about: 'rule',
    negatable: false,
    schema: Type.Boolean(),
    doc: '`true` marks a catch-all: it always holds and its rule is asked after all others. `false` never holds.',
    example: true,
  },
  hasValidLicense: {
    about: 'rule',
    negatable: false,
    schema: Type.Boolean(),
    doc: 'The requester has (`true`) or lacks (`false`) a licence that is valid for this content now.',
    example: false,
  },
  licenseType: {
    about: 'license',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'A valid licence has this type.',
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
    doc: 'A valid licence has all of these features.',
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
      { after: Type.Optional(expiryMoment), before: Type.Optional(expiryMoment) },
      { additionalProperties: false, minProperties: 1 },
    ),
    doc: 'A valid licence ends at or after `after` and before `before`; `"now"` is the moment of the check. A licence without an end ends after everything.',
    example: { after: '2027-01-01T00:00:00Z' },
    compile(value: { after?: string; before?: string }): LicenseTest {
      const after = momentOf(value.after);
      const before = momentOf(value.before);
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
    schema: oneOrMany(Type.String({ pattern: REQUESTER_ID_PATTERN })),
    doc: 'Who asks.',
    example: 'partner_openai',
    ...equality((facts) => facts.requesterId),
  },
  requesterType: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The type the requester was registered with.',
    example: 'ai_crawler',
    ...equality((facts) => facts.requester?.type ?? null),
  },
  requesterTags: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The registered requester has any of these tags. One without tags is known to have none.',
    example: ['partner', 'nonprofit'],
    ...anyOf((facts) => facts.requester?.tags ?? null),
  },
  purpose: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'What the check says the content is wanted for.',
    example: ['training', 'fine_tuning'],
    ...equality((facts) => facts.purpose),
  },
  permission: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ pattern: PERMISSION_PATTERN })),
    doc: 'The permission the check asks for.',
    example: 'commercial_use',
    ...equality((facts) => facts.permission),
  },
  contentId: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 255 })),
    doc: 'The item, by its id or its externalId.',
    example: ['article-123', 'article-124'],
    compile(value: string | string[]): Test {
      const wanted = new Set(list(value));
      return ({ content }) => wanted.has(content.id) || wanted.has(content.externalId);
    },
    actual: (facts) => facts.content.id,
  },
  contentType: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.Enum(['article', 'report', 'image', 'dataset', 'video'])),
    doc: 'The type of the item.',
    example: 'dataset',
    ...equality((facts) => facts.content.type),
  },
  contentTags: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(shortText),
    doc: 'The item has any of these tags. An item without tags is known to have none.',
    example: ['premium', 'archive'],
    ...anyOf((facts) => facts.content.tags),
  },
  contentMetadata: {
    about: 'check',
    negatable: true,
    schema: metadataValues,
    doc: 'Every key named is a top-level key of the item’s metadata and equals the value, or any of the list.',
    example: { section: ['politics', 'economy'] },
    ...metadataEquality((facts) => facts.content.metadata),
  },
  requesterMetadata: {
    about: 'check',
    negatable: true,
    schema: metadataValues,
    doc: 'Every key named is a top-level key of the registered requester’s metadata and equals the value, or any of the list.',
    example: { tier: 'gold' },
    ...metadataEquality((facts) => facts.requester?.metadata ?? null),
  },
  country: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ pattern: COUNTRY_PATTERN })),
    doc: 'The country of the request, ISO 3166 alpha-2 in capitals (`context.country`).',
    example: ['DE', 'AT', 'CH'],
    ...equality((facts) => facts.country),
  },
  ip: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ format: 'ip-range', maxLength: 64 })),
    doc: 'The address of the request is this IPv4 or IPv6 address or in this CIDR range (`context.ip`).',
    example: ['203.0.113.0/24', '2001:db8::/32'],
    compile(value: string | string[]): Test {
      const ranges = list(value)
        .map(parseRange)
        .filter((range): range is Range => range !== undefined);
      return (facts) => {
        const { address } = facts;
        if (address === null) return undefined;
        for (const range of ranges) if (contains(range, address)) return true;
        return false;
      };
    },
    actual: (facts) => facts.ip,
  },
  userAgent: {
    about: 'check',
    negatable: true,
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 512 })),
    doc: 'The user agent contains this text, in upper or lower case (`context.userAgent`).',
    example: ['GPTBot', 'ClaudeBot'],
    compile(value: string | string[]): Test {
      const parts = list(value).map(smallLetters);
      return (facts) => {
        const agent = facts.lowerAgent;
        if (agent === null) return undefined;
        for (const part of parts) if (agent.includes(part)) return true;
        return false;
      };
    },
    actual: (facts) => facts.userAgent,
  },
  time: {
    about: 'check',
    negatable: false,
    schema: TimeSchema,
    doc: 'The moment of the check: at or after `after`, before `before`, on one of `days`, from `from` to before `to` (which may pass midnight; the day is that of the moment), by the clocks of `timezone` (UTC without it).',
    example: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:30', timezone: 'Europe/Berlin' },
    compile: compileTime,
    actual: (facts) => toIso(facts.at),
  },
} as const satisfies Record<string, Condition>;

export type ConditionKey = keyof typeof CONDITIONS;

const NOT = 'Not';

/** Every key a rule may carry with its value's schema: the table's and their negations. */
export const CONDITION_SCHEMAS: Record<string, TSchema> = Object.fromEntries(
  Object.entries(CONDITIONS).flatMap(([key, { schema, negatable }]) => {
    const row: [string, TSchema] = [key, schema];
    return negatable ? [row, [key + NOT, schema]] : [row];
  }),
);

const TABLE: ReadonlyMap<string, Condition> = new Map(Object.entries(CONDITIONS));

/** The row a key names and whether it negates it. Keys were validated before: an unknown one is a fault of ours. */
export function conditionOf(key: string): { condition: Condition; negated: boolean } {
  const condition = TABLE.get(key);
  if (condition !== undefined) return { condition, negated: false };
  const positive = key.endsWith(NOT) ? TABLE.get(key.slice(0, -NOT.length)) : undefined;
  if (positive?.negatable === true) return { condition: positive, negated: true };
  throw new Error(`no condition is called ${key}`);
}

/** Which answer of a test holds, and whether it holds that there is none: the silence rule. */
export const meaningOf = (negated: boolean, action: Action): { wanted: boolean; silent: boolean } => ({
  wanted: !negated,
  silent: negated && action === 'deny',
});

/** What a test's answer means for a rule. */
export function holds(answer: boolean | undefined, negated: boolean, action: Action): boolean {
  const { wanted, silent } = meaningOf(negated, action);
  return answer === undefined ? silent : answer === wanted;
}
