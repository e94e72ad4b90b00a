/** The mutated files and the tests that try them; excluded files have a reason. */
import type { LeftOut } from './mutants.ts';

/** Decided in one place: all of `access`, `policies` and `limits` is either here or in OUTSIDE. */
export const SCOPE: Record<string, LeftOut> = {
  'src/access/decide.ts': {},
  'src/access/explain.ts': {},
  'src/access/remedies.ts': {},
  'src/access/facts.ts': {},
  'src/access/ask.ts': {},
  'src/whatif/impact.ts': {},
  'src/whatif/report.ts': {},
  'src/whatif/tally.ts': {},
  'src/cli/policies/cases.ts': {},
  'src/limits/limit.ts': {},
  'src/policies/canonical.ts': {},
  'src/policies/compile.ts': {},
  'src/policies/conditions.ts': {},
  'src/policies/crawler-conditions.ts': {},
  'src/policies/diff.ts': {},
  'src/policies/facts.ts': {},
  'src/policies/license-keys.ts': {},
  'src/policies/lint/cells.ts': {},
  'src/policies/lint/intervals.ts': {},
  'src/policies/lint/reach.ts': {},
  'src/policies/lint/literals.ts': {},
  'src/policies/lint/region.ts': {},
  'src/policies/lint/silence.ts': {},
  'src/policies/lint/lint.ts': {},
  'src/policies/match.ts': {},
  'src/policies/place-conditions.ts': {},
  'src/policies/policy.ts': {},
  'src/policies/time.ts': {},
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
  { file: 'src/access/decide.test.ts', env: { CASES: '3000' } },
  { file: 'src/access/remedies.test.ts', env: { CASES: '3000' } },
  { file: 'src/access/explain.test.ts', env: { CASES: '1000' } },
  { file: 'src/access/ask.test.ts' },
  { file: 'src/policies/diff.test.ts' },
  { file: 'src/policies/lint/lint.test.ts' },
  { file: 'src/policies/lint/intervals.test.ts' },
  { file: 'src/policies/lint/properties.test.ts', env: { CASES: '300' } },
  { file: 'src/policies/templates.test.ts', only: /has no warnings|its cases say|moment was forgotten/ },
  { file: 'test/cli/policies-test.test.ts', only: /^what a case says/ },
  { file: 'src/policies/compile.test.ts' },
  { file: 'src/policies/conditions.test.ts' },
  { file: 'src/cli/policies/cases.test.ts' },
  { file: 'src/policies/lint/reasoning.test.ts' },
  { file: 'test/impact/replay.test.ts', env: { CASES: '1500' } },
  { file: 'src/limits/limit.test.ts', env: { FC_RUNS: '100' } },
];
