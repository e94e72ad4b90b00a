/** A warning about rules, and the words that all of them share. */

/** All warnings, in the order in which they are listed for one rule. */
export const LINT_CODES = [
  // The rule never decides: its conditions exclude one another, or an earlier rule decides whenever it holds.
  'unreachable_rule',
  // The rule never holds: it requires no valid license (`hasValidLicense: false`) and a kind of license at once.
  'license_contradiction',
  // The rule holds for every check, so rules evaluated after it never decide.
  'catch_all_before_others',
  // The rule has `default: true` and a priority or position before other rules, but is evaluated after them.
  'default_rule_order',
  // An earlier rule says the same.
  'duplicate_rule',
  // A check that omits a value is not denied by the rule, and something else then allows it.
  'deny_evaded_by_silence',
  // The rule allows by a name that anybody may use, and the requester has identities that it does not ask for.
  'identities_not_required',
  // A deny rule grants nothing; its `permissions` have no effect.
  'permissions_on_deny',
  // A deny rule admits no check; its `rateLimit` has no effect.
  'rate_limit_on_deny',
  // Postern gives the permission no meaning. It may be one of your own, or a typo.
  'unknown_permission',
  // No known crawler has the text in its user agent, and it is nearly the name of one.
  'unknown_user_agent',
] as const;

export type LintCode = (typeof LINT_CODES)[number];

export interface Warning {
  code: LintCode;
  message: string;
  /** Path in the request: `rules[2].conditions.country`. */
  param: string;
}

/** The path of a rule, or of a part of it. */
export const at = (index: number, path = ''): string => `rules[${index}]${path}`;

export const code = (text: string): string => `\`${text}\``;
