/** Lists of items in the table `content`, when every item is in the right collection; rows never leave this file. */

import type { Db, Row } from '../db/db.ts';
import {
  type Counting,
  cutPage,
  fromCursor,
  idForm,
  PAGE_DEFAULT,
  type Page,
  type PageQuery,
  readPage,
} from '../db/page.ts';
import { inList, toList, Where } from '../db/query.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { ContentType } from '../rules/content-types.ts';
import type { InForce } from './collections/known.ts';
import { CONTENT_PREFIX, type Content, type Status } from './content.ts';
import { CONTENT } from './store.ts';

export interface ContentQuery extends PageQuery {
  type?: ContentType;
  status?: Status;
  policyId?: string;
  collectionId?: string;
  tag?: string;
  externalId?: string;
  /** Words, or beginnings of words, of the title. */
  q?: string;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
}

export const ID_FORM = idForm(CONTENT_PREFIX);

/** Returns the conditions of what an item has by itself: all but the policy and the collection. */
export const ownConditions = (query: ContentQuery): Where =>
  new Where()
    .and('type = ?', query.type)
    .and('status = ?', query.status)
    .and('external_id = ?', query.externalId)
    .and("replace(tags, ?, '') <> tags", query.tag && JSON.stringify(query.tag))
    .and('created_at > ?', query.createdAfter)
    .and('created_at < ?', query.createdBefore)
    .search('title_words', query.q);

/** Returns the newest of the items with these numbers. */
export async function findNewest(db: Db, numbers: readonly number[], limit: number): Promise<Content[]> {
  const sql = `select ${CONTENT.list} from content where ${inList(db.engine, 'no', 'bigint')} order by id desc limit ${limit}`;
  return mapInSlices(await db.read(sql, [toList(numbers)]), CONTENT.toRecord);
}

export interface Listing {
  inForce: InForce;
  count(counting: Counting): Promise<number>;
}

/** Every item must have been placed by `inForce` if the query names a policy or a collection. */
export function listContent(db: Db, query: ContentQuery, { inForce, count }: Listing): Promise<Page<Content>> {
  const { policyId, collectionId } = query;
  if (policyId !== undefined && collectionId === undefined) {
    return listUnderPolicy(db, { ...query, policyId }, { inForce, count });
  }
  const where = ownConditions(query).and('collection_id = ?', collectionId);
  const collection = collectionId === undefined ? undefined : inForce.index.get(collectionId);
  if (collectionId !== undefined && collection === undefined) where.and('1 = 0');
  if (policyId !== undefined) {
    const isUnder = (collection?.policyId ?? inForce.defaultPolicyId) === policyId;
    where.and(isUnder ? '(owns_policy = 0 or policy_id = ?)' : '(owns_policy = 1 and policy_id = ?)', policyId);
  }
  return readPage(
    db,
    { select: CONTENT.list, from: 'content', where, order: 'id', form: ID_FORM, toRecord: CONTENT.toRecord, count },
    query,
  );
}

/**
 * The policy is in force for an item if it is its own, the default of its registration, or that of its collection. One
 * condition for all three would have to look at every item, so each has a search of its own.
 */
async function listUnderPolicy(
  db: Db,
  query: ContentQuery & { policyId: string },
  { inForce, count }: Listing,
): Promise<Page<Content>> {
  const { limit = PAGE_DEFAULT, cursor, policyId } = query;
  const { index, defaultPolicyId } = inForce;
  const collections = index.all().filter((one) => (one.policyId ?? defaultPolicyId) === policyId);
  const whole = ownConditions(query);
  const rest = whole.copy().and('id < ?', cursor === undefined ? undefined : fromCursor(cursor, ID_FORM));
  const places = { own: [policyId], unplaced: [policyId], collections: collections.map(({ id }) => id) };
  const newest = newestIn(db.engine, rest, { ...places, limit: limit + 1 });
  const [rows, total] = await Promise.all([
    db.read(newest, rest.params),
    count(countUnderPolicy(db.engine, whole, { policyId, ids: toList(places.collections) })),
  ]);
  const page = cutPage(rows, limit, total, (last: Row) => String(last.id));
  return { ...page, data: await mapInSlices(page.data, CONTENT.toRecord) };
}

/** Items by what puts a policy in force for them; each has an index. */
export interface Places {
  /** Policies of items with a policy of their own. */
  own: readonly string[];
  /** Policies of items in no collection without one of their own. */
  unplaced: readonly string[];
  /** Collections of items without a policy of their own. */
  collections: readonly string[];
  /** Ids and externalIds of more items, wherever they are. */
  ids?: readonly string[];
}

