/**
 * The programs of this source: built, where the run of the tests has built them, because few files load in half the
 * time; else as they stand.
 */
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export const programFile = (name: 'main' | 'postern'): string =>
  join(ROOT, process.env.POSTERN_TEST_BUILT === '1' ? `dist/${name}.js` : `src/${name}.ts`);
