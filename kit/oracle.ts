/** The oracle's inputs as ours, and our verdicts in the oracle's words. */
import { decide } from '../src/access/decide.ts';
import { type CompiledPolicy, compile } from '../src/policies/compile.ts';
import { Facts, UNPLACED } from '../src/policies/facts.ts';
import type { OracleInput, OracleVerdict } from '../test/oracle/decide.ts';

export const policyOf = ({ policy, content }: Pick<OracleInput, 'policy' | 'content'>): CompiledPolicy =>
  compile({
    no: 1,
    id: content.policyId,
    version: 1,
    rules: policy.rules,
    defaultAction: policy.defaultAction,
  });

export const factsOf = (input: Omit<OracleInput, 'usedUp' | 'policy'>): Facts =>
  new Facts({
    at: input.at,
    content: { ...input.content, no: 1, archived: input.content.status === 'archived', ...UNPLACED },
    requesterId: input.requesterId,
    requester: input.requester && { ...input.requester, suspended: input.requester.status === 'suspended' },
    permission: input.permission,
    purpose: input.purpose,
    country: input.context.country ?? null,
    ip: input.context.ip ?? null,
    userAgent: input.context.userAgent ?? null,
    licenses: input.licenses.map((license) => ({ ...license, id: null, active: license.status === 'active' })),
  });

/** The ledger's part, a used-up limit, is played by `usedUp`. */
export function verdictOf(policy: CompiledPolicy, facts: Facts, usedUp: OracleInput['usedUp']): OracleVerdict {
  const { rule, reason, permissions } = decide(policy, facts);
  const limited = reason === null && rule?.limit != null && usedUp(rule.index);
  const final = limited ? 'rate_limit_exceeded' : reason;
  return {
    allowed: final === null,
    reason: final,
    permissions: final === null ? [...permissions] : [],
    matchedRule: rule === null ? null : { index: rule.index, priority: rule.priority },
  };
}
