/** fast-check that tries the cases of this run's seed: the same ones whenever `SEED` is the same. */
import * as fc from 'fast-check';
import { runSeed } from './random.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: runSeed });

export * from 'fast-check';