const OWN = (policy: string): string => `owns_policy = 1 and policy_id = ${policy}`;
const DEFAULT = (policy: string): string => `owns_policy = 0 and collection_id is null and policy_id = ${policy}`;

/** Returns a statement that reads the newest items of the places; adds to the parameters of `where`. */
function newestIn(
  engine: Db['engine'],
  where: Where,
  { own, unplaced, collections, ids = [], limit }: Places & { limit: number },
): string {
  const ofEach = (all: readonly string[], condition: string): string[] => {
    if (all.length === 0) return [];
    const list = where.param(toList(all));
    const newest = `select id from content${where.copy().and(condition).sql} order by id desc limit ${limit}`;
    return [
      engine === 'sqlite'
        ? `select n.value as id from json_each(${list}) as c,
           json_each((select json_group_array(id) from (${newest}))) as n`
        : `select n.id from json_array_elements_text(${list}::json) as c(value) cross join lateral (${newest}) as n`,
    ];
  };
  const found = [
    ...ofEach(own, OWN('c.value')),
    ...ofEach(unplaced, DEFAULT('c.value')),
    ...ofEach(collections, 'owns_policy = 0 and collection_id = c.value'),
    ...byIds(engine, where, ids).map((condition) => `select id from content${where.copy().and(condition).sql}`),
  ];
  return `select ${CONTENT.list} from content where id in (${found.join(' union all ')}) order by id desc limit ${limit}`;
}

/** Returns the conditions of items with one of the ids or externalIds; each has an index. */
function byIds(engine: Db['engine'], where: Where, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const listed = where.param(toList(ids));
  return ['id', 'external_id'].map((column) => inList(engine, column, 'text', listed));
}

/** Returns the policies of items outside of collections, and of those with one of their own: up to `limit` of each. */
export async function findPoliciesInUse(db: Db, limit: number): Promise<Pick<Places, 'own' | 'unplaced'>> {
  const find = async (condition: string): Promise<string[]> => {
    const sql = `select id from policies where exists (select 1 from content where ${condition}) limit ${limit}`;
    return (await db.read<{ id: string }>(sql)).map(({ id }) => id);
  };
  const [own, unplaced] = await Promise.all([find(OWN('policies.id')), find(DEFAULT('policies.id'))]);
  return { own, unplaced };
}

/** Which active items are wanted. */
export interface WantedItems {
  /** null: any. Every item must have been placed by the collections in force if places are named. */
  places: Places | null;
  /** The collection that they are in, also with a policy of their own; only with `places`. */
  collectionId?: string | undefined;
  /** A type, or a tag. */
  kind?: string | undefined;
  /** Only those that are older than the one of this id. */
  before: string | undefined;
  limit: number;
}

/** Reads active items, newest first. */
export async function findActive(
  db: Db,
  { places, collectionId, kind, before, limit }: WantedItems,
): Promise<Content[]> {
  const where = new Where().and('status = ?', 'active').and('id < ?', before);
  if (kind !== undefined) {
    where.and(`(type = ${where.param(kind)} or replace(tags, ${where.param(JSON.stringify(kind))}, '') <> tags)`);
  }
  const whole = (): string => `select ${CONTENT.list} from content${where.sql} order by id desc limit ${limit}`;
  if (places !== null && Object.values(places).every(({ length }) => length === 0)) return [];
  if (places !== null && collectionId !== undefined) {
    where.and('collection_id = ?', collectionId);
    const isOwn = `owns_policy = 1 and ${inList(db.engine, 'policy_id', 'text', where.param(toList(places.own)))}`;
    const isIn = `owns_policy = 0 and ${places.collections.includes(collectionId)}`;
    where.and(`(${[isIn, isOwn, ...byIds(db.engine, where, places.ids ?? [])].join(' or ')})`);
  }
  const sql =
    places === null || collectionId !== undefined ? whole() : newestIn(db.engine, where, { ...places, limit });
  return mapInSlices(await db.read(sql, where.params), CONTENT.toRecord);
}

/** `ids`: the collections with the policy, as `toList` makes it. */
function countUnderPolicy(
  engine: Db['engine'],
  whole: Where,
  { policyId, ids }: { policyId: string; ids: string },
): Counting {
  const where = whole.copy();
  const policy = where.param(policyId);
  const inCollections = `owns_policy = 0 and ${inList(engine, 'collection_id', 'text', where.param(ids))}`;
  const counts = [OWN(policy), DEFAULT(policy), inCollections].map(
    (condition) => `(select count(*) from content${where.copy().and(condition).sql})`,
  );
  return { sql: `select ${counts.join(' + ')} as total`, params: where.params };
}
