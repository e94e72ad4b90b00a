/**
 * The decision, pure: a compiled policy and the facts of one check in, a verdict out. No clock, no store, no side effect,
 * so that it can be made again from what was recorded. Limits are the ledger's: a verdict that allows may carry a claim.
 */
import type { Reason } from '../ledger/reason.ts';
import type { CompiledPolicy, CompiledRule } from '../policies/compile.ts';
import type { Facts } from '../policies/facts.ts';
import { DEFAULT_GRANT, grants } from '../policies/policy.ts';

export interface Verdict {
  /** null: allowed (unless the rule's limit refuses). */
  reason: Reason | null;
  /** The rule that decided; null for the default action and for checks that no rule was asked about. */
  rule: CompiledRule | null;
  /** What an allow grants; empty on a denial. */
  permissions: readonly string[];
}

const NOTHING: readonly string[] = [];

export function decide(policy: CompiledPolicy, facts: Facts): Verdict {
  if (facts.content.archived) return { reason: 'content_archived', rule: null, permissions: NOTHING };
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

/** Would a licence have helped, and did one run out? Only then does the denial speak of licences. */
function reasonFor(policy: CompiledPolicy, rule: CompiledRule | null, facts: Facts): Reason {
  if (rule?.requiresLicense === true) {
    return facts.expiredLicenses.length > 0 ? 'license_expired' : 'no_license';
  }
  if (rule !== null && !rule.catchAll) return 'policy_denied';
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
