/** What is mutated and by which tests it is tried; what is left out says why. */
import type { LeftOut } from './mutants.ts';

/** Decided in one place: all of `access`, `policies` and `limits` is either here or in OUTSIDE. */
export const SCOPE: Record<string, LeftOut> = {
  'src/access/decide.ts': {},
  'src/access/explain.ts': {},
  'src/access/remedies.ts': {},
  'src/access/subject.ts': {},
  'src/access/accept.ts': {},
  'src/access/impact.ts': {},
  'src/access/impact-report.ts': {},
  'src/access/policy-cases.ts': {},
  'src/limits/limit.ts': {},
  'src/policies/compile.ts': {},
  'src/policies/conditions.ts': {},
  'src/policies/diff.ts': {},
  'src/policies/facts.ts': {},
  'src/policies/lint-cells.ts': {},
  'src/policies/lint-intervals.ts': {},
  'src/policies/lint-reach.ts': {},
  'src/policies/lint-region.ts': {},
  'src/policies/lint-silence.ts': {},
  'src/policies/lint.ts': {},
  'src/policies/policy.ts': {},
  'src/policies/time.ts': {},
};

export interface TestFile {
  file: string;
  /** Fewer random cases than `npm test` has. */
  env?: Record<string, string>;
  /** Of its tests only those so named: the others start processes, which the mutants do not reach. */
  only?: RegExp;
}

/** Tests of the rules themselves, quick ones and without a service. */
export const TESTS: readonly TestFile[] = [
  { file: 'test/decide.test.ts', env: { CASES: '3000' } },
  { file: 'test/remedies.test.ts', env: { CASES: '3000' } },
  { file: 'test/explain.test.ts', env: { CASES: '1000' } },
  { file: 'test/accept.test.ts' },
  { file: 'test/policies/diff.test.ts' },
  { file: 'test/policies/lint.test.ts' },
  { file: 'test/policies/lint-intervals.test.ts' },
  { file: 'test/policies/lint-properties.test.ts', env: { CASES: '300' } },
  { file: 'test/policies/templates.test.ts', only: /has no warnings|its cases say|moment was forgotten/ },
  { file: 'test/cli/policies-test.test.ts', only: /^what a case says/ },
  { file: 'test/policies/compile.test.ts' },
  { file: 'test/policies/conditions.test.ts' },
  { file: 'test/policies/policy-cases.test.ts' },
  { file: 'test/policies/lint-reasoning.test.ts' },
  { file: 'test/impact/replay.test.ts', env: { CASES: '1500' } },
  { file: 'test/limits/exact-log.test.ts', env: { FC_RUNS: '100' } },
];
