/** Rules as the editor has them, their order, and a rule in words. */
import type { Answer } from '../api/client.ts';
import { CONDITIONS, type ConditionRow, rowOf, verbOf } from './condition-table.ts';

export type Policy = Answer<'GET /v1/policies/{id}'>;
export type Rule = Policy['rules'][number];
export type Conditions = Record<string, unknown>;

/** What is edited: a policy without what the service gives it. */
export interface Draft {
  name: string;
  description: string;
  rules: Rule[];
  defaultAction: 'allow' | 'deny';
}

export const draftOf = ({
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

/** Places in the list, in the order in which the rules are asked: by priority, those marked `default` last. */
export function evaluationOrder(rules: readonly Rule[]): number[] {
  const last = (i: number): number => (rules[i]?.conditions?.default === true ? 1 : 0);
  const priority = (i: number): number => rules[i]?.priority ?? i + 1;
  return rules.map((_, i) => i).sort((a, b) => last(a) - last(b) || priority(a) - priority(b) || a - b);
}

/** The rules with one put elsewhere in the order of asking; from then on their places say the order. */
export function reordered(rules: readonly Rule[], from: number, to: number): Rule[] {
  const order = evaluationOrder(rules);
  const [moved] = order.splice(from, 1);
  if (moved !== undefined) order.splice(to, 0, moved);
  return order.map((i) => {
    const { priority: _, ...rule } = rules[i] as Rule;
    return rule;
  });
}

/** `rules[2].conditions.country` is about the rule at place 2. */
export function placeIn(param: string | null | undefined): number | undefined {
  const place = /^(?:policy\.)?rules\[(\d+)\]/.exec(param ?? '')?.[1];
  return place === undefined ? undefined : Number(place);
}

/** What must hold, in words. */
export function conditionWords(key: string, value: unknown): string {
  if (key === 'default') return value === true ? 'nothing before decided' : 'never';
  if (key === 'hasValidLicense')
    return value === true ? 'the requester has a valid licence' : 'the requester has no valid licence';
  const found = rowOf(key);
  if (found === undefined) return `${key} ${JSON.stringify(value)}`;
  return `${found.row.label.toLowerCase()} ${verbOf(found.row, found.negated)} ${valueWords(value)}`;
}

function valueWords(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 4).map(String).join(' or ');
    return value.length > 4 ? `${shown} or ${value.length - 4} more` : shown;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, one]) => `${name} ${valueWords(one)}`)
      .join(', ');
  }
  return String(value);
}

export function ruleWords(rule: Rule): string {
  const conditions = Object.entries((rule.conditions ?? {}) as Conditions);
  const when =
    conditions.length === 0
      ? 'always'
      : `when ${conditions.map(([key, value]) => conditionWords(key, value)).join(' and ')}`;
  const grants =
    rule.action === 'allow'
      ? `, granting ${rule.permissions === undefined ? 'full_access' : rule.permissions.join(', ') || 'nothing'}`
      : '';
  const limit =
    rule.rateLimit === undefined
      ? ''
      : `, ${rule.rateLimit.requests} ${rule.rateLimit.period === 'hour' ? 'an' : 'a'} ${rule.rateLimit.period} for each ${scopeWords(rule.rateLimit.scope)}`;
  return `${when}${grants}${limit}`;
}

const scopeWords = (scope: string | undefined): string =>
  scope === 'global' ? 'policy' : scope === 'content' ? 'item' : 'requester';

/** Those a rule does not carry yet. */
export const freeConditions = (conditions: Conditions): ConditionRow[] =>
  CONDITIONS.filter(({ key }) => !(key in conditions) && !(`${key}Not` in conditions));
