/** Chance that can be repeated: everything is drawn from one seed. */

export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** 0 ≤ n < below. */
  below(below: number): number;
}

/** Mulberry32: 32 bits of state, enough for a demonstration. Source: github.com/bryc/code, jshash/PRNGs.md. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, below: (below) => Math.floor(next() * below) };
}

/** Draws an index with the given weights. */
export function weighted(weights: readonly number[]): (random: Random) => number {
  const sums: number[] = [];
  let sum = 0;
  for (const weight of weights) sums.push((sum += weight));
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

/** Few are asked for much, many little: the k-th of `size` with weight 1 / k^skew. */
export const zipf = (size: number, skew: number): ((random: Random) => number) =>
  weighted(Array.from({ length: size }, (_, k) => 1 / (k + 1) ** skew));

export const shuffled = <T>(values: readonly T[], random: Random): T[] =>
  values
    .map((value) => ({ value, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
