/**
 * Warnings for policies that are valid but probably wrong, each with a path and a remedy. Followed to the letter, a
 * remedy opens nothing, or says what it opens.
 */
import { atOnce, inSlices, type Steps } from '../../lib/slices.ts';
import { canonicalJson } from '../canonical.ts';
import { type Action, DEFAULT_GRANT, type Rule } from '../policy.ts';
import { Meter } from './cells.ts';
import { findMisspelled } from './misspelled.ts';
import { type Evasion, findEvasions } from './silence.ts';
import { findUnreachable, type NeverDecides, type PlacedRule, place } from './unreachable.ts';
import { findUnverified, NOBODY, type Unverified, type Verifiable } from './unverified.ts';
import { at, code, type LintCode, type Warning } from './warning.ts';

/** For each kind of reasoning. A unit is about one compared value; three times as many take about 100 ms (measured). */
const UNITS = 300_000;

const LICENSE_KEYS = ['licenseType', 'licenseFeatures', 'licenseExpiry'];

/** Warnings whose remedy moves rules in the list: where a rule has no priority, its place is its priority. */
const MOVES: ReadonlySet<LintCode> = new Set([
  'unreachable_rule',
  'catch_all_before_others',
  'default_rule_order',
  'duplicate_rule',
]);
const MOVED_ALONG = 'Before you move or remove a rule, give each rule a `priority`: without one, its place counts.';

/** For a process that serves no requests. `verifiable`: the requesters with identities that the rules are about. */
export const lint = (rules: readonly Rule[], defaultAction: Action, verifiable: Verifiable = NOBODY): Warning[] =>
  atOnce(findWarnings(rules, defaultAction, verifiable));

/** Other requests are answered meanwhile: the largest policies take half a second. */
export const lintInSlices = (rules: readonly Rule[], defaultAction: Action, verifiable: Verifiable) =>
  inSlices(findWarnings(rules, defaultAction, verifiable));

function* findWarnings(rules: readonly Rule[], defaultAction: Action, verifiable: Verifiable): Steps<Warning[]> {
  const order = yield* place(rules);
  const unreachable = yield* findUnreachable(order, new Meter(UNITS));
  const evasions = yield* findEvasions(order, defaultAction, new Meter(UNITS));
  const unverified = yield* findUnverified(order, verifiable, new Meter(UNITS));
  const duplicates = findDuplicates(order);
  const misspelled = yield* findMisspelled(rules);
  const warnings: Warning[] = [];
  for (const [index, rule] of rules.entries()) {
    warnings.push(
      ...neverDecides(rule, index, unreachable.get(index)),
      ...catchAll(rule, index, order),
      ...defaultOrder(rule, index, rules),
      ...duplicate(index, duplicates.get(index)),
      ...evasions.filter((one) => one.index === index).map((one) => evaded(one)),
      ...unverified.filter((one) => one.index === index).map(notRequired),
      ...uselessOnDeny(rule, index),
      ...(misspelled.get(index) ?? []),
    );
    yield;
  }
  const withPriority = rules.filter(({ priority }) => priority !== undefined).length;
  if (withPriority === 0 || withPriority === rules.length) return warnings;
  return warnings.map((one) => (MOVES.has(one.code) ? { ...one, message: `${one.message} ${MOVED_ALONG}` } : one));
}

function neverDecides(rule: Rule, index: number, reason: NeverDecides | undefined): Warning[] {
  const { conditions = {} } = rule;
  const licenseKey = LICENSE_KEYS.find((key) => conditions[key] !== undefined);
  if (conditions.hasValidLicense === false && licenseKey !== undefined) {
    const message =
      `This rule never holds: a requester without a valid license has none that meets ${code(licenseKey)}. ` +
      `Remove ${code(licenseKey)} to match requesters without a license, or ${code('hasValidLicense')} to match those with one.`;
    return [{ code: 'license_contradiction', message, param: at(index, '.conditions.hasValidLicense') }];
  }
  if (reason === undefined) return [];
  if (reason.kind === 'void') {
    const path = reason.keys.length === 0 ? '.conditions' : `.conditions.${reason.keys.at(-1)}`;
    return [{ code: 'unreachable_rule', message: voidMessage(conditions, reason.keys), param: at(index, path) }];
  }
  const by = at(reason.by);
  // No place is before the others for a rule with `default: true`.
  const todo = conditions.default === true ? `narrow ${by}` : `narrow ${by} or have this rule evaluated before it`;
  const message =
    `This rule never decides: whenever it holds, ${by} holds too and is evaluated before it. ` +
    `Without it, the same checks are allowed. If it should decide, ${todo}.`;
  return [{ code: 'unreachable_rule', message, param: at(index) }];
}

