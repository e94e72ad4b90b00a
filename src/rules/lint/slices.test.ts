/** Lint of the largest policies: other work goes on meanwhile, and the warnings are the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../policy.ts';
import { lint, lintInSlices } from './lint.ts';
import { NOBODY } from './unverified.ts';

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const rulesOf = (key: string, value: (rule: number) => unknown): Rule[] =>
  many(100, (rule) => ({ action: rule % 2 === 0 ? 'deny' : 'allow', conditions: { [key]: value(rule) } }));

/** By what takes long. */
const LARGEST: Record<string, Rule[]> = {
  'to read the conditions': rulesOf('ip', (rule) => many(500, (i) => `10.${rule}.${i % 256}.${(i * 7) % 256}/32`)),
  'to look for unreachable rules': rulesOf('pathNot', (rule) => many(40, (i) => `/${rule}/${'*a'.repeat(100)}${i}*b$`)),
  'to look for evasions': rulesOf('requesterMetadataNot', (rule) =>
    Object.fromEntries(many(8, (i) => [`key${i}`, rule])),
  ),
  'to name what was meant': rulesOf('permission', (rule) => many(900, (i) => `a${rule}x${i}`)),
};

for (const [what, rules] of Object.entries(LARGEST)) {
  test(`takes many turns of the event loop where it takes long ${what}`, async () => {
    let turns = 0;
    let hasEnded = false;
    const turn = (): void => {
      turns++;
      if (!hasEnded) setImmediate(turn);
    };
    setImmediate(turn);
    const warnings = await lintInSlices(rules, 'allow', NOBODY);
    hasEnded = true;
    assert.ok(turns >= 4, String(turns));
    assert.deepEqual(warnings, lint(rules, 'allow'));
  });
}
