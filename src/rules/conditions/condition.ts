/** The shape of a condition: a row of the table in `conditions`. */
import { type TSchema, Type } from 'typebox';
import type { LicenseFacts } from '../facts.ts';
import type { Matcher } from './match.ts';

export const LIST_MAX = 1000;

export type LicenseTest = (license: LicenseFacts, at: number) => boolean;

interface Described {
  schema: TSchema;
  /** The key also exists with the suffix `Not`. */
  negatable: boolean;
  doc: string;
  example: unknown;
}

interface CheckCondition extends Described, Matcher {
  about: 'check';
}

/** All license keys of a rule must match the same license. */
interface LicenseCondition extends Described {
  about: 'license';
  compile(value: never): LicenseTest;
  actual(license: LicenseFacts): unknown;
}

/** `compile` gives the key its meaning. */
interface RuleCondition extends Described {
  about: 'rule';
}

export type Condition = CheckCondition | LicenseCondition | RuleCondition;

export const oneOrMany = (item: TSchema): TSchema =>
  Type.Union([item, Type.Array(item, { minItems: 1, maxItems: LIST_MAX })]);
