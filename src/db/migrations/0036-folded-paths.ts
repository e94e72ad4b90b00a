/**
 * Items of all hosts are found in any case, not those alone of hosts that ignore it: the router of a caller may. So
 * items that were written before they got the digest of their path in lowercase get it now. The digest is that of the
 * decoded path: one without capitals may have encoded ones.
 */
import { parseLocator, toLocatorKeys } from '../../lib/urls/locator.ts';
import { toFolded } from '../../lib/urls/spellings.ts';
import type { Row, Step, Tables } from '../db.ts';

const AT_ONCE = 10_000;
const MAY_DIFFER = { sqlite: `source glob '*[A-Z%]*'`, postgres: `source ~ '[A-Z%]'` };

export async function foldedPaths(db: Tables): Promise<Step[]> {
  const steps: Step[] = [];
  for (let last: number | undefined = 0; last !== undefined; ) {
    const items: (Row & { no: number; source: string })[] = await db.read(
      `select no, source from content where no > $1 and source_folded is null and ${MAY_DIFFER[db.engine]}
       order by no limit ${AT_ONCE}`,
      [last],
    );
    for (const { no, source } of items) {
      const folded = foldedKey(source);
      if (folded !== null)
        steps.push({ sql: 'update content set source_folded = $1 where no = $2', params: [folded, no] });
    }
    last = items.at(-1)?.no;
  }
  return steps;
}

function foldedKey(source: string): string | null {
  const locator = parseLocator(source);
  if (locator === undefined) return null;
  const path = toFolded(locator.path);
  return path === locator.path ? null : toLocatorKeys({ ...locator, path }).path;
}
