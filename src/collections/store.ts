/** The tables `collections` and `collection_versions`; rows never leave this file. */
import type { Db, Step } from '../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../db/page.ts';
import { inList, toList, Where } from '../db/query.ts';
import { columns } from '../db/record.ts';
import { mapInSlices } from '../lib/slices.ts';
import { words } from '../lib/text.ts';
import type { Collection } from './collection.ts';

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

/** Returns all collections, or those of the ids that exist. */
export async function findCollections(db: Db, ids?: readonly string[]): Promise<Collection[]> {
  const where = ids === undefined ? '' : ` where ${inList(db.engine, 'id', 'text')}`;
  const params = ids === undefined ? [] : [toList(ids)];
  return mapInSlices(await db.read(`select ${COLLECTION.list} from collections${where}`, params), COLLECTION.toRecord);
}

export interface CollectionQuery extends PageQuery {
  /** Words, or beginnings of words, of the name. */
  q?: string;
}

export const listCollections = (db: Db, query: CollectionQuery): Promise<Page<Collection>> =>
  readPage(
    db,
    {
      select: COLLECTION.list,
      from: 'collections',
      where: new Where().search('name_words', query.q),
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
export const insertCollection = (collection: Collection): Step[] => [insertRow(collection), currentVersion(collection)];

/** A Conflict unless the stored version is the one before. */
export const updateCollection = (collection: Collection): Step[] => [updateRow(collection), currentVersion(collection)];

/** A Conflict when it was edited since it was read. */
export const deleteCollection = ({ id, version, updatedAt }: Collection, at: number): Step[] => [
  { sql: 'delete from collections where id = $1 and version = $2', params: [id, version], expect: 1 },
  versionStep(id, version + 1, Math.max(at, updatedAt), null),
];
