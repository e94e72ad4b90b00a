/**
 * The decision, pure: a compiled policy and the facts of one check in, a verdict out. Without a clock, a store or a
 * side effect, so that it can be made again from the record. Limits belong to the ledger, which may still refuse an
 * allow.
 */

import type { CompiledPolicy, CompiledRule } from './compile.ts';
import type { Facts } from './facts.ts';
import { DEFAULT_GRANT, grants } from './policy.ts';
import type { Reason } from './reason.ts';

export interface Verdict {
  /** null: allowed, unless the rule's limit refuses. */
  reason: Reason | null;
  /** The rule that decided; null for the default action, and where no rule was evaluated. */
  rule: CompiledRule | null;
  /** The permissions that an allow grants; empty on a denial. */
  permissions: readonly string[];
}

/** A verdict with what it was reached on. */
export interface Evaluation {
  policy: CompiledPolicy;
  facts: Facts;
  verdict: Verdict;
}

export const toMatchedRule = (rule: CompiledRule | null): { index: number; priority: number } | null =>
  rule === null ? null : { index: rule.index, priority: rule.priority };

const NOTHING: readonly string[] = [];

export function decide(policy: CompiledPolicy, facts: Facts): Verdict {
  if (facts.content?.archived === true) return { reason: 'content_archived', rule: null, permissions: NOTHING };
  if (facts.requester?.suspended === true) return { reason: 'requester_suspended', rule: null, permissions: NOTHING };
  for (const rule of policy.rules) {
    if (!rule.holds(facts)) continue;
    return rule.action === 'allow' ? grant(rule, rule.permissions, facts) : refuse(policy, rule, facts);
  }
  return policy.defaultAction === 'allow' ? grant(null, DEFAULT_GRANT, facts) : refuse(policy, null, facts);
}

function grant(rule: CompiledRule | null, permissions: readonly string[], facts: Facts): Verdict {
  if (facts.permission !== null && !grants(permissions, facts.permission)) {
    return { reason: 'permission_not_granted', rule, permissions: NOTHING };
  }
  return { reason: null, rule, permissions };
}

function refuse(policy: CompiledPolicy, rule: CompiledRule | null, facts: Facts): Verdict {
  return { reason: reasonFor(policy, rule, facts), rule, permissions: NOTHING };
}

function reasonFor(policy: CompiledPolicy, rule: CompiledRule | null, facts: Facts): Reason {
  if (rule?.requiresLicense === true) {
    return facts.expiredLicenses.length > 0 ? 'license_expired' : 'no_license';
  }
  return rule === null || rule.catchAll ? reasonOfMissed(policy, rule, facts) : 'policy_denied';
}

/** Looks for an earlier rule that a license, or one before it expired, would have made match. */
function reasonOfMissed(policy: CompiledPolicy, rule: CompiledRule | null, facts: Facts): Reason {
  let missed = false;
  for (const earlier of policy.rules) {
    if (earlier === rule) break;
    const need = earlier.licenseNeed;
    if (need === null) continue;
    for (const license of facts.expiredLicenses) if (need.wouldHoldWith(facts, license)) return 'license_expired';
    missed ||= need.missesOnlyLicense(facts);
  }
  return missed ? 'no_license' : 'policy_denied';
}
