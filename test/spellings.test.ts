/** No two spellings of one URL get different answers from conditions on its host and path. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../kit/fast-check.ts';
import { factsOf, policyOf } from '../kit/oracle.ts';
import { parseLocator, parseVisited } from '../src/lib/urls/locator.ts';
import { decide } from '../src/rules/decide.ts';
import { VOCABULARY } from './oracle/arbitrary.ts';
import { bits, meant, pathPattern, toUrl } from './oracle/spellings.ts';

const HOSTS = [...VOCABULARY.hosts, 'XN--bcher-kva.example.', 'xn--4ca.a.example:8080'];

const conditionsArbitrary = fc
  .record(
    {
      host: fc.subarray(HOSTS, { minLength: 1 }),
      path: fc.array(pathPattern, { minLength: 1, maxLength: 4 }),
      hostNot: fc.subarray(HOSTS, { minLength: 1 }),
      pathNot: fc.array(pathPattern, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: [] },
  )
  .map((some) => ({ ...some }));

const rule = fc.record({ action: fc.constantFrom('allow', 'deny'), conditions: conditionsArbitrary });

const CHECK = {
  at: 0,
  policyId: 'pol_1',
  content: null,
  requesterId: null,
  requester: null,
  licenses: [],
  permission: null,
  purpose: null,
  context: {},
};

test('spellings of a URL that is asked for, and of the source of an item, are decided alike', () => {
  const seen = { allowed: 0, denied: 0 };
  fc.assert(
    fc.property(rule, meant, bits, bits, ({ action, conditions }, url, one, other) => {
      const rules = [{ action, conditions }];
      const policy = policyOf({ policy: { rules, defaultAction: action === 'allow' ? 'deny' : 'allow' }, ...CHECK });
      const [a, b] = [toUrl(url, one), toUrl(url, other)];
      const answers = [a, b].flatMap((text) => {
        const content = { id: 'a', externalId: 'a', type: 'article', tags: [], metadata: {}, policyId: 'pol_1' };
        const item = { ...CHECK, content: { ...content, status: 'active' as const, source: text } };
        return [
          ...(parseVisited(text) === undefined ? [] : [decide(policy, factsOf({ ...CHECK, url: text })).reason]),
          ...(parseLocator(text) === undefined ? [] : [decide(policy, factsOf(item)).reason]),
        ];
      });
      for (const answer of answers) {
        assert.equal(answer, answers[0], `${a} ${b}`);
        seen[answer === null ? 'allowed' : 'denied']++;
      }
    }),
    { numRuns: 5_000 },
  );
  assert.ok(Math.min(seen.allowed, seen.denied) > 1_000, JSON.stringify(seen));
});
