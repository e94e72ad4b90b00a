/** Runs suites in this process with another engine: they start their services where the environment says. */
export async function onPostgres(suites: readonly string[]): Promise<void> {
  process.env.POSTERN_TEST_ENGINE = 'postgres';
  await Promise.all(suites.map((suite) => import(`../${suite}.test.ts`)));
}
