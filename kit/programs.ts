/**
 * The programs of this source: built, where the run of the tests has built them, because few files load in half the
 * time; else as they stand.
 */
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The service as it stands: hooks name its modules. */
export const SOURCE = join(ROOT, 'src/main.ts');

export const programFile = (name: 'main' | 'postern'): string =>
  join(ROOT, process.env.POSTERN_TEST_BUILT === '1' ? `dist/${name}.js` : `src/${name}.ts`);
