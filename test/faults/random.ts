/** Random choices that a printed seed repeats. */
export interface Random {
  /** From 0 up to, without, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The generator known as mulberry32: 32 bits of state, more than even enough for choosing moments. */
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
