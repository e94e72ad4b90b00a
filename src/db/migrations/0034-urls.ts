/**
 * The rules of hosts that say which URLs are one file. Items get the digest of their path in lowercase where it
 * differs, when they are written; older items, when a site begins to ignore the case. Items that are there are placed
 * again: folders and their index files are one file now. A new database stays empty, so that a move can fill it.
 */
import type { Step, Tables } from '../db.ts';

const SQL = [
  // JSON; null: the usual rules.
  'alter table sites add column urls text',
  'alter table content add column source_folded text',
  `create index content_source_folded on content (source_folded, source_query, status)
   where source_folded is not null`,
];

const FOLDED_ID = { sqlite: 'lower(external_id)', postgres: '(lower(external_id collate "C"))' };

const PLACE_AGAIN = ['items_placed_to', 'items_placed_at'].map((name) => ({
  sql: `insert into settings (name, value) select $1, '0' where exists (select 1 from content)
        on conflict (name) do update set value = excluded.value`,
  params: [name],
}));

export async function urls({ engine }: Tables): Promise<Step[]> {
  return [
    ...SQL.map((sql) => ({ sql })),
    { sql: `create index content_folded_id on content (${FOLDED_ID[engine]})` },
    ...PLACE_AGAIN,
  ];
}
