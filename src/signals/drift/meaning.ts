/**
 * Compares two files by what they say for addresses, not by their text: where their rules differ, each is asked about
 * addresses that the differing rules match. Rules of both files in the same order of importance cannot lead to another
 * answer, so no other address needs a look. Pure but for the turns of the event loop that it leaves to others.
 */
import { Slices } from '../../lib/slices.ts';
import { examplePaths, splitPattern } from '../robots/robots-reader.ts';

/** A file, or a group of one. */
export interface Side {
  /** Each rule with its value, in one spelling. */
  readonly rules: ReadonlyMap<string, Ruled>;
  /** Returns what holds for a path as it is sent, with its query; null: nothing is said. */
  at(readable: string): string | null;
}

export interface Ruled {
  /** A pattern with `*` and a final `$`. */
  readonly pattern: string;
}

export interface Different {
  pattern: string;
  /** An address that the pattern matches. */
  example: string;
  intended: string | null;
  live: string | null;
}

/** Bounds the work of one comparison; shared by the parts of a file. */
export class StepBudget {
  #steps: number;
  readonly slices = new Slices();

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Returns false when it is used up. */
  take(steps: number): boolean {
    this.#steps -= steps;
    return this.#steps >= 0;
  }
}

/** Rules whose common addresses are looked at too. */
const CROSSED_MAX = 40;
/** Yields paths that a pattern and another one match together, where one has a star that the other can fill. */
export function* crossingsOf(pattern: string, others: Iterable<Ruled>): Generator<string> {
  for (const { pattern: other } of others) {
    for (const [inner, outer] of [
      [pattern, other],
      [other, pattern],
    ] as const) {
      const [head = '', ...rest] = splitPattern(outer);
      if (rest.length === 0) continue;
      for (const example of examplePaths(inner)) if (example.startsWith(head)) yield example + rest.join('');
    }
  }
}

/**
 * Returns the patterns for which the files say something else; `isCut`: the budget did not suffice for all. With `all`,
 * every rule is looked at, because the order of rules counts.
 */
export async function compare(
  intended: Side,
  live: Side,
  { budget, all = false }: { budget: StepBudget; all?: boolean },
): Promise<{ differences: Different[]; isCut: boolean }> {
  const differences = new Map<string, Different>();
  const names = new Set([...intended.rules.keys(), ...live.rules.keys()]);
  const differing = [...names].filter((name) => all || !intended.rules.has(name) || !live.rules.has(name));
  const ruledBy = (name: string): Ruled => (intended.rules.get(name) ?? live.rules.get(name)) as Ruled;
  const cost = intended.rules.size + live.rules.size;
  /** Returns false when the budget is used up. */
  function look(pattern: string, paths: Iterable<string>): boolean {
    if (differences.has(pattern)) return true;
    for (const example of paths) {
      if (!budget.take(cost)) return false;
      const [one, other] = [intended.at(example), live.at(example)];
      if (one === other) continue;
      differences.set(pattern, { pattern, example, intended: one, live: other });
      break;
    }
    return true;
  }
  for (const name of differing) {
    const { pattern } = ruledBy(name);
    if (!look(pattern, examplePaths(pattern))) return { differences: [...differences.values()], isCut: true };
    await budget.slices.next();
  }
  for (const name of differing.slice(0, CROSSED_MAX)) {
    const { pattern } = ruledBy(name);
    const others = [...names].slice(0, CROSSED_MAX).map(ruledBy);
    if (!look(pattern, crossingsOf(pattern, others))) break;
    await budget.slices.next();
  }
  return { differences: [...differences.values()], isCut: false };
}
