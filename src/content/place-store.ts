/** Places items in the table `content` after edits of collections; rows never leave this file. */

import type { Collection } from '../collections/collection.ts';
import { findEditsAfter, LAST_EDIT } from '../collections/store.ts';
import type { ContentType } from '../content-types.ts';
import type { Db, Row, Step, Value } from '../db/db.ts';
import { inList, toList } from '../db/query.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { Placeable } from './placement.ts';

/** An item to be placed. */
export interface Unplaced extends Placeable {
  no: number;
  revision: number;
  collectionId: string | null;
}

/** Returns the number of the last item that is in the right collection; `all`, also without collections: every item. */
export async function findPlacedTo(db: Db): Promise<number | 'all'> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'items_placed_to'`);
  return row === undefined || row.value === 'all' ? 'all' : Number(row.value);
}

/** Returns the collections that were edited since every item was in the right one; null: deleted. */
export async function findEditedSince(db: Db): Promise<Map<string, Collection | null>> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'items_placed_at'`);
  const edits = await findEditsAfter(db, Number(row?.value ?? 0));
  return new Map(edits.map(({ id, collection }) => [id, collection]));
}

/** More conditions in one statement take longer than placing every item. */
const EDITED_MAX = 4;
const HOSTS_MAX = 4;

/**
 * Returns the condition of the items that may have to move: those in an edited collection, and those that it may
 * select. The condition may hold for more.
 */
export function mayMove(engine: Db['engine'], edited: Map<string, Collection | null>): Moving {
  if (edited.size > EDITED_MAX) return { sql: 'true', params: [] };
  const params: Value[] = [];
  const add = (value: string): string => `$${params.push(value) + FIRST_PARAM - 1}`;
  const terms: string[] = [];
  for (const [id, collection] of edited) {
    terms.push(`collection_id = ${add(id)}`);
    if (collection !== null) terms.push(maySelect(engine, collection, add));
  }
  return { sql: `(${terms.join(' or ')})`, params };
}

interface Moving {
  sql: string;
  params: Value[];
}

/** Parameters of the span come first. */
const FIRST_PARAM = 3;

/** A URL with other characters may spell a host otherwise. */
const IS_ODD = {
  sqlite: `source glob '*[^ -$&-~]*'`,
  postgres: `source ~ '[^ -$&-~]' collate "C"`,
} satisfies Record<Db['engine'], string>;

function maySelect(engine: Db['engine'], { hosts, contentTypes }: Collection, add: (value: string) => string): string {
  const terms: string[] = [];
  const names = hosts.map((host) => host.replace(/^\*/, '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase());
  if (names.length > 0 && names.length <= HOSTS_MAX && names.every(isSpelledOut)) {
    terms.push(`(${[...names.map((name) => `lower(source) like ${add(`%${name}%`)}`), IS_ODD[engine]].join(' or ')})`);
  }
  if (contentTypes.length > 0) terms.push(`type in (${contentTypes.map(add).join(', ')})`);
  return terms.length === 0 ? 'true' : `(${terms.join(' and ')})`;
}

/** Returns whether a URL of letters, digits and the like has the host as it is: addresses have many spellings. */
const isSpelledOut = (name: string): boolean => /^[a-z0-9._-]*[a-z][a-z0-9_-]*$/.test(name) && !/(?:^|\.)0x/.test(name);

interface UnplacedRow extends Row {
  no: number;
  revision: number;
  source: string;
  type: string;
  tags: string;
  policy_id: string;
  owns_policy: number;
  collection_id: string | null;
}

interface Span {
  after: number;
  to: number;
  limit: number;
}

/** Returns the items of a span of numbers that may have to move, in order of their numbers. */
export async function findUnplaced(db: Db, { after, to, limit }: Span, moving: Moving): Promise<Unplaced[]> {
  const rows = await db.read<UnplacedRow>(
    `select no, revision, source, type, tags, policy_id, owns_policy, collection_id
     from content where no > $1 and no <= $2 and ${moving.sql} order by no limit ${limit}`,
    [after, to, ...moving.params],
  );
  return mapInSlices(rows, (row) => ({
    no: row.no,
    revision: row.revision,
    source: row.source,
    type: row.type as ContentType,
    tags: JSON.parse(row.tags) as string[],
    policyId: row.policy_id,
    ownsPolicy: row.owns_policy === 1 ? 1 : 0,
    collectionId: row.collection_id,
  }));
}

export async function findLastNo(db: Db): Promise<number> {
  const [row] = await db.read<{ no: number | null }>('select max(no) as no from content');
  return Number(row?.no ?? 0);
}

interface Slice {
  from: number;
  to: number | 'all';
  moved: readonly Unplaced[];
  lastEdit: number;
}

/** A Conflict when a collection was edited since. An item that was edited since was placed by its edit. */
export const placeSlice = (engine: Db['engine'], { from, to, moved, lastEdit }: Slice): Step[] => [
  {
    sql: `update settings set value = $1 where name = 'items_placed_to' and value = $2 and ${LAST_EDIT} = $3`,
    params: [String(to), String(from), lastEdit],
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
