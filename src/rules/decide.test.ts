/**
 * `decide` equals an independent second implementation written from the contract alone (test/oracle). CASES=10000000
 * runs more, in chunks, so that memory stays flat; a failing case is printed with its seed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { factsOf, policyOf, verdictOf } from '../../kit/oracle.ts';
import { runSeed } from '../../kit/random.ts';
import { ALL_KEYS, checkArbitrary } from '../../test/oracle/arbitrary.ts';
import { type OracleCheck, oracleDecide } from '../../test/oracle/decide.ts';
import { REASONS } from './reason.ts';

const CASES = Number(process.env.CASES ?? 20_000);
/** Each of so many generated checks is decided by the policies of all: generating costs more than deciding. */
const SIDE = 5;
/** Cases of one run of fast-check, which keeps what it generated until it ends. */
const CHUNK = 500_000;

test(`decide equals the second implementation in ${CASES} cases`, (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const seen = new Map<string, number>();
  const side = fc.array(fc.tuple(checkArbitrary(ALL_KEYS), fc.boolean()), { minLength: SIDE, maxLength: SIDE });
  const property = fc.property(side, (generated) => {
    const policies = generated.map(([check]) => ({ policy: check.policy, compiled: policyOf(check) }));
    for (const [check, full] of generated) {
      const facts = factsOf(check);
      for (const { policy, compiled } of policies) {
        const input: OracleCheck = { ...check, policy, usedUp: () => full };
        const verdict = oracleDecide(input);
        assert.deepEqual(verdictOf(compiled, facts, input.usedUp), verdict);
        seen.set(verdict.reason ?? 'allowed', (seen.get(verdict.reason ?? 'allowed') ?? 0) + 1);
      }
    }
  });
  const startedAt = performance.now();
  for (let done = 0, chunk = 0; done < CASES; chunk++) {
    // The first chunk has the seed itself; a failure names the seed of its own chunk.
    const cases = Math.min(CHUNK, CASES - done);
    fc.assert(property, { numRuns: Math.ceil(cases / SIDE ** 2), seed: (runSeed + chunk) | 0 });
    done += cases;
    if (chunk % 10 !== 9) continue;
    const seconds = (performance.now() - startedAt) / 1000;
    const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
    t.diagnostic(`${done} cases, ${Math.round(done / seconds)} a second, ${megabytes} MiB`);
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
  if (CASES >= 10_000) {
    const byRules = Object.keys(REASONS).filter((reason) => reason !== 'quota_exceeded');
    assert.deepEqual([...seen.keys()].toSorted(), ['allowed', ...byRules].toSorted());
  }
});
