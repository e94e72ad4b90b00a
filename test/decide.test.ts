/**
 * `decide` equals an independent second implementation written from the contract alone (test/oracle). CASES=10000000 runs
 * more; a failing case is printed with its seed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../src/access/decide.ts';
import { type Reason, reasonCode } from '../src/ledger/reason.ts';
import { ALL_KEYS, inputArbitrary } from './oracle/arbitrary.ts';
import { type OracleInput, type OracleVerdict, oracleDecide } from './oracle/decide.ts';
import { factsOf, policyOf } from './support/oracle.ts';

const CASES = Number(process.env.CASES ?? 100_000);

type Input = Omit<OracleInput, 'usedUp'>;

/** Our verdict in the oracle's words; the ledger's part, a used-up limit, is played by `usedUp`. */
function ours(input: OracleInput): OracleVerdict {
  const { rule, reason, permissions } = decide(policyOf(input), factsOf(input));
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
