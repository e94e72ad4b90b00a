/** What is valid in a policy and yet hardly what was meant: warnings, with the place and what to do. */
import { nearest } from '../lib/text.ts';
import { Meter } from './lint-cells.ts';
import { findUnreachable, type Placed, place, type Reason } from './lint-reach.ts';
import { type Evasion, findEvasions } from './lint-silence.ts';
import { type Action, DEFAULT_GRANT, GRANTS, type Rule } from './policy.ts';

/** Every warning there is, in the order in which those of one rule are told. */
export const LINT_CODES = [
  // The rule never decides: its conditions exclude one another, or earlier rules decide whenever it holds.
  'unreachable_rule',
  // The rule never holds: it asks for no valid licence (`hasValidLicense: false`) and for a kind of licence at once.
  'license_contradiction',
  // The rule holds for every check and other rules are asked after it; they never decide.
  'catch_all_before_others',
  // An earlier rule says the same.
  'duplicate_rule',
  // A check that leaves out what the deny rule looks at is not denied by it, and something else then allows it.
  'deny_evaded_by_silence',
  // A deny rule grants nothing; its `permissions` have no effect.
  'permissions_on_deny',
  // A deny rule admits nobody; its `rateLimit` has no effect.
  'rate_limit_on_deny',
  // The permission is none that Postern gives a meaning to. It may be one of your own, or a slip.
  'unknown_permission',
] as const;

export type LintCode = (typeof LINT_CODES)[number];

export interface Warning {
  code: LintCode;
  message: string;
  /** What it is about: `rules[2].conditions.country`. */
  param: string;
}

/** A unit is about one value looked at. Thrice as many, one for each sort of reasoning, take about a tenth of a second. */
const UNITS = 300_000;

const LICENSE_KEYS = ['licenseType', 'licenseFeatures', 'licenseExpiry'];

export function lint(rules: readonly Rule[], defaultAction: Action): Warning[] {
  const order = place(rules);
  const unreachable = findUnreachable(order, new Meter(UNITS), new Meter(UNITS));
  const evasions = findEvasions(order, defaultAction, new Meter(UNITS));
  const granted = new Set(rules.flatMap((rule) => (rule.action === 'allow' ? (rule.permissions ?? []) : [])));
  const first = new Map<string, number>();
  return rules.flatMap((rule, index) => [
    ...neverDecides(rule, index, unreachable.get(index)),
    ...catchAll(rule, index, order),
    ...duplicate(rule, index, first),
    ...evasions.filter((one) => one.index === index).map((one) => evaded(one)),
    ...uselessOnDeny(rule, index),
    ...unknownPermissions(rule, index, granted),
  ]);
}

const at = (index: number, path = ''): string => `rules[${index}]${path}`;
const code = (text: string): string => `\`${text}\``;

function neverDecides(rule: Rule, index: number, reason: Reason | undefined): Warning[] {
  const { conditions = {} } = rule;
  const licenseKey = LICENSE_KEYS.find((key) => conditions[key] !== undefined);
  if (conditions.hasValidLicense === false && licenseKey !== undefined) {
    const message =
      `This rule never holds: who has no valid licence has none that meets ${code(licenseKey)}. ` +
      `Remove ${code(licenseKey)} to speak of those without a licence, or ${code('hasValidLicense')} to speak of those with one.`;
    return [{ code: 'license_contradiction', message, param: at(index, '.conditions.hasValidLicense') }];
  }
  if (reason === undefined) return [];
  if (reason.kind === 'void') {
    const path = reason.keys.length === 0 ? '.conditions' : `.conditions.${reason.keys.at(-1)}`;
    return [{ code: 'unreachable_rule', message: voidMessage(conditions, reason.keys), param: at(index, path) }];
  }
  const by = names(reason.by);
  const several = reason.by.length > 1;
  // Priority cannot bring a rule with `default: true` before the others.
  const first = conditions.default === true ? '' : `, or give this rule a lower ${code('priority')}`;
  const message =
    `This rule never decides: whenever it holds, ${several ? `one of ${by} holds` : `${by} holds too`} and is asked ` +
    `before it. Remove it${first === '' ? ' or' : ','} narrow ${several ? 'one of those' : by}${first}.`;
  return [{ code: 'unreachable_rule', message, param: at(index) }];
}

