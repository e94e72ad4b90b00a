/**
 * Steps that a store of the version before lacks (schema 32; `0001` counts as 36): sitemaps of sites, rules of hosts
 * about which URLs are one file, the file of a decision, and items that are found in any case. To be deleted when such
 * stores are no longer supported.
 */
import { parseLocator, toLocatorKeys } from '../../lib/urls/locator.ts';
import { toFolded } from '../../lib/urls/spellings.ts';
import type { Migration, Row, Step, Tables } from '../db.ts';

export const VERSION_BEFORE = 32;

export const SINCE_BEFORE: Migration = [
  "alter table sites add column sitemaps text not null default '[]'",
  'alter table sites add column urls {{unordered}}',
  'alter table content add column source_folded {{unordered}}',
  `create index content_source_folded on content (source_folded, source_query, status)
   where source_folded is not null`,
  'create index content_folded_id on content (lower(external_id{{bytes}}))',
  ...['decisions', 'deleted_decisions', 'test_decisions', 'test_deleted_decisions'].map(
    (table) => `alter table ${table} add column file text`,
  ),
  // Items are placed again: folders and their index files are one file now. An empty store stays empty, for a move.
  ...['items_placed_to', 'items_placed_at'].map(
    (name) => `insert into settings (name, value) select '${name}', '0' where exists (select 1 from content)
      on conflict (name) do update set value = excluded.value`,
  ),
];

const AT_ONCE = 10_000;
const MAY_DIFFER = { sqlite: `source glob '*[A-Z%]*'`, postgres: `source ~ '[A-Z%]'` };

/** Returns the steps that give items the digest of their decoded path in lowercase, where it is another one. */
export async function foldPaths(db: Tables): Promise<Step[]> {
  const steps: Step[] = [];
  for (let last: number | undefined = 0; last !== undefined; ) {
    const items: (Row & { no: number; source: string })[] = await db.read(
      `select no, source from content where no > $1 and ${MAY_DIFFER[db.engine]} order by no limit ${AT_ONCE}`,
      [last],
    );
    for (const { no, source } of items) {
      const folded = toFoldedKey(source);
      if (folded === null) continue;
      steps.push({ sql: 'update content set source_folded = $1 where no = $2', params: [folded, no] });
    }
    last = items.at(-1)?.no;
  }
  return steps;
}

function toFoldedKey(source: string): string | null {
  const locator = parseLocator(source);
  if (locator === undefined) return null;
  const path = toFolded(locator.path);
  return path === locator.path ? null : toLocatorKeys({ ...locator, path }).path;
}
