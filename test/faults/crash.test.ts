/** The short form of the kill test in `npm run proof`: a few kills at random moments, a new seed each time. */
import { test } from 'node:test';
import { runKills } from './kills.ts';
import { anySeed } from './random.ts';

test('what was acknowledged before kill -9 is there once; counts, limits and versions agree', { timeout: 60_000 }, async (t) => {
  const seed = Number(process.env.POSTERN_TEST_SEED ?? anySeed());
  t.diagnostic(`seed ${seed} (again with POSTERN_TEST_SEED=${seed})`);
  const figures = await runKills({ kills: 10, seed });
  t.diagnostic(JSON.stringify(figures));
});
