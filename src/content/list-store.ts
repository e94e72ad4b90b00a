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
  const ids = toList(collections.map(({ id }) => id));
  const [rows, total] = await Promise.all([
    db.read(
      `select ${CONTENT.list} from content where id in (${newestUnderPolicy(db.engine, rest, { policyId, ids, limit })})
       order by id desc limit ${limit + 1}`,
      rest.params,
    ),
    count(countUnderPolicy(db.engine, whole, { policyId, ids })),
  ]);
  const page = cutPage(rows, limit, total, (last: Row) => String(last.id));
  return { ...page, data: await mapInSlices(page.data, CONTENT.toRecord) };
}

interface UnderPolicy {
  policyId: string;
  /** The collections with the policy, as `toList` makes it. */
  ids: string;
}

/** The conditions of items outside of collections with the policy; each has an index. */
const OWN = (policy: string): string => `owns_policy = 1 and policy_id = ${policy}`;
const DEFAULT = (policy: string): string => `owns_policy = 0 and collection_id is null and policy_id = ${policy}`;

/** Selects ids of the newest items of each search, more than a page of each. */
function newestUnderPolicy(
  engine: Db['engine'],
  where: Where,
  { policyId, ids, limit }: UnderPolicy & { limit: number },
): string {
  const policy = where.param(policyId);
  const list = where.param(ids);
  const newest = (condition: string): string =>
    `select id from content ${where.copy().and(condition).sql} order by id desc limit ${limit + 1}`;
  const ofCollection = newest('owns_policy = 0 and collection_id = c.value');
  const ofCollections =
    engine === 'sqlite'
      ? `select n.value as id from json_each(${list}) as c,
           json_each((select json_group_array(id) from (${ofCollection}))) as n`
      : `select n.id from json_array_elements_text(${list}::json) as c(value) cross join lateral (${ofCollection}) as n`;
  return [
    `select id from (${newest(OWN(policy))}) as own`,
    `select id from (${newest(DEFAULT(policy))}) as others`,
    ofCollections,
  ].join(' union all ');
}

function countUnderPolicy(engine: Db['engine'], whole: Where, { policyId, ids }: UnderPolicy) {
  const where = whole.copy();
  const policy = where.param(policyId);
  const inCollections = `owns_policy = 0 and ${inList(engine, 'collection_id', 'text', where.param(ids))}`;
  const counts = [OWN(policy), DEFAULT(policy), inCollections].map(
    (condition) => `(select count(*) from content${where.copy().and(condition).sql})`,
  );
  return { sql: `select ${counts.join(' + ')} as total`, params: where.params };
}
