/**
 * Counts lists of items, once for all pages of a walk: counting millions of items takes longer than reading a page. A
 * change of any item, collection or policy drops all counts.
 */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { type Counting, countRows } from '../db/page.ts';
import { Cache } from '../lib/cache.ts';

/** Lists with different filters. */
const KNOWN_MAX = 100;
const KINDS = /^(?:content|collection|policy)\./;

export type Totals = (counting: Counting) => Promise<number>;

export function openTotals(db: Db, changes: Pick<Changes, 'subscribe'>): Totals {
  const known = new Cache<string, number>(KNOWN_MAX);
  changes.subscribe(({ kind }) => {
    if (KINDS.test(kind)) known.clear();
  });
  return async (counting) => {
    const key = JSON.stringify(counting);
    return (
      known.get(key) ??
      known.read(async (keep) => {
        const total = await countRows(db, counting);
        keep(key, total);
        return total;
      })
    );
  };
}
