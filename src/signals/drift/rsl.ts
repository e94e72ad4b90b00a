/** Compares a live license.xml with the intended one: which uses it permits, and at which price (RSL 1.0). */

import { type RslContent, readRsl } from '../formats/rsl-reader.ts';
import { matchesReadable, toReadable } from '../robots/robots-reader.ts';
import { type Difference, NOT_ALL, toDifference } from './difference.ts';
import { compare, type Side, type StepBudget } from './meaning.ts';

function describeLicense({ permitted, payment }: RslContent): string {
  const price = payment === null ? '' : `, for ${payment}`;
  return permitted.length === 0 ? 'nothing' : permitted.join(' ') + price;
}

function toSide(contents: readonly RslContent[]): Side {
  const ranked = contents
    .map((content) => ({ ...content, value: describeLicense(content) }))
    .toSorted((a, b) => b.narrow - a.narrow);
  return {
    rules: new Map(ranked.map(({ text, value }) => [`${text} ${value}`, { pattern: text }])),
    at(path) {
      const readable = toReadable(path);
      const first = ranked.find(({ pattern }) => matchesReadable(pattern, readable));
      if (first === undefined) return null;
      const values = ranked
        .filter(({ narrow, pattern }) => narrow === first.narrow && matchesReadable(pattern, readable))
        .map(({ value }) => value);
      return [...new Set(values)].toSorted().join('; or ');
    },
  };
}

const permittedIn = (value: string | null): string[] => (value ?? 'nothing').split(', for ')[0]?.split(' ') ?? [];

/** Throws for a live text that is no RSL. */
export async function compareRsl(
  { host, intended, live }: { host: string; intended: string; live: string },
  budget: StepBudget,
): Promise<Difference[]> {
  const one = toSide(await readRsl(intended, host, budget.slices));
  const other = toSide(await readRsl(live, host, budget.slices));
  const { differences, isCut } = await compare(one, other, { budget });
  const found = differences.map(({ pattern, intended: wanted, live: said }) => {
    const [ours, theirs] = [permittedIn(wanted), permittedIn(said)];
    const isOpen = theirs.some((word) => word !== 'nothing' && !ours.includes(word));
    const isClosed = ours.some((word) => word !== 'nothing' && !theirs.includes(word));
    return toDifference([], {
      about: pattern,
      intended: wanted,
      live: said,
      effect: isOpen ? 'opens' : isClosed ? 'closes' : 'other',
      message: `Readers of license.xml find permitted for ${pattern}: ${said ?? 'nothing'}; the policies permit: ${wanted ?? 'nothing'}.`,
    });
  });
  return isCut ? [...found, NOT_ALL] : found;
}