function voidMessage(conditions: Record<string, unknown>, keys: readonly string[]): string {
  const [one, other] = keys;
  if (one === undefined) return 'This rule never holds: its conditions exclude one another. Remove one of them.';
  if (other !== undefined) {
    return `This rule never holds: ${code(one)} and ${code(other)} exclude each other. Remove one of them.`;
  }
  if (one === 'default') {
    return `This rule never holds: ${code('default: false')} holds for no check. Remove the rule, or the condition.`;
  }
  return `This rule never holds: no check meets ${code(`${one}: ${shortened(conditions[one])}`)}. Correct its value, or remove the rule.`;
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

/** "rules[0], rules[1] and 7 more" */
function names(indexes: readonly number[]): string {
  const some = indexes.slice(0, 5).map((index) => at(index));
  const more = indexes.length - some.length;
  if (more > 0) return `${some.join(', ')} and ${more} more`;
  return some.length === 1 ? (some[0] as string) : `${some.slice(0, -1).join(', ')} and ${some.at(-1)}`;
}

function catchAll(rule: Rule, index: number, order: readonly Placed[]): Warning[] {
  const { conditions = {} } = rule;
  const isLast = conditions.default === true;
  if (Object.keys(conditions).length > (isLast ? 1 : 0)) return [];
  const after = order.slice(order.findIndex((placed) => placed.index === index) + 1).map((placed) => placed.index);
  if (after.length === 0) return [];
  const todo = isLast
    ? `Keep one rule that is just ${code('default: true')}.`
    : `Mark it ${code('default: true')} to have it asked last, or give it conditions.`;
  const message = `This rule holds for every check, so ${names(after)}, asked after it, never decide${after.length === 1 ? 's' : ''}. ${todo}`;
  return [{ code: 'catch_all_before_others', message, param: at(index) }];
}

/** Message and priority aside: they do not change what is decided when the other rule decides anyway. */
function duplicate(rule: Rule, index: number, first: Map<string, number>): Warning[] {
  const { action, conditions = {}, permissions = DEFAULT_GRANT, rateLimit } = rule;
  const limit = rateLimit && { scope: 'requester', ...rateLimit };
  const text = canonical({ action, conditions, ...(action === 'allow' && { permissions, limit: limit ?? null }) });
  const same = first.get(text);
  if (same === undefined) {
    first.set(text, index);
    return [];
  }
  return [
    {
      code: 'duplicate_rule',
      message: `This rule says the same as ${at(same)}. Remove one of them.`,
      param: at(index),
    },
  ];
}

/** One text for all ways to write the same: keys sorted, a single value as a list, lists sorted and without repeats. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `[${JSON.stringify(value)}]`;
  if (Array.isArray(value)) return `[${[...new Set(value.map((one) => JSON.stringify(one)))].sort().join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

function evaded({ index, key, allowedBy }: Evasion): Warning {
  const left = key.startsWith('requester') ? 'requesterId' : key;
  const by = allowedBy === null ? 'the default action' : at(allowedBy);
  const instead =
    allowedBy === null
      ? `make the default action ${code('deny')} and allow what you accept`
      : `ask for ${code(key)} in ${at(allowedBy)}`;
  const closing =
    key === 'ip'
      ? `add a deny rule with ${code('ipNot: ["0.0.0.0/0", "::/0"]')}, which holds only for checks without an address`
      : `add a deny rule with ${code(`${key}Not`)} and the values you accept, which also holds when nothing is said`;
  const message =
    `A check that leaves out ${code(left)} is not denied by this rule, and ${by} then allows it. ` +
    `If it should stay denied, ${closing}, or ${instead}.`;
  return { code: 'deny_evaded_by_silence', message, param: at(index, `.conditions.${key}`) };
}

function uselessOnDeny({ action, permissions, rateLimit }: Rule, index: number): Warning[] {
  if (action !== 'deny') return [];
  const warnings: Warning[] = [];
  if (permissions !== undefined) {
    const message = `A deny rule grants nothing. Remove ${code('permissions')}, or make the action ${code('allow')}.`;
    warnings.push({ code: 'permissions_on_deny', message, param: at(index, '.permissions') });
  }
  if (rateLimit !== undefined) {
    const message = `A deny rule admits nobody, so there is nothing to count. Remove ${code('rateLimit')}, or make the action ${code('allow')}.`;
    warnings.push({ code: 'rate_limit_on_deny', message, param: at(index, '.rateLimit') });
  }
  return warnings;
}

/** A value that a rule of the policy grants is taken as meant where a condition asks for it. */
function unknownPermissions({ permissions, conditions = {} }: Rule, index: number, granted: Set<string>): Warning[] {
  const warnings: Warning[] = [];
  for (const [i, value] of (permissions ?? []).entries()) {
    if (!isKnown(value)) warnings.push(unknownPermission(value, at(index, `.permissions[${i}]`)));
  }
  for (const key of ['permission', 'permissionNot']) {
    const asked = conditions[key] as string | string[] | undefined;
    const path = at(index, `.conditions.${key}`);
    for (const [i, value] of [asked ?? []].flat().entries()) {
      if (isKnown(value) || granted.has(value)) continue;
      warnings.push(unknownPermission(value, Array.isArray(asked) ? `${path}[${i}]` : path));
    }
  }
  return warnings;
}

const isKnown = (value: string): boolean => (GRANTS as readonly string[]).includes(value);

function unknownPermission(value: string, param: string): Warning {
  const meant = nearest(value, GRANTS);
  const todo =
    meant === undefined
      ? 'If it is one of your own, checks must name it exactly so.'
      : `Did you mean ${code(meant)}? If it is one of your own, checks must name it exactly so.`;
  return { code: 'unknown_permission', message: `${code(value)} is no permission that Postern knows. ${todo}`, param };
}
