/** The tables `collections` and `collection_versions`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../../db/page.ts';
import { inList, toList, Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import { pick } from '../../lib/fields.ts';
import { sameJson } from '../../lib/json.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { words } from '../../lib/text.ts';
import { placeAgain } from '../sites/store.ts';
import { type Collection, SELECTORS } from './collection.ts';

const COLLECTION = columns<Collection>(
  {
    no: 'generated',
    id: 'fixed',
    name: 'plain',
    description: 'plain',
    hosts: 'json',
    paths: 'json',
    contentTypes: 'json',
    contentTags: 'json',
    policyId: 'plain',
    mode: 'plain',
    metadata: 'json',
    version: 'plain',
    createdAt: 'fixed',
    updatedAt: 'plain',
  },
  { nameWords: ({ name }) => ` ${words(name).join(' ')} ` },
);

export async function findCollection(db: Db, id: string): Promise<Collection | undefined> {
  const [row] = await db.read(`select ${COLLECTION.list} from collections where id = $1`, [id]);
  return row && COLLECTION.toRecord(row);
}

/** Returns the names of collections by id. */
export async function findCollectionNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const sql = `select id, name from collections where ${inList(db.engine, 'id', 'text')}`;
  const rows = await db.read<{ id: string; name: string }>(sql, [toList(ids)]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function findAllCollections(db: Db): Promise<Collection[]> {
  return mapInSlices(await db.read(`select ${COLLECTION.list} from collections`), COLLECTION.toRecord);
}

/** Returns the number of the last edit; they count up in the order of the commits. */
export async function findLastEdit(db: Db): Promise<number> {
  const [row] = await db.read<{ seq: number }>(`select ${LAST_EDIT} as seq`);
  return Number(row?.seq ?? 0);
}

/** For statements that must see the edits up to one, and no later ones. */
export const LAST_EDIT = 'coalesce((select max(seq) from collection_versions), 0)';

interface EditRow extends Row {
  seq: number;
  id: string;
  record: string | null;
}

/** A collection after an edit; null: it was deleted. */
export interface EditedCollection {
  seq: number;
  id: string;
  collection: Collection | null;
}

/** Returns the edits after one, in order. */
export async function findEditsAfter(db: Db, seq: number): Promise<EditedCollection[]> {
  const rows = await db.read<EditRow>(
    'select seq, collection_id as id, record from collection_versions where seq > $1 order by seq',
    [seq],
  );
  return mapInSlices(rows, ({ seq: number, id, record }) => ({
    seq: number,
    id,
    collection: record === null ? null : parseVersion(record),
  }));
}

/** Versions of before there was a mode enforce. */
const parseVersion = (record: string): Collection =>
  ({ ...OLD, ...(JSON.parse(record) as Partial<Collection>) }) as Collection;
const OLD = { mode: 'enforce' };

interface VersionRow extends Row {
  record: string;
}

/** Returns the collections as they were at a time (epoch ms), deleted ones included. */
export async function findCollectionsAt(db: Db, at: number): Promise<Collection[]> {
  const rows = await db.read<VersionRow>(
    `select record from collection_versions as v where at <= $1 and record is not null and version =
       (select max(version) from collection_versions where collection_id = v.collection_id and at <= $1)`,
    [at],
  );
  return mapInSlices(rows, ({ record }) => parseVersion(record));
}

/** Lists the versions of a collection, newest first. */
export const listVersions = (db: Db, id: string, query: PageQuery): Promise<Page<Collection>> =>
  readPage<VersionRow, Collection>(
    db,
    {
      select: 'version, record',
      from: 'collection_versions',
      where: new Where().and('collection_id = ?', id).and('record is not null'),
      order: 'version',
      form: SEQ_FORM,
      toRecord: ({ record }) => parseVersion(record),
    },
    query,
  );

/** Returns how many versions there were at a time (epoch ms): with the same number, the collections are the same. */
export async function countVersionsAt(db: Db, at: number): Promise<number> {
  const [row] = await db.read<{ n: number }>('select count(*) as n from collection_versions where at <= $1', [at]);
  return Number(row?.n ?? 0);
}

export interface CollectionQuery extends PageQuery {
  /** Words, or beginnings of words, of the name. */
  q?: string;
  /** The policy that is in force for the collection. */
  policyId?: string;
}

const UNDER_POLICY = "coalesce(policy_id, (select value from settings where name = 'default_policy')) = ?";

export const listCollections = (db: Db, query: CollectionQuery): Promise<Page<Collection>> =>
  readPage(
    db,
    {
      select: COLLECTION.list,
      from: 'collections',
      where: new Where().and(UNDER_POLICY, query.policyId).search('name_words', query.q),
      order: 'no',
      form: SEQ_FORM,
      toRecord: COLLECTION.toRecord,
    },
    query,
  );

const POLICY_EXISTS = "(coalesce(:policyId, '') = '' or exists (select 1 from policies where id = :policyId))";
const insertRow = COLLECTION.step(`insert into collections ({columns}) select {values} where ${POLICY_EXISTS}`, 1);
const updateRow = COLLECTION.step(
  `update collections set {changes} where id = :id and version = :version - 1 and ${POLICY_EXISTS}`,
  1,
);

const versionStep = (id: string, version: number, at: number, record: Collection | null): Step => ({
  sql: 'insert into collection_versions (collection_id, version, at, record) values ($1, $2, $3, $4)',
  params: [id, version, at, record === null ? null : JSON.stringify(record)],
});

const currentVersion = (collection: Collection): Step =>
  versionStep(collection.id, collection.version, collection.updatedAt, collection);

/** A Conflict when the policy was deleted meanwhile. */
export const insertCollection = (collection: Collection): Step[] => [
  insertRow(collection),
  currentVersion(collection),
  ...placeAgain('edited'),
];

/** A Conflict unless the stored version is the one before. */
export const updateCollection = (collection: Collection, before: Collection): Step[] => [
  updateRow(collection),
  currentVersion(collection),
  ...(sameJson(pick(collection, SELECTORS), pick(before, SELECTORS)) ? [] : placeAgain('edited')),
];

/** A Conflict when it was edited since it was read. */
export const deleteCollection = ({ id, version, updatedAt }: Collection, at: number): Step[] => [
  { sql: 'delete from collections where id = $1 and version = $2', params: [id, version], expect: 1 },
  versionStep(id, version + 1, Math.max(at, updatedAt), null),
  ...placeAgain('edited'),
];
