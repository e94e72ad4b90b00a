/** Compares a live tdmrep.json, and policies of collections, with the intended ones (TDMRep). */
import { sameJson } from '../../lib/json.ts';
import { inOneSpelling, matchesReadable, toPattern, toReadable } from '../robots/robots-reader.ts';
import { type Difference, NOT_ALL, toDifference } from './difference.ts';
import { compare, type Side, type StepBudget } from './meaning.ts';

/** Throws for a text that is no list of entries. */
function toSide(text: string): Side {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error('It is no list.');
  const entries = list.flatMap((one: unknown) => {
    const entry = (one ?? {}) as Record<string, unknown>;
    if (typeof entry.location !== 'string') return [];
    const location = inOneSpelling(entry.location);
    return [{ location, pattern: toPattern(location), value: describeReservation(entry) }];
  });
  return {
    rules: new Map(entries.map(({ location, value }) => [`${location} ${value}`, { pattern: location }])),
    // The first that matches counts.
    at(path) {
      const readable = toReadable(path);
      return entries.find(({ pattern }) => matchesReadable(pattern, readable))?.value ?? null;
    },
  };
}

function describeReservation(entry: Record<string, unknown>): string {
  const policy = entry['tdm-policy'];
  if (entry['tdm-reservation'] === 0) return 'not reserved';
  if (entry['tdm-reservation'] !== 1) return 'unset';
  return typeof policy === 'string' ? `reserved, policy ${policy}` : 'reserved';
}

const isReserved = (value: string | null): boolean => value?.startsWith('reserved') === true;

/** Throws for a live text that is no list of entries. */
export async function compareTdmrep(intended: string, live: string, budget: StepBudget): Promise<Difference[]> {
  if (sameJson(JSON.parse(intended), JSON.parse(live))) return [];
  const { differences, isCut } = await compare(toSide(intended), toSide(live), { budget, all: true });
  const found = differences.map(({ pattern, intended: wanted, live: said }) => {
    const [ours, theirs] = [isReserved(wanted), isReserved(said)];
    return toDifference([], {
      about: pattern,
      intended: wanted,
      live: said,
      effect: ours && !theirs ? 'opens' : theirs && !ours ? 'closes' : 'other',
      message: `Mining of ${pattern} is ${said ?? 'not mentioned'} in the live file; by the policies it is ${wanted ?? 'not mentioned'}.`,
    });
  });
  return isCut ? [...found, NOT_ALL] : found;
}

/** Throws for a live text that is no JSON. */
export function compareTdmPolicy(intended: object, live: string): Difference[] {
  const found = JSON.parse(live) as Record<string, unknown>;
  if (sameJson(intended, found)) return [];
  const uid = String((intended as { uid: string }).uid);
  const fields = Object.entries(intended).filter(([name, value]) => !sameJson(value, found?.[name]));
  if (fields.length === 0) return [];
  return [
    toDifference([], {
      about: uid,
      intended: fields.map(([name]) => name).join(', '),
      live: null,
      effect: 'other',
      message: `The policy ${uid} has another ${fields.map(([name]) => `\`${name}\``).join(', ')} than intended.`,
    }),
  ];
}
