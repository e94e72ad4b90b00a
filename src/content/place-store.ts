/** Places items in the table `content` after edits of collections; rows never leave this file. */

import type { Db, Step } from '../db/db.ts';
import { inList, selectLists, toList, Where } from '../db/query.ts';
import type { Collection } from './collections/collection.ts';
import type { InForce } from './collections/known.ts';
import { findEditsAfter, LAST_EDIT } from './collections/store.ts';
import { LAST_SITE_EDIT } from './sites/store.ts';

/** Returns the number of the last item that is in the right collection; `all`, also without collections: every item. */
export async function findPlacedTo(db: Db): Promise<number | 'all'> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'items_placed_to'`);
  return row === undefined || row.value === 'all' ? 'all' : Number(row.value);
}

/** Returns whether every item is in its collection by this state, which must have been read before. */
export async function isPlacedBy(db: Db, { lastEdit, lastSiteEdit }: InForce): Promise<boolean> {
  const [row] = await db.read<{ edit: number; site: number }>(`select ${LAST_EDIT} as edit, ${LAST_SITE_EDIT} as site`);
  const isLast = Number(row?.edit) === lastEdit && Number(row?.site) === lastSiteEdit;
  return isLast && (await findPlacedTo(db)) === 'all';
}

/** Collections that were edited since every item was in the right one; null: deleted. */
export type Edited = ReadonlyMap<string, Collection | null>;

export async function findEditedSince(db: Db): Promise<Edited> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'items_placed_at'`);
  const edits = await findEditsAfter(db, Number(row?.value ?? 0));
  return new Map(edits.map(({ id, collection }) => [id, collection]));
}

/** More conditions in one statement take longer than placing every item. */
const EDITED_MAX = 4;
const TEXTS_MAX = 4;

/**
 * Returns the condition of the items that may have to move: those in an edited collection, and those that it may
 * select. The condition may hold for more.
 */
export function mayMove(engine: Db['engine'], edited: Edited, where: Where): string {
  if (edited.size > EDITED_MAX) return 'true';
  if (edited.size === 0) return 'false';
  const terms: string[] = [];
  for (const [id, collection] of edited) {
    terms.push(`collection_id = ${where.param(id)}`);
    if (collection !== null) terms.push(maySelect(engine, collection, where));
  }
  return `(${terms.join(' or ')})`;
}

/** Conditions of URLs that may spell a host or a path otherwise: by other characters, or by what parsers resolve. */
const ODD_HOST = {
  sqlite: `source glob '*[^ -$&-~]*'`,
  postgres: `source ~ '[^ -$&-~]' collate "C"`,
} satisfies Record<Db['engine'], string>;
const ODD_PATH = {
  sqlite: `${ODD_HOST.sqlite} or instr(source, '/.') > 0 or instr(source, '\\') > 0`,
  postgres: `${ODD_HOST.postgres} or strpos(source, '/.') > 0 or strpos(source, '\\') > 0`,
} satisfies Record<Db['engine'], string>;

/** `like` of SQLite ignores the case of ASCII letters. */
const SOURCE = { sqlite: 'source', postgres: 'lower(source)' } satisfies Record<Db['engine'], string>;

