import { describe } from 'node:test';

/**
 * Runs suites of `test/` in this process on PostgreSQL: they start their services on the engine that the environment
 * names. One after the other, each a suite of its own, so that hooks of one file do not run for the tests of another.
 */
export async function onPostgres(suites: readonly string[]): Promise<void> {
  process.env.POSTERN_TEST_ENGINE = 'postgres';
  for (const suite of suites) await describe(suite, () => import(`../../${suite}.test.ts`) as Promise<never>);
}
