/**
 * Counts lists of items, once for all pages of a walk: counting millions of items takes longer than reading a page. A
 * change of any item, collection or policy drops all counts.
 */
import type { Changes } from '../api/changes/changes.ts';
import { Cache } from '../lib/cache/cache.ts';

/** Lists with different filters. */
const KNOWN_MAX = 100;

/** Returns the count of the list that `key` describes, and runs `count` where it is not known. */
export type CachedTotal = (key: unknown, count: () => Promise<number>) => Promise<number>;

export function openTotals(changes: Pick<Changes, 'known'>): CachedTotal {
  const known = changes.known('totals', new Cache<string, number>(KNOWN_MAX));
  return async (key, count) => {
    const name = JSON.stringify(key);
    return (
      known.get(name) ??
      known.read(async (keep) => {
        const total = await count();
        keep(name, total);
        return total;
      })
    );
  };
}