/** Returns a condition of the items that a collection selects. It may hold for more. */
export function maySelect(engine: Db['engine'], { hosts, paths, contentTypes }: Collection, where: Where): string {
  const contains = (texts: readonly string[], odd: string): string =>
    `(${[...texts.map((text) => `${SOURCE[engine]} like ${where.param(`%${text.toLowerCase()}%`)}`), odd].join(' or ')})`;
  const terms: string[] = [];
  const names = hosts.map((host) => host.replace(/^\*/, '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase());
  if (names.length > 0 && names.length <= TEXTS_MAX && names.every(isSpelledOut)) {
    terms.push(contains(names, ODD_HOST[engine]));
  }
  // The last segment may be the index of a folder, which an item is registered without.
  const beginnings = paths.map((path) => (/^[\w/~-]*/.exec(path)?.[0] ?? '').replace(/\/[^/]*$/, ''));
  if (paths.length > 0 && paths.length <= TEXTS_MAX && beginnings.every(({ length }) => length > 1)) {
    terms.push(contains(beginnings, ODD_PATH[engine]));
  }
  if (contentTypes.length > 0) terms.push(`type in (${contentTypes.map((type) => where.param(type)).join(', ')})`);
  return terms.length === 0 ? 'true' : `(${terms.join(' and ')})`;
}

/** Returns whether a URL of letters, digits and the like has the host as it is: addresses have many spellings. */
const isSpelledOut = (name: string): boolean => /^[a-z0-9._-]*[a-z][a-z0-9_-]*$/.test(name) && !/(?:^|\.)0x/.test(name);

/** Many items, a list for each column. */
export interface Items {
  no: readonly number[];
  source: readonly string[];
  type: readonly string[];
  /** JSON. */
  tags: readonly string[];
  revision: readonly number[];
  collection_id: readonly (string | null)[];
  policy_id: readonly string[];
  owns_policy: readonly (0 | 1)[];
}

/** Reads columns of items in any order. With `first`, of so many with the lowest numbers. */
export async function readItems<C extends keyof Items>(
  db: Db,
  columns: readonly C[],
  { where, first }: { where: Where; first?: number },
): Promise<Pick<Items, C>> {
  const from = `content${where.sql}`;
  const some =
    first === undefined ? from : `(select ${columns.join(', ')} from ${from} order by no limit ${first}) as s`;
  const [row = {}] = await db.read<Record<C, string>>(
    `select ${selectLists(db.engine, columns)} from ${some}`,
    where.params,
  );
  return Object.fromEntries(Object.entries<string>(row).map(([name, list]) => [name, JSON.parse(list)])) as Pick<
    Items,
    C
  >;
}

export async function findLastNo(db: Db): Promise<number> {
  const [row] = await db.read<{ no: number | null }>('select max(no) as no from content');
  return Number(row?.no ?? 0);
}

/** Returns the id that begins a span of items below an id, newest first; undefined: fewer are left. */
export async function findSpanEnd(db: Db, below: string | undefined, size: number): Promise<string | undefined> {
  const where = new Where().and('id < ?', below);
  const sql = `select id from content${where.sql} order by id desc limit 1 offset ${size - 1}`;
  const [row] = await db.read<{ id: string }>(sql, where.params);
  return row?.id;
}

/** An item that belongs into another collection than the one that its row names. */
export interface MisplacedItem {
  no: number;
  revision: number;
  collectionId: string | null;
}

interface Slice {
  from: number;
  to: number | 'all';
  moved: readonly MisplacedItem[];
  lastEdit: number;
  lastSiteEdit: number;
}

/** A Conflict when a collection or a site was edited since. An item that was edited since was placed by its edit. */
export const placeSlice = (engine: Db['engine'], { from, to, moved, lastEdit, lastSiteEdit }: Slice): Step[] => [
  {
    sql: `update settings set value = $1 where name = 'items_placed_to' and value = $2
          and ${LAST_EDIT} = $3 and ${LAST_SITE_EDIT} = $4`,
    params: [String(to), String(from), lastEdit, lastSiteEdit],
    expect: 1,
  },
  ...(to === 'all' ? [placedAt(lastEdit)] : []),
  ...[...Map.groupBy(moved, ({ collectionId }) => collectionId)].map(([collectionId, items]) => ({
    sql: `update content set collection_id = $1 where ${inList(engine, 'no', 'bigint', '$2')}
          and ${inList(engine, "no || '-' || revision", 'text', '$3')}`,
    params: [
      collectionId,
      toList(items.map(({ no }) => no)),
      toList(items.map(({ no, revision }) => `${no}-${revision}`)),
    ],
  })),
];

/** Every item is in the right collection, after this edit. */
const placedAt = (lastEdit: number): Step => ({
  sql: `insert into settings (name, value) values ('items_placed_at', $1)
        on conflict (name) do update set value = excluded.value`,
  params: [String(lastEdit)],
});