/** Without the condition, the rule might hold for more than was meant. */
const CORRECT = 'Correct them, or remove the rule.';

function voidMessage(conditions: Record<string, unknown>, keys: readonly string[]): string {
  const [one, other] = keys;
  if (one === undefined) return `This rule never holds: its conditions exclude one another. ${CORRECT}`;
  if (other !== undefined) {
    return `This rule never holds: ${code(one)} and ${code(other)} exclude each other. ${CORRECT}`;
  }
  if (one === 'default') {
    return `This rule never holds: ${code('default: false')} holds for no check. Replace it with the conditions that you mean, or remove the rule.`;
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

function catchAll(rule: Rule, index: number, order: readonly PlacedRule[]): Warning[] {
  const { conditions = {} } = rule;
  const isLast = conditions.default === true;
  if (Object.keys(conditions).length > (isLast ? 1 : 0)) return [];
  const after = order.slice(order.findIndex((placed) => placed.index === index) + 1).map((placed) => placed.index);
  if (after.length === 0) return [];
  const them = after.length === 1 ? 'it' : 'they';
  const todo = isLast
    ? `give this rule more conditions.`
    : `mark this rule ${code('default: true')}, which has it evaluated last, or give it conditions.`;
  const message =
    `This rule holds for every check, so ${names(after)}, evaluated after it, never decide${after.length === 1 ? 's' : ''}. ` +
    `If ${them} should decide, ${todo}`;
  return [{ code: 'catch_all_before_others', message, param: at(index) }];
}

/** Warns of a priority or position that would put a rule with `default: true` before others. */
function defaultOrder({ conditions, priority }: Rule, index: number, rules: readonly Rule[]): Warning[] {
  if (conditions?.default !== true) return [];
  const isAfter = (other: Rule, otherIndex: number): boolean => {
    if (other.conditions?.default === true) return false;
    if (priority === undefined) return otherIndex > index;
    const its = other.priority ?? otherIndex + 1;
    return its > priority || (its === priority && otherIndex > index);
  };
  const after = rules.flatMap((other, otherIndex) => (isAfter(other, otherIndex) ? otherIndex : []));
  if (after.length === 0) return [];
  const isOnly = rules.filter((one) => one.conditions?.default === true).length === 1;
  const last = isOnly ? 'it' : `all rules with ${code('default: true')}, in their present order,`;
  const [what, todo, path] =
    priority === undefined
      ? ['The position of this rule', `Move ${last} to the end of the list`, '']
      : [code(`priority: ${priority}`), `Give ${last} the highest`, '.priority'];
  const message = `${what} has no effect: a rule with ${code('default: true')} is evaluated last, so after ${names(after)}. ${todo}.`;
  return [{ code: 'default_rule_order', message, param: at(index, path) }];
}

/**
 * Returns the rule that says the same and is evaluated first, by the index of each later one. Ignores message and
 * priority, which change no decision while the other rule decides.
 */
function findDuplicates(order: readonly PlacedRule[]): Map<number, number> {
  const first = new Map<string, number>();
  const found = new Map<number, number>();
  for (const { rule, index } of order) {
    const { action, conditions = {}, permissions = DEFAULT_GRANT, rateLimit = null } = rule;
    const limit = rateLimit && { scope: 'requester', ...rateLimit };
    const text = canonicalJson(toLists({ action, conditions, ...(action === 'allow' && { permissions, limit }) }));
    const same = first.get(text);
    if (same === undefined) first.set(text, index);
    else found.set(index, same);
  }
  return found;
}

function duplicate(index: number, same: number | undefined): Warning[] {
  if (same === undefined) return [];
  const message = `This rule says the same as ${at(same)}, which is evaluated before it. Without it, the same checks are allowed.`;
  return [{ code: 'duplicate_rule', message, param: at(index) }];
}

/** Writes every single value as a list, and each list without repeats. */
function toLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [...new Set([value].flat())];
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toLists(one)]));
}

