/**
 * Finds items whose `externalId` the input had before. Promise: the first one counts, and nothing overwrites it in
 * silence. In a catalog, a repeated item is a fault. A page may be in several sitemaps; there repeats are counted.
 */
import { DigestSet, toDigestNumber } from './digest-set.ts';
import type { Entries, ImportEntry } from './entry.ts';

export interface Repeated {
  /** Pages that were left out. */
  count: number;
  watch(entries: Entries): Entries;
}

/** `pages`: the input lists pages, as sitemaps and feeds do. */
export function openRepeated(pages: boolean): Repeated {
  const seen = new DigestSet();
  let number = 0;
  const isFirst = (entry: ImportEntry): boolean => {
    number++;
    const id = entry.item?.externalId;
    if (typeof id !== 'string') return true;
    const place = seen.add(toDigestNumber(id), lineNumber(entry) ?? number);
    if (place === undefined) return true;
    if (pages) {
      repeated.count++;
      return false;
    }
    entry.fault = `The externalId is the same as at line ${place}.`;
    return true;
  };
  const repeated: Repeated = {
    count: 0,
    async *watch(entries) {
      for await (const some of entries) yield some.filter(isFirst);
    },
  };
  return repeated;
}

const lineNumber = ({ at }: ImportEntry): number | undefined => Number(/^line (\d+)$/.exec(at)?.[1]) || undefined;
