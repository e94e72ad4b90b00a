/** The table `content`; rows never leave this file. */

import { keepPayload } from '../changes/rows.ts';
import type { InForce } from '../collections/known.ts';
import { LAST_EDIT } from '../collections/store.ts';
import type { Db, Step } from '../db/db.ts';
import { inList, toList, Where } from '../db/query.ts';
import { columns } from '../db/record.ts';
import { keysOf, type LocatorKeys, parseLocator } from '../lib/locator.ts';
import { mapInSlices } from '../lib/slices.ts';
import { words } from '../lib/text.ts';
import { type Content, isContentId } from './content.ts';
import { placementOf } from './placement.ts';

/** For `list-store`, too. */
export const CONTENT = columns<Content>(
  {
    no: 'generated',
    id: 'fixed',
    externalId: 'fixed',
    title: 'plain',
    type: 'plain',
    source: 'plain',
    policyId: 'plain',
    ownsPolicy: 'plain',
    metadata: 'json',
    tags: 'json',
    status: 'plain',
    revision: 'plain',
    createdAt: 'fixed',
    updatedAt: 'plain',
  },
  {
    titleWords: ({ title }) => ` ${words(title).join(' ')} `,
    sourcePath: ({ source }) => sourceKeys(source)?.path ?? null,
    sourceQuery: ({ source }) => sourceKeys(source)?.query ?? null,
  },
);

/** Finds an item by id or externalId. */
export async function findContent(db: Db, ref: string): Promise<Content | undefined> {
  const column = isContentId(ref) ? 'id' : 'external_id';
  const [row] = await db.read(`select ${CONTENT.list} from content where ${column} = $1`, [ref]);
  return row && CONTENT.toRecord(row);
}

const REFS_AT_ONCE = 200;

/** Finds items by ids or externalIds, thousands if need be, and returns them by the given reference. */
export async function findContents(db: Db, refs: readonly string[]): Promise<Map<string, Content>> {
  const found = new Map<string, Content>();
  for (const [column, field] of [
    ['id', 'id'],
    ['external_id', 'externalId'],
  ] as const) {
    const wanted = [...new Set(refs.filter((ref) => isContentId(ref) === (column === 'id')))];
    for (let i = 0; i < wanted.length; i += REFS_AT_ONCE) {
      const some = toList(wanted.slice(i, i + REFS_AT_ONCE));
      const sql = `select ${CONTENT.list} from content where ${inList(db.engine, column, 'text')}`;
      const rows = await db.read(sql, [some]);
      for (const content of await mapInSlices(rows, CONTENT.toRecord)) found.set(content[field], content);
    }
  }
  return found;
}

/**
 * Finds the item that is served at a locator. Active items come before archived ones; several active ones are `many`. A
 * query that no item has finds the item without a query, or `many` if other items of this path differ by query.
 */
export async function findServedAt(db: Db, keys: LocatorKeys): Promise<string | 'many' | undefined> {
  const exact = await findAt(db, keys);
  if (exact !== undefined || keys.query === '') return exact;
  const others = await db.read(`select 1 as one from content where source_path = $1 and source_query > '' limit 1`, [
    keys.path,
  ]);
  return others.length > 0 ? 'many' : findAt(db, { ...keys, query: '' });
}

/** Reads items that are not archived, newest first, older than the one of an id. */
export async function findActiveBefore(db: Db, id: string | undefined, limit: number): Promise<Content[]> {
  const where = new Where().and('status = ?', 'active').and('id < ?', id);
  const sql = `select ${CONTENT.list} from content${where.sql} order by id desc limit ${limit}`;
  return mapInSlices(await db.read(sql, where.params), CONTENT.toRecord);
}

/**
 * Returns items with a URL of a host, or that are found there by an externalId that is a path: up to `limit`, oldest
 * first. `set`: only those that have a policy of their own or are archived.
 */
export async function findContentOfHost(
  db: Db,
  { host, limit, set }: { host: string; limit: number; set: 'all' | 'own' },
): Promise<Content[]> {
  const own = set === 'all' ? '' : `and (owns_policy = 1 or status = 'archived')`;
  const rows = await db.read(
    `select ${CONTENT.list} from content
     where (lower(source) like '%://' || $1 || '%' or external_id like '/%') ${own} order by no limit ${limit}`,
    [host],
  );
  return mapInSlices(rows, CONTENT.toRecord);
}

/** Returns the ids of the items that exist, by externalId. */
export async function findIds(db: Db, externalIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.read<{ id: string; external_id: string }>(
    `select id, external_id from content where ${inList(db.engine, 'external_id', 'text')}`,
    [toList(externalIds)],
  );
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

async function findAt(db: Db, { path, query }: LocatorKeys): Promise<string | 'many' | undefined> {
  const [first, second] = await db.read<{ id: string; status: string }>(
    'select id, status from content where source_path = $1 and source_query = $2 order by status limit 2',
    [path, query],
  );
  return first?.status === 'active' && second?.status === 'active' ? 'many' : first?.id;
}

function sourceKeys(source: string): LocatorKeys | undefined {
  const locator = parseLocator(source);
  return locator && keysOf(locator);
}

/** Content always has a policy, and the collection that lists find it in. */
const IS_PLANNED_NOW = `exists (select 1 from policies where id = :policyId) and ${LAST_EDIT} = :lastEdit`;

const insertRow = CONTENT.step(
  `insert into content ({columns}, collection_id) select {values}, :collectionId
   where ${IS_PLANNED_NOW}`,
  1,
);

const updateRow = CONTENT.step(
  `update content set {changes}, collection_id = :collectionId
   where id = :id and revision = :revision - 1 and ${IS_PLANNED_NOW}`,
  1,
);

const placed = (content: Content, inForce: InForce) => ({
  collectionId: placementOf(content, inForce).collectionId,
  lastEdit: inForce.lastEdit,
});

/** A Conflict when the policy was deleted or a collection was edited meanwhile. */
export const insertContent = (content: Content, inForce: InForce): Step => insertRow(content, placed(content, inForce));

/** A Conflict unless the stored revision is the one before; also when a collection was edited meanwhile. */
export const updateContent = (content: Content, inForce: InForce): Step => updateRow(content, placed(content, inForce));

/** Prefix of the key under which `{id, externalId}` of a deleted item are kept until its decisions are removed. */
export const DELETED_ITEM = 'item-';

/** Hides the item's decisions at once; the sweep removes them later. Their events are still delivered. */
export const deleteContent = (content: Content): Step[] => [
  { sql: 'delete from content where id = $1 and revision = $2', params: [content.id, content.revision], expect: 1 },
  { sql: 'insert into purges (content_no) values ($1)', params: [content.no] },
  keepPayload(DELETED_ITEM + content.no, { id: content.id, externalId: content.externalId }),
];
