/** The table `content`; rows never leave this file. */

import { keepPayload } from '../api/changes/rows.ts';
import type { Db, Step } from '../db/db.ts';
import { inList, toList } from '../db/query.ts';
import { columns } from '../db/record.ts';
import { mapInSlices } from '../lib/slices.ts';
import { words } from '../lib/text.ts';
import { type LocatorKeys, parseLocator, toLocatorKeys } from '../lib/urls/locator.ts';
import { toFolded } from '../lib/urls/spellings.ts';
import type { InForce } from './collections/known.ts';
import { LAST_EDIT } from './collections/store.ts';
import { type Content, isContentId } from './content.ts';
import { toPlacement } from './placement.ts';

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
    // Only where it differs from the path: most addresses have no capitals.
    sourceFolded: ({ source }) => foldedKey(source),
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
  if (externalIds.length === 0) return new Map();
  const rows = await db.read<{ id: string; external_id: string }>(
    `select id, external_id from content where ${inList(db.engine, 'external_id', 'text')}`,
    [toList(externalIds)],
  );
  return new Map(rows.map((row) => [row.external_id, row.id]));
}

/** The externalId in lowercase: of ASCII alone, on both engines. */
export const FOLDED_ID = {
  sqlite: 'lower(external_id)',
  postgres: 'lower(external_id collate "C")',
} satisfies Record<Db['engine'], string>;

/** Returns the ids of the items with an externalId that is one of these in lowercase. */
export async function findFoldedIds(db: Db, folded: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (folded.length === 0) return found;
  const name = FOLDED_ID[db.engine];
  const rows = await db.read<{ id: string; folded: string }>(
    `select id, ${name} as folded from content where ${inList(db.engine, name, 'text')}`,
    [toList(folded)],
  );
  for (const row of rows) found.set(row.folded, [...(found.get(row.folded) ?? []), row.id]);
  return found;
}

function sourceKeys(source: string): LocatorKeys | undefined {
  const locator = parseLocator(source);
  return locator && toLocatorKeys(locator);
}

/** Returns the digest of host and path in lowercase; null if it is that of the path. */
function foldedKey(source: string): string | null {
  const locator = parseLocator(source);
  const folded = locator === undefined ? undefined : toFolded(locator.path);
  return locator === undefined || folded === undefined || folded === locator.path
    ? null
    : toLocatorKeys({ ...locator, path: folded }).path;
}

const AT_ONCE = 1_000;
const OF_HOST = `lower(source) like '%://' || $1 || '%'`;

/** Reads active items that may be served at a host, in the order of their numbers. */
export const listActiveOfHost = (db: Db, host: string, after: number) =>
  db.read<{ no: number; id: string; source: string }>(
    `select no, id, source from content where no > $2 and status = 'active' and ${OF_HOST}
     order by no limit ${AT_ONCE}`,
    [host, after],
  );

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
  collectionId: toPlacement(content, inForce).collectionId,
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
