/** `userAgent`: what a user agent contains letter by letter it contains in any case, in every script. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { factsOf, policyOf } from '../../kit/oracle.ts';
import { decide } from '../rules/decide.ts';
import { lint } from '../rules/lint/lint.ts';
import type { Rule } from '../rules/policy.ts';

const content = {
  id: 'cnt_01jd3v0000000000000000000a',
  externalId: 'a',
  type: 'article',
  tags: [],
  metadata: {},
  status: 'active' as const,
  policyId: 'pol_default',
};

const denies = (parts: string | string[], userAgent: string): boolean => {
  const policy = { rules: [{ action: 'deny', conditions: { userAgent: parts } }], defaultAction: 'allow' as const };
  const check = { at: 0, content, requesterId: null, requester: null, licenses: [], permission: null, purpose: null };
  return decide(policyOf({ policy, content }), factsOf({ ...check, context: { userAgent } })).reason !== null;
};

/** Letters whose small form depends on what stands beside them, has another length, or is another letter's too. */
const letters = fc.string({
  unit: fc.constantFrom(
    'Σ',
    'σ',
    'ς',
    'Α',
    'α',
    'İ',
    'i',
    'ı',
    'I',
    '\u0307',
    'ß',
    'ẞ',
    'K',
    'k',
    'ſ',
    's',
    '.',
    ' ',
    '🦊',
    'É',
    'e\u0301',
  ),
  minLength: 1,
  maxLength: 5,
});

test('a text inside it holds, whatever stands before and after, and in capitals and small letters alike', () => {
  fc.assert(
    fc.property(letters, letters, letters, (before, part, after) => {
      const agent = `${before}${part}${after}`;
      assert.ok(denies(part, agent), agent);
      assert.ok(denies(part.toLowerCase(), agent), agent);
      assert.ok(denies(part, before.toLowerCase() + part.toLowerCase() + after), agent);
    }),
    { numRuns: 5000 },
  );
});

test('lint takes two spellings that hold for the same user agents for the same', () => {
  const rule = (userAgent: string): Rule => ({ action: 'deny', conditions: { userAgent } });
  for (const [one, other] of [
    ['GPTBot', 'gptbot'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
  ] as const) {
    const codes = lint([rule(one), rule(other)], 'allow').map(({ code }) => code);
    assert.ok(codes.includes('unreachable_rule'), codes.join());
  }
});

test('of a long list any text inside it holds, as if each were looked for', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', 'σ', 'ς'), minLength: 1, maxLength: 30 });
  const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
  let held = 0;
  fc.assert(
    fc.property(fc.array(few, { minLength: 40, maxLength: 60 }), fc.array(few, { maxLength: 5 }), (parts, agents) => {
      // So many that they are not looked for one by one, and none of them alone decides all.
      const list = parts.filter((part) => part.length > 3);
      fc.pre(list.join('').length > 256);
      for (const agent of agents) {
        const expected = list.some((part) => lower(agent).includes(lower(part)));
        if (expected) held++;
        assert.equal(denies(list, agent), expected, agent);
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(held > 0);
});
