/**
 * Keys that are joined from parts: what differs in any part never shares a key. Each property tries parts that hold the
 * very characters by which keys are joined.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openKept } from '../client/src/edge/asker.ts';
import type { AccessDecision, Check } from '../client/src/types.ts';
import * as fc from '../kit/fast-check.ts';
import { toStoredKey } from '../src/decisions/ledger/postgres/limit-key.ts';
import { parseHost, parseTarget, toLocatorKeys } from '../src/lib/urls/locator.ts';
import { compile } from '../src/rules/compile.ts';
import { type LimitPeriod, PERIODS } from '../src/rules/limit.ts';
import { type Rule, SCOPES } from '../src/rules/policy.ts';

const nasty = fc.string({
  unit: fc.constantFrom('a', 'b', '"', '\\', ',', '.', ':', '?', '/', '[', ']', '{', '}', '\0', '\\0', ' '),
  maxLength: 4,
});

test('host and path of a locator, and its query', () => {
  const host = fc.stringMatching(/^[a:.1]{1,4}$/).map(parseHost);
  const target = fc.stringMatching(/^\/[a1:.?/]{0,5}$/).map(parseTarget);
  fc.assert(
    fc.property(host, target, host, target, (hostA, a, hostB, b) => {
      if (hostA === undefined || hostB === undefined || a === undefined || b === undefined) return;
      const isSame = hostA === hostB && a.path === b.path && a.query === b.query;
      assert.equal(
        isDeepStrictEqual(toLocatorKeys({ host: hostA, ...a }), toLocatorKeys({ host: hostB, ...b })),
        isSame,
      );
    }),
    { numRuns: 10_000 },
  );
});

describe('limits', () => {
  const idOf = (no: number, rule: Rule): string => {
    const policy = compile({ no, id: 'pol_1', version: 1, rules: [rule], defaultAction: 'deny' });
    return policy.rules[0]?.limit?.id ?? '';
  };
  const values = fc.uniqueArray(nasty, { minLength: 1, maxLength: 3 });
  const limited = fc.record({
    no: fc.constantFrom(1, 11, 111),
    conditions: fc.record(
      {
        contentMetadata: fc.dictionary(nasty, values, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
        requesterTags: values,
        purpose: values,
      },
      { requiredKeys: [] },
    ),
    period: fc.constantFrom(...(Object.keys(PERIODS) as LimitPeriod[])),
    scope: fc.constantFrom(...SCOPES),
  });
  type Limited = typeof limited extends fc.Arbitrary<infer T> ? T : never;

  /** Lists are sets; nothing else may be taken for something else. */
  const meaning = ({ no, conditions, period, scope }: Limited): unknown => [
    no,
    period,
    scope,
    Object.entries(conditions)
      .map(([key, value]) => [
        key,
        Array.isArray(value)
          ? value.toSorted()
          : Object.entries(value)
              .map(([name, list]) => [name, list.toSorted()] as const)
              .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ])
      .toSorted(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  ];

  test('of rules that differ are counted apart, and nobody is counted with another', () => {
    const key = ({ no, conditions, period, scope }: Limited): string =>
      idOf(no, { action: 'allow', conditions, rateLimit: { requests: 1, period, scope } });
    fc.assert(
      fc.property(limited, limited, (a, b) => {
        assert.equal(key(a) === key(b), isDeepStrictEqual(meaning(a), meaning(b)));
        // What follows it in a ledger's key is whose use it is: nothing of the id can be taken for that.
        assert.match(key(a), /^\d+\.[\w-]{16}$/);
      }),
      { numRuns: 5_000 },
    );
  });

  test('have keys in PostgreSQL that differ as they do', () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        assert.equal(toStoredKey(a) === toStoredKey(b), a === b);
        assert.ok(!toStoredKey(a).includes('\0'));
      }),
      { numRuns: 20_000 },
    );
  });
});

test('a guard uses a decision again for the same question alone', async () => {
  const check = fc.record<Check>(
    {
      contentId: nasty,
      requesterId: nasty,
      purpose: nasty,
      permission: nasty,
      context: fc.record({ ip: nasty, userAgent: nasty }, { requiredKeys: [], noNullPrototype: true }),
    },
    { requiredKeys: ['contentId'], noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(check, { minLength: 2, maxLength: 12 }), async (checks) => {
      let asked = 0;
      const answer = (one: Check): AccessDecision => {
        asked++;
        return { message: JSON.stringify(one), maxAge: 300 } as AccessDecision;
      };
      const kept = openKept(100);
      const ask = (one: Check) => kept(one, async (each) => answer(each));
      for (const one of checks) {
        const { message } = (await ask(one)) as AccessDecision;
        assert.deepEqual(JSON.parse(message), one);
      }
      const before = asked;
      for (const one of checks) await ask(one);
      assert.equal(asked, before, 'all of them are kept');
    }),
    { numRuns: 300 },
  );
});
