/** The result of a benchmark: figures, each with its comparison from the same run and its target. */

export interface Figure {
  what: string;
  value: number;
  unit: string;
  /** The comparison, from the same run and cores. */
  against?: { what: string; value: number; ratio: number };
  /** In words, and whether it was reached. */
  target?: { text: string; met: boolean };
}

export interface PartOptions {
  /** Small sizes and short rounds: to see that it works, not to quote. */
  quick: boolean;
  /** Records a CPU profile of the service and shows where the time went. */
  profile: boolean;
  /** Says what is going on while it takes long. */
  say: (line: string) => void;
}

export interface Result {
  figures: Figure[];
  /** Notes that explain the figures. */
  notes: string[];
}

export interface Part {
  /** For `--only`. */
  name: string;
  /** A sentence about what the part measures. */
  about: string;
  run(options: PartOptions): Promise<Result>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The median of the rounds' ratios: what slowed a whole round slowed both sides of it. */
export const medianRatio = (values: readonly number[], others: readonly number[]): number =>
  median(values.map((value, round) => value / (others[round] as number)));
