/** Plans the edits of collections: what each one writes, announces and answers. Every edit adds a version. */
import type { Edit } from '../../api/changes/change.ts';
import { toEdit } from '../../api/changes/edit.ts';
import { editedMetadata } from '../../api/changes/metadata.ts';
import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../lib/id.ts';
import { parseHostPattern } from '../../lib/urls/url-pattern.ts';
import { unknownPolicy } from '../../policies/edits.ts';
import { policyExists } from '../../policies/store.ts';
import {
  addressCount,
  COLLECTION_PREFIX,
  type Collection,
  FIRST_VALUES,
  givenSelectors,
  SELECTOR_NAMES,
} from './collection.ts';
import type { CollectionIndex } from './collection-index.ts';
import type { KnownCollections } from './known.ts';
import {
  type CreateCollection,
  collectionAnswer,
  collectionEtag,
  type TriedCollection,
  type UpdateCollection,
} from './schema.ts';
import { deleteCollection, findCollection, insertCollection, updateCollection } from './store.ts';
import { findTies } from './ties.ts';

/** Bounds of what checks keep in memory. */
const COLLECTIONS_MAX = 10_000;
const ADDRESSES_MAX = 500_000;

export interface CollectionEditDeps {
  db: Db;
  collections: KnownCollections;
}

export const collectionNotFound = (id: string) =>
  fail('collection_not_found', `There is no collection with the id ${JSON.stringify(id.slice(0, 100))}.`);

export const newCollection = (body: CreateCollection, at: number): Collection =>
  withoutDuplicates({
    ...FIRST_VALUES,
    ...body,
    no: 0,
    id: newId(COLLECTION_PREFIX, at),
    version: 1,
    createdAt: at,
    updatedAt: at,
  });

function withoutDuplicates(collection: Collection): Collection {
  const given = { ...collection, hosts: collection.hosts.map(toAsciiHost) };
  const lists = SELECTOR_NAMES.map((name) => [name, [...new Set<string>(given[name])]]);
  return { ...collection, ...(Object.fromEntries(lists) as Pick<Collection, 'hosts'>) };
}

/** Names in other scripts are stored in their `xn--` form. */
const toAsciiHost = (host: string): string => (/^\p{ASCII}*$/u.test(host) ? host : (parseHostPattern(host) ?? host));

/** Throws invalid_request. */
export async function planCreate(deps: CollectionEditDeps, collection: Collection): Promise<Edit> {
  const { index, warnings } = await validate(deps, collection);
  if (index.size >= COLLECTIONS_MAX) {
    throw fail('invalid_request', `There are ${COLLECTIONS_MAX} collections, which is the most; delete one first.`);
  }
  const answer = collectionAnswer(collection);
  return {
    steps: insertCollection(collection),
    changes: [{ kind: 'collection.created', id: collection.id, object: answer }],
    status: 201,
    body: { ...answer, warnings },
    etag: collectionEtag(collection),
  };
}

/** Throws invalid_request. */
export async function planUpdate(
  deps: CollectionEditDeps,
  before: Collection,
  edit: UpdateCollection,
  at: number,
): Promise<Edit> {
  const { metadataReplace, ...fields } = edit;
  const after = withoutDuplicates({
    ...before,
    ...fields,
    metadata: editedMetadata(before.metadata, edit),
    version: before.version + 1,
    updatedAt: Math.max(at, before.updatedAt + 1),
  });
  const { warnings } = await validate(deps, after);
  return toEdit(before, after, {
    steps: updateCollection(after, before),
    changes: [
      { kind: 'collection.updated', id: after.id, object: collectionAnswer(after), before: collectionAnswer(before) },
    ],
    answer: (collection) => ({ body: { ...collectionAnswer(collection), warnings }, etag: collectionEtag(collection) }),
  });
}

/** Returns the collection that an edit would make, without storing it. Throws invalid_request. */
export async function toTried(db: Db, { id, ...fields }: TriedCollection, at: number): Promise<Collection> {
  const stored = id === undefined ? undefined : await findCollection(db, id);
  if (id !== undefined && stored === undefined) {
    throw fail('invalid_request', `${collectionNotFound(id).message} Leave \`collection.id\` out to try a new one.`, {
      param: 'collection.id',
    });
  }
  const collection = withoutDuplicates({ ...(stored ?? newCollection({ name: UNNAMED }, at)), ...fields });
  await requireWhole(db, collection, 'collection.');
  return collection;
}

const UNNAMED = 'This collection';

/** Throws invalid_request. */
async function validate({ db, collections }: CollectionEditDeps, collection: Collection) {
  await requireWhole(db, collection);
  const { index } = await collections.read();
  requireRoom(index, collection);
  return { index, warnings: findTies(collection, index.all()) };
}

/** `at` begins the names of fields. Throws invalid_request. */
async function requireWhole(db: Db, collection: Collection, at = ''): Promise<void> {
  if (givenSelectors(collection).length === 0) {
    throw fail(
      'invalid_request',
      'A collection needs at least one of `hosts`, `paths`, `contentTypes` and `contentTags`. For everything, use "paths": ["/"].',
      { param: `${at}paths` },
    );
  }
  const { policyId } = collection;
  if (policyId !== null && !(await policyExists(db, policyId))) throw unknownPolicy(policyId, `${at}policyId`);
}

/** Throws invalid_request. */
function requireRoom(index: CollectionIndex, collection: Collection): void {
  let addresses = addressCount(collection);
  for (const one of index.all()) if (one.id !== collection.id) addresses += addressCount(one);
  if (addresses <= ADDRESSES_MAX) return;
  throw fail(
    'invalid_request',
    `All collections together may have ${ADDRESSES_MAX} addresses (paths times hosts); this would make ${addresses}.`,
    { param: 'paths' },
  );
}

export function planDelete(collection: Collection, at: number): Edit {
  const { id } = collection;
  return {
    steps: deleteCollection(collection, at),
    changes: [{ kind: 'collection.deleted', id, object: collectionAnswer(collection) }],
    status: 200,
    body: { id, object: 'collection', deleted: true },
  };
}
