/**
 * The closed table of conditions: one row a key. From it come validation, compilation, explanation and documentation. A
 * test answers true, false, or undefined when the check does not know the value; a positive condition then does not hold,
 * and a `…Not` holds only in a deny rule, so silence never widens access.
 */
import { type TSchema, Type } from 'typebox';
import { contains, parseRange, type Range } from '../lib/ip-range.ts';
import type { Facts, LicenseFacts } from './facts.ts';
import type { Action } from './policy.ts';

const LIST_MAX = 1000;

export type Test = (facts: Facts) => boolean | undefined;
export type LicenseTest = (license: LicenseFacts) => boolean;

/** A key that asks the check itself. */
interface CheckCondition {
  about: 'check';
  schema: TSchema;
  doc: string;
  example: unknown;
  compile(value: never): Test;
  actual(facts: Facts): unknown;
}

/** A key that asks one licence; those of a rule must be met by the same one. */
interface LicenseCondition {
  about: 'license';
  schema: TSchema;
  doc: string;
  example: unknown;
  compile(value: never): LicenseTest;
  actual(license: LicenseFacts): unknown;
}

/** A key with a meaning of its own in compile. */
interface RuleCondition {
  about: 'rule';
  schema: TSchema;
  doc: string;
  example: unknown;
}

export type Condition = CheckCondition | LicenseCondition | RuleCondition;

const oneOrMany = (item: TSchema): TSchema => Type.Union([item, Type.Array(item, { minItems: 1, maxItems: LIST_MAX })]);

export const PERMISSION_PATTERN = '^[a-z][a-z0-9_]{0,63}$';
export const REQUESTER_ID_PATTERN = '^[A-Za-z0-9._:@/-]{1,128}$';
export const COUNTRY_PATTERN = '^[A-Z]{2}$';

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
    schema: Type.Boolean(),
    doc: '`true` marks a catch-all: it always holds and its rule is asked after all others. `false` never holds.',
    example: true,
  },
  hasValidLicense: {
    about: 'rule',
    schema: Type.Boolean(),
    doc: 'The requester has (`true`) or lacks (`false`) a licence that is valid for this content now.',
    example: false,
  },
  licenseType: {
    about: 'license',
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 64 })),
    doc: 'A valid licence has this type.',
    example: ['enterprise', 'research'],
    compile(value: string | string[]): LicenseTest {
      const wanted = new Set(list(value));
      return (license) => wanted.has(license.type);
    },
    actual: (license) => license.type,
  },
  requesterId: {
    about: 'check',
    schema: oneOrMany(Type.String({ pattern: REQUESTER_ID_PATTERN })),
    doc: 'Who asks.',
    example: 'partner_openai',
    ...equality((facts) => facts.requesterId),
  },
  purpose: {
    about: 'check',
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 64 })),
    doc: 'What the check says the content is wanted for.',
    example: ['training', 'fine_tuning'],
    ...equality((facts) => facts.purpose),
  },
  permission: {
    about: 'check',
    schema: oneOrMany(Type.String({ pattern: PERMISSION_PATTERN })),
    doc: 'The permission the check asks for.',
    example: 'commercial_use',
    ...equality((facts) => facts.permission),
  },
  contentType: {
    about: 'check',
    schema: oneOrMany(Type.Enum(['article', 'report', 'image', 'dataset', 'video'])),
    doc: 'The type of the item.',
    example: 'dataset',
    ...equality((facts) => facts.content.type),
  },
  contentTags: {
    about: 'check',
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 64 })),
    doc: 'The item has any of these tags. An item without tags is known to have none.',
    example: ['premium', 'archive'],
    compile(value: string | string[]): Test {
      const wanted = new Set(list(value));
      return ({ content }) => {
        for (const tag of content.tags) if (wanted.has(tag)) return true;
        return false;
      };
    },
    actual: (facts) => facts.content.tags,
  },
  country: {
    about: 'check',
    schema: oneOrMany(Type.String({ pattern: COUNTRY_PATTERN })),
    doc: 'The country of the request, ISO 3166 alpha-2 in capitals (`context.country`).',
    example: ['DE', 'AT', 'CH'],
    ...equality((facts) => facts.country),
  },
  ip: {
    about: 'check',
    schema: oneOrMany(Type.String({ format: 'ip-range', maxLength: 64 })),
    doc: 'The address of the request is this IPv4 or IPv6 address or in this CIDR range (`context.ip`).',
    example: ['203.0.113.0/24', '2001:db8::/32'],
    compile(value: string | string[]): Test {
      const ranges = list(value)
        .map(parseRange)
        .filter((range): range is Range => range !== undefined);
      return (facts) => {
        const { address } = facts;
        return address === null ? undefined : ranges.some((range) => contains(range, address));
      };
    },
    actual: (facts) => facts.ip,
  },
  userAgent: {
    about: 'check',
    schema: oneOrMany(Type.String({ minLength: 1, maxLength: 512 })),
    doc: 'The user agent contains this text, in upper or lower case (`context.userAgent`).',
    example: ['GPTBot', 'ClaudeBot'],
    compile(value: string | string[]): Test {
      const parts = list(value).map((part) => part.toLowerCase());
      return (facts) => {
        const agent = facts.lowerAgent;
        return agent === null ? undefined : parts.some((part) => agent.includes(part));
      };
    },
    actual: (facts) => facts.userAgent,
  },
} as const satisfies Record<string, Condition>;

export type ConditionKey = keyof typeof CONDITIONS;

const NOT = 'Not';
const WITHOUT_NEGATION = new Set<string>(['default', 'hasValidLicense']);

/** Every key a rule may carry with its value's schema: the table's and their negations. */
export const CONDITION_SCHEMAS: Record<string, TSchema> = Object.fromEntries(
  Object.entries(CONDITIONS).flatMap(([key, { schema }]) =>
    WITHOUT_NEGATION.has(key)
      ? [[key, schema]]
      : [
          [key, schema],
          [key + NOT, schema],
        ],
  ),
);

/** The row a key names and whether it negates it. Keys were validated before: an unknown one is a fault of ours. */
export function conditionOf(key: string): { condition: Condition; negated: boolean } {
  const table: Record<string, Condition> = CONDITIONS;
  if (Object.hasOwn(table, key)) return { condition: table[key] as Condition, negated: false };
  const positive = key.slice(0, -NOT.length);
  if (key.endsWith(NOT) && Object.hasOwn(table, positive) && !WITHOUT_NEGATION.has(positive)) {
    return { condition: table[positive] as Condition, negated: true };
  }
  throw new Error(`no condition is called ${key}`);
}

/** What a test's answer means for a rule: the silence rule. */
export function holds(answer: boolean | undefined, negated: boolean, action: Action): boolean {
  if (!negated) return answer === true;
  return answer === undefined ? action === 'deny' : !answer;
}
