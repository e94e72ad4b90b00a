/** The mutated files and the tests that try them; excluded files have a reason. */
import type { LeftOut } from './mutants.ts';

/** Decided in one place: all of `access`, `policies` and `limits` is either here or in OUTSIDE. */
export const SCOPE: Record<string, LeftOut> = {
  'src/rules/decide.ts': {},
  'src/decisions/explain/explain.ts': {},
  'src/decisions/explain/remedies.ts': {},
  'src/decisions/check/facts.ts': {},
  'src/decisions/check/ask.ts': {},
  'src/reports/whatif/impact.ts': {},
  'src/reports/whatif/report.ts': {},
  'src/reports/whatif/tally.ts': {},
  'src/cli/policies/cases.ts': {},
  'src/rules/limit.ts': {},
  'src/rules/canonical.ts': {},
  'src/rules/compile.ts': {},
  'src/rules/conditions/conditions.ts': {},
  'src/rules/conditions/crawler-conditions.ts': {},
  'src/rules/diff.ts': {},
  'src/rules/facts.ts': {},
  'src/rules/conditions/license-keys.ts': {},
  'src/rules/lint/cells.ts': {},
  'src/rules/lint/intervals.ts': {},
  'src/rules/lint/unreachable.ts': {},
  'src/rules/lint/literals.ts': {},
  'src/rules/lint/region.ts': {},
  'src/rules/lint/silence.ts': {},
  'src/rules/lint/lint.ts': {},
  'src/rules/conditions/match.ts': {},
  'src/rules/conditions/place-conditions.ts': {},
  'src/rules/policy.ts': {},
  'src/rules/conditions/time.ts': {},
};

export interface TestFile {
  file: string;
  /** Fewer random cases than `npm test` has. */
  env?: Record<string, string>;
  /** Only its tests with these names: the others start processes, which mutants do not reach. */
  only?: RegExp;
}

/** Tests of the rules themselves, quick ones and without a service. */
export const TESTS: readonly TestFile[] = [
  { file: 'src/rules/decide.test.ts', env: { CASES: '3000' } },
  { file: 'src/decisions/explain/remedies.test.ts', env: { CASES: '3000' } },
  { file: 'src/decisions/explain/explain.test.ts', env: { CASES: '1000' } },
  { file: 'src/decisions/check/ask.test.ts' },
  { file: 'src/rules/diff.test.ts' },
  { file: 'src/rules/lint/lint.test.ts' },
  { file: 'src/rules/lint/intervals.test.ts' },
  { file: 'src/rules/lint/properties.test.ts', env: { CASES: '300' } },
  { file: 'src/rules/templates.test.ts', only: /has no warnings|its cases say|moment was forgotten/ },
  { file: 'test/cli/policies-test.test.ts', only: /^what a case says/ },
  { file: 'src/rules/compile.test.ts' },
  { file: 'src/rules/conditions/conditions.test.ts' },
  { file: 'src/cli/policies/cases.test.ts' },
  { file: 'src/rules/lint/reasoning.test.ts' },
  { file: 'test/impact/replay.test.ts', env: { CASES: '1500' } },
  { file: 'src/rules/limit.test.ts', env: { FC_RUNS: '100' } },
];
