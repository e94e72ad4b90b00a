/** Why a decision came out as it did: every rule in the order in which it was asked, every condition with what it met. */
import type { CompiledPolicy, ConditionTrace } from '../policies/compile.ts';
import type { Facts } from '../policies/facts.ts';
import type { Action } from '../policies/policy.ts';
import type { Verdict } from './decide.ts';

export interface RuleTrace {
  index: number;
  priority: number;
  action: Action;
  held: boolean;
  /** This rule decided. */
  decided: boolean;
  conditions: ConditionTrace[];
}

export interface Explanation {
  policyId: string;
  policyVersion: number;
  defaultAction: Action;
  rules: RuleTrace[];
}

export function explain(policy: CompiledPolicy, facts: Facts, verdict: Verdict): Explanation {
  return {
    policyId: policy.id,
    policyVersion: policy.version,
    defaultAction: policy.defaultAction,
    rules: policy.rules.map((rule) => ({
      index: rule.index,
      priority: rule.priority,
      action: rule.action,
      held: rule.holds(facts),
      decided: rule === verdict.rule,
      conditions: rule.trace(facts),
    })),
  };
}
