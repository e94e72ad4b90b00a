/** Checks that a value has the shape of rules, so that the form can show it. The service validates the rest. */
import { findRow } from './condition-table.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns why a value is not a list of rules. */
export function shapeFault(rules: unknown): string | undefined {
  if (!Array.isArray(rules)) return 'The rules are a list: [ … ].';
  for (const [i, rule] of rules.entries()) {
    const fault = ruleFault(rule);
    if (fault !== undefined) return `Rule ${i + 1}: ${fault}`;
  }
  return undefined;
}

function ruleFault(rule: unknown): string | undefined {
  if (!isObject(rule)) return 'a rule is an object: { … }.';
  const { action, conditions = {}, permissions = [], rateLimit = {}, message = '' } = rule;
  if (action !== 'allow' && action !== 'deny') return '"action" is "allow" or "deny".';
  if (!isObject(conditions)) return '"conditions" is an object: { … }.';
  if (!Array.isArray(permissions)) return '"permissions" is a list: [ … ].';
  if (!isObject(rateLimit)) return '"rateLimit" is an object: { … }.';
  if (typeof message !== 'string') return '"message" is a text.';
  return conditionFault(conditions);
}

const OBJECT_KINDS: readonly unknown[] = ['expiry', 'time', 'metadata'];

function conditionFault(conditions: Record<string, unknown>): string | undefined {
  const wrong = Object.entries(conditions).find(
    ([name, value]) => OBJECT_KINDS.includes(findRow(name)?.row.kind) && !isObject(value),
  );
  return wrong && `"${wrong[0]}" is an object: { … }.`;
}
