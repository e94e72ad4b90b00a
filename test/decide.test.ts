/**
 * `decide` equals an independent second implementation written from the contract alone (test/oracle). CASES=10000000 runs
 * more; a failing case is printed with its seed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../src/access/decide.ts';
import { type Reason, reasonCode } from '../src/ledger/reason.ts';
import { compile } from '../src/policies/compile.ts';
import { Facts } from '../src/policies/facts.ts';
import { ALL_KEYS, inputArbitrary } from './oracle/arbitrary.ts';
import { type OracleInput, type OracleVerdict, oracleDecide } from './oracle/decide.ts';

const CASES = Number(process.env.CASES ?? 100_000);

type Input = Omit<OracleInput, 'usedUp'>;

/** Our verdict in the oracle's words; the ledger's part, a used-up limit, is played by `usedUp`. */
function ours(input: OracleInput): OracleVerdict {
  const policy = compile({
    no: 1,
    id: input.content.policyId,
    version: 1,
    name: 'p',
    description: null,
    rules: input.policy.rules,
    defaultAction: input.policy.defaultAction,
  });
  const facts = new Facts({
    at: input.at,
    content: { ...input.content, no: 1, archived: input.content.status === 'archived' },
    requesterId: input.requesterId,
    permission: input.permission,
    purpose: input.purpose,
    country: input.context.country ?? null,
    ip: input.context.ip ?? null,
    userAgent: input.context.userAgent ?? null,
    requester: input.requester && { ...input.requester, suspended: input.requester.status === 'suspended' },
    licenses: input.licenses.map((license) => ({ ...license, id: null, active: license.status === 'active' })),
  });
  const { rule, reason, permissions } = decide(policy, facts);
  const limited = reason === null && rule?.limit != null && input.usedUp(rule.index);
  const final: Reason | null = limited ? 'rate_limit_exceeded' : reason;
  return {
    allowed: reasonCode(final) === 0,
    reason: final,
    permissions: final === null ? [...permissions] : [],
    matchedRule: rule === null ? null : { index: rule.index, priority: rule.priority },
  };
}

test(`decide equals the second implementation in ${CASES} cases`, () => {
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), fc.boolean(), (generated: Input, full) => {
      const input: OracleInput = { ...generated, usedUp: () => full };
      assert.deepEqual(ours(input), oracleDecide(input));
    }),
    { numRuns: CASES, seed: process.env.SEED === undefined ? undefined : Number(process.env.SEED) },
  );
});
