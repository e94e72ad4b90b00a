/** The editor's rules: their order, and sentences that describe them. */
import type { Answer } from '../api/client.ts';
import { CONDITIONS, type ConditionRow, findRow, getVerb } from './condition-table.ts';
import { countryName } from './countries.ts';
import { permissionName } from './permissions.ts';

export type Policy = Answer<'GET /v1/policies/{id}'>;
export type Rule = Policy['rules'][number];
export type Conditions = Record<string, unknown>;

/** The editable fields of a policy. */
export interface Draft {
  name: string;
  description: string;
  /** The last rules that parsed. */
  rules: Rule[];
  defaultAction: 'allow' | 'deny';
  /** The text of the JSON view while it does not parse. */
  unreadable?: string;
}

export const toDraft = ({
  name,
  description,
  rules,
  defaultAction,
}: Pick<Policy, 'name' | 'description' | 'rules' | 'defaultAction'>): Draft => ({
  name,
  description: description ?? '',
  rules,
  defaultAction,
});

export const isSame = (a: Draft, b: Draft): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fields of an allow rule that a deny rule ignores. */
export type Grant = Pick<Rule, 'permissions' | 'rateLimit'>;

/** Splits a rule into its grant and the rest. */
export function withoutGrant({ permissions, rateLimit, ...rest }: Rule): { rest: Rule; grant: Grant } {
  return {
    rest,
    grant: { ...(permissions === undefined ? {} : { permissions }), ...(rateLimit === undefined ? {} : { rateLimit }) },
  };
}

/** Returns rule indexes in order of evaluation: by priority, `default` last. */
export function evaluationOrder(rules: readonly Rule[]): number[] {
  const last = (i: number): number => (rules[i]?.conditions?.default === true ? 1 : 0);
  const priority = (i: number): number => rules[i]?.priority ?? i + 1;
  return rules.map((_, i) => i).toSorted((a, b) => last(a) - last(b) || priority(a) - priority(b) || a - b);
}

/** Returns the rules in order of evaluation; the list order replaces priorities. */
export const inOrder = (rules: readonly Rule[]): Rule[] =>
  evaluationOrder(rules).map((i) => {
    const { priority: _, ...rule } = rules[i] as Rule;
    return rule;
  });

/** Moves a rule in the order of evaluation. */
export function reordered(rules: readonly Rule[], from: number, to: number): Rule[] {
  const ordered = inOrder(rules);
  const [moved] = ordered.splice(from, 1);
  if (moved !== undefined) ordered.splice(to, 0, moved);
  return ordered;
}

/** Returns where a new rule goes in the order of evaluation: before the rules for everybody else. */
export function placeOfNew(rules: readonly Rule[]): number {
  const isForAll = ({ conditions = {} }: Rule) => conditions.default === true || Object.keys(conditions).length === 0;
  return inOrder(rules).findLastIndex((rule) => !isForAll(rule)) + 1;
}

/** The conditions of a rule that has none yet: it matches nothing, in every place where rules are decided by. */
export const NOTHING_YET: Conditions = { default: false };

export const isSilent = (conditions: Conditions = {}): boolean =>
  conditions.default === false && Object.keys(conditions).length === 1;

/** A value that was not given yet. */
function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '';
  const entries = Object.entries(value);
  return entries.length === 0 || entries.some(([key, one]) => key === '' || isEmpty(one));
}

const emptyCondition = ({ conditions = {} }: Rule): string | undefined =>
  Object.entries(conditions).find(([, value]) => isEmpty(value))?.[0];

/** Returns the rules as they are decided by, in order of evaluation: an unfinished one matches nothing. */
export const asDecided = (rules: readonly Rule[]): Rule[] =>
  inOrder(rules).map((rule) => (emptyCondition(rule) === undefined ? rule : { ...rule, conditions: NOTHING_YET }));