/** Returns the condition of a deny rule that holds for the checks without the value. */
function closedBy(key: string, ofLicense: boolean): string {
  if (ofLicense) return code('hasValidLicense: false');
  if (key === 'requesterVerified') return `${code('requesterVerified: false')}, which also holds without a requester`;
  if (key === 'ip') return `${code('ipNot: ["0.0.0.0/0", "::/0"]')}, which holds only for checks without an address`;
  const negation = key === 'crawlerVerified' ? 'userAgentNot' : `${key}Not`;
  const accepted = key === 'crawlerVerified' ? 'texts' : 'values';
  return `${code(negation)} and the ${accepted} you accept, which also holds when the value is missing`;
}

function evaded({ index, key, allowedBy }: Evasion): Warning {
  const ofLicense = key === 'hasValidLicense' || key.startsWith('license');
  const ofRequester = ofLicense || key.startsWith('requester');
  const omitted = ofRequester ? 'requesterId' : key.startsWith('crawler') ? 'userAgent' : key;
  const by = allowedBy === null ? 'the default action' : at(allowedBy);
  const instead =
    allowedBy === null
      ? `make the default action ${code('deny')} and allow what you accept`
      : `require ${code(key)} in ${at(allowedBy)}`;
  const add = allowedBy === null ? 'add a deny rule' : `add a deny rule before ${by}`;
  const closing = `${add} with ${closedBy(key, ofLicense)}`;
  const message =
    `A check without ${code(omitted)} is not denied by this rule, and ${by} then allows it. ` +
    `If it should stay denied, ${closing}, or ${instead}.`;
  return { code: 'deny_evaded_by_silence', message, param: at(index, `.conditions.${key}`) };
}

function notRequired(one: Unverified): Warning {
  const { index, key, name } = one;
  if (one.ofCrawler !== undefined) return notProven(one, one.ofCrawler);
  const who = name === null ? toGroup(key) : `Requester ${code(name)} has identities`;
  const message =
    `${who}, and this rule does not require them: it also allows visitors that only use the name. ` +
    `Require ${code('requesterVerified: true')}.`;
  return { code: 'identities_not_required', message, param: at(index, `.conditions.${key}`) };
}

function notProven(
  { index, key, name }: Unverified,
  { asksRequester, provable }: NonNullable<Unverified['ofCrawler']>,
): Warning {
  const why = asksRequester
    ? `${code('requesterVerified')} proves the requester: a partner with a token of its own may use the name ${code(`${name}`)}. Require ${code('crawlerVerified: true')} too.`
    : `Anybody may use the name ${code(`${name}`)}, and this rule does not require its proof. Require ${code('crawlerVerified: true')}.`;
  const known = provable ? '' : ' The crawler directory knows no proof of it, so only your own server can state one.';
  return { code: 'identities_not_required', message: why + known, param: at(index, `.conditions.${key}`) };
}

const toGroup = (key: string): string =>
  key.startsWith('requester')
    ? 'Requesters with identities meet this condition'
    : 'Requesters with identities hold such licenses';

function uselessOnDeny({ action, permissions, rateLimit }: Rule, index: number): Warning[] {
  if (action !== 'deny') return [];
  const warnings: Warning[] = [];
  if (permissions !== undefined) {
    const message = `A deny rule grants nothing, so ${code('permissions')} have no effect. Remove them.`;
    warnings.push({ code: 'permissions_on_deny', message, param: at(index, '.permissions') });
  }
  if (rateLimit !== undefined) {
    const message = `A deny rule admits no check, so ${code('rateLimit')} has no effect. Remove it.`;
    warnings.push({ code: 'rate_limit_on_deny', message, param: at(index, '.rateLimit') });
  }
  return warnings;
}
