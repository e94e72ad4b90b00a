/** Stands in for `fast-check`: with a fixed seed, and no search for the smallest counterexample. */
import * as real from 'fast-check';

export * from 'fast-check';

/** Overrides the export of the same name: a local export wins over `export *`. */
export const assert = (property: never, parameters?: object): unknown =>
  real.assert(property, { ...parameters, seed: 20_261_121, endOnFailure: true });
