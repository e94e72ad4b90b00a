import { describe } from 'node:test';

/**
 * Runs suites in this process with another engine: they start their services where the environment says. One after the other,
 * each a suite of its own: what a file does before and after all of its tests would else be done for those of the others too.
 */
export async function onPostgres(suites: readonly string[]): Promise<void> {
  process.env.POSTERN_TEST_ENGINE = 'postgres';
  for (const suite of suites) await describe(suite, () => import(`../${suite}.test.ts`) as Promise<never>);
}
