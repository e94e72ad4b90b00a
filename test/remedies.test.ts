/** Each remedy was tried: with it, the same check is allowed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../src/access/decide.ts';
import { remediesFor } from '../src/access/remedies.ts';
import type { Remedy } from '../src/ledger/decision.ts';
import { ALL_KEYS, inputArbitrary } from './oracle/arbitrary.ts';
import { oracleDecide } from './oracle/decide.ts';
import { factsOf, policyOf } from './support/oracle.ts';

test('a remedy turns the denial, says the second implementation', () => {
  const offered = { license: 0, permission: 0, wait: 0 };
  fc.assert(
    fc.property(inputArbitrary(ALL_KEYS), (generated) => {
      const input = { ...generated, usedUp: () => false };
      const facts = factsOf(input);
      const verdict = decide(policyOf(input), facts);
      for (const remedy of remediesFor(policyOf(input), facts, verdict)) {
        offered[remedy.kind]++;
        for (const tried of withRemedy(input, remedy)) assert.equal(oracleDecide(tried).allowed, true);
      }
    }),
    { numRuns: 20_000 },
  );
  for (const [kind, count] of Object.entries(offered)) assert.ok(count > 20, `${kind} was offered ${count} times`);
});

type Input = Parameters<typeof oracleDecide>[0];

function withRemedy(input: Input, remedy: Remedy): Input[] {
  if (remedy.kind === 'wait') return [{ ...input, at: Date.parse(remedy.until) }];
  if (remedy.kind === 'permission') return remedy.permissions.map((permission) => ({ ...input, permission }));
  const rule = input.policy.rules[remedy.rule];
  const before = rule.conditions?.licenseExpiry?.before;
  return (remedy.licenseType ?? ['any']).map((type) => ({
    ...input,
    licenses: [
      ...input.licenses,
      {
        type,
        features: remedy.licenseFeatures,
        startsAt: null,
        expiresAt: before === undefined ? null : (before === 'now' ? input.at : Date.parse(before)) - 1,
        status: 'active' as const,
        scope: {},
      },
    ],
  }));
}