/** Returns why a draft cannot be written, in the words of the form; those that are published may match nothing. */
export function whyNotWritten(
  { rules, unreadable }: Pick<Draft, 'rules' | 'unreadable'>,
  published: readonly Rule[] = [],
): string | undefined {
  if (unreadable !== undefined) return 'The JSON cannot be read as rules.';
  for (const [i, rule] of inOrder(rules).entries()) {
    const key = emptyCondition(rule);
    if (key !== undefined) {
      return `Rule ${i + 1} has no value for “${findRow(key)?.row.label ?? key}” yet: give one, or remove the condition.`;
    }
    if (isSilent(rule.conditions) && !published.some(({ conditions }) => isSilent(conditions))) {
      return `Rule ${i + 1} has no condition yet: add one, or remove the rule.`;
    }
  }
  return undefined;
}

/** The names of records, by id. */
export type Names = ReadonlyMap<string, string>;
const NO_NAMES: Names = new Map();

/** Describes a condition. */
export function conditionWords(key: string, value: unknown, names = NO_NAMES): string {
  if (key === 'default') return value === true ? 'no other rule matches' : 'never';
  if (key === 'hasValidLicense')
    return value === true ? 'the requester has a valid license' : 'the requester has no valid license';
  if (key === 'crawlerVerified') return value === true ? 'the crawler is verified' : 'the crawler is not verified';
  if (key === 'requesterVerified') return verifiedWords(value);
  const found = findRow(key);
  if (found === undefined) return `${key} ${JSON.stringify(value)}`;
  const { row, negated } = found;
  return `${row.label.toLowerCase()} ${getVerb(row, negated)} ${valueWords(value, naming(row, names))}`;
}

type Naming = (value: unknown) => string;

function naming({ words, source }: ConditionRow, names: Names): Naming {
  if (source === 'country') return (value) => countryName(String(value));
  const isRecord = source !== undefined;
  return (value) =>
    words?.[String(value)]?.toLowerCase() ?? (isRecord ? names.get(String(value)) : undefined) ?? String(value);
}

function verifiedWords(value: unknown): string {
  if (value === true) return 'the requester is verified';
  const row = findRow('requesterVerified')?.row;
  const words = valueWords(value, row === undefined ? String : naming(row, NO_NAMES));
  return value === false ? 'the requester is not verified' : `the requester is verified by ${words}`;
}

function valueWords(value: unknown, nameOf: Naming = String): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 4).map(nameOf).join(' or ');
    return value.length > 4 ? `${shown} or ${value.length - 4} more` : shown;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, one]) => `${name} ${valueWords(one)}`)
      .join(', ');
  }
  return nameOf(value);
}

export function ruleWords(rule: Rule, names = NO_NAMES): string {
  const { action, permissions, rateLimit } = rule;
  if (action === 'deny') return whenWords(rule, names);
  const limit =
    rateLimit === undefined
      ? ''
      : `, ${rateLimit.requests.toLocaleString('en-GB')} ${periodWords(rateLimit.period)} for each ${scopeWords(rateLimit.scope)}`;
  return `${whenWords(rule, names)}, granting ${grantWords(permissions)}${limit}`;
}

function whenWords({ conditions = {} }: Rule, names: Names): string {
  const words = Object.entries(conditions as Conditions).map(([key, value]) => conditionWords(key, value, names));
  if (isSilent(conditions)) return 'never: it has no condition yet';
  if (words.length === 0) return 'always';
  return words.length === 1 && conditions.default === true ? 'everybody else' : `when ${words.join(' and ')}`;
}

const grantWords = (permissions: readonly string[] = ['full_access']): string =>
  permissions.map(grantWord).join(', ') || 'nothing';

/** Formats a permission inside a sentence; custom permissions stay as they are. */
function grantWord(permission: string): string {
  const name = permissionName(permission);
  return name === permission ? permission : name.toLowerCase();
}

/** For example `an hour`, `a day`. */
export const periodWords = (period: string): string => `${period === 'hour' ? 'an' : 'a'} ${period}`;

const scopeWords = (scope: string | undefined): string =>
  scope === 'global' ? 'policy' : scope === 'content' ? 'item' : (scope ?? 'requester');

/** Returns the conditions that a rule does not have yet. */
export const freeConditions = (conditions: Conditions): ConditionRow[] =>
  CONDITIONS.filter(({ key }) => !(key in conditions) && !(`${key}Not` in conditions));
