/** Random choices that a printed seed repeats. */
export interface Random {
  /** From 0 up to, without, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The generator known as mulberry32: 32 bits of state (github.com/bryc/code, jshash/PRNGs.md). */
export function seeded(seed: number): Random {
  let a = seed | 0;
  const next = (): number => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)] as never,
  };
}

export const anySeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** The seed of this process: `SEED` of the environment, which `npm test` always sets the same, or any. */
export const runSeed = Number(process.env.SEED ?? anySeed());

/** Returns a function that draws an index with the given weights. */
export function weighted(weights: readonly number[]): (random: Random) => number {
  let sum = 0;
  const sums = Float64Array.from(weights, (weight) => (sum += weight));
  return (random) => {
    const wanted = random.next() * sum;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** Draws indexes below `size`, the first ones most often: index k has weight 1 / (k + 1)^skew. */
export function skewed(size: number, random: Random, skew = 1): () => number {
  const draw = weighted(Array.from({ length: size }, (_, k) => 1 / (k + 1) ** skew));
  return () => draw(random);
}

export const shuffled = <T>(values: readonly T[], random: Random): T[] =>
  values
    .map((value) => ({ value, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);
