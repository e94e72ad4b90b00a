/** Create, list, read, edit and delete collections, and list their versions. */
import type { Changes } from '../../api/changes/changes.ts';
import { type Resource, resource } from '../../api/changes/resource.ts';
import type { App } from '../../api/http/app.ts';
import { isUnchanged, NotModified } from '../../api/http/etag.ts';
import { PageQuerySchema, toList } from '../../api/http/list.ts';
import { edit, route } from '../../api/http/route.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Collection } from './collection.ts';
import {
  type CollectionEditDeps,
  collectionNotFound,
  newCollection,
  planCreate,
  planDelete,
  planUpdate,
} from './edits.ts';
import {
  CollectionAnswer,
  CollectionDeleted,
  CollectionPage,
  CollectionVersionPage,
  CollectionWithWarnings,
  CreateCollection,
  collectionAnswer,
  collectionEtag,
  ListCollectionsQuery,
  ReadCollectionQuery,
  UpdateCollection,
  versionAnswer,
} from './schema.ts';
import { findCollection, listCollections, listVersions } from './store.ts';
import { findTies } from './ties.ts';

export interface CollectionDeps extends CollectionEditDeps {
  changes: Changes;
  clock: Clock;
}

const reading = { tag: 'Collections', permission: 'content:read' } as const;
const writing = { tag: 'Collections', permission: 'content:write' } as const;
const editing = { ...writing, ifMatch: true } as const;

export function collectionRoutes(app: App, deps: CollectionDeps): void {
  const { db, changes } = deps;
  const collections = resource<Collection>({
    changes,
    find: (id) => findCollection(db, id),
    notFound: collectionNotFound,
    etag: collectionEtag,
  });

  readingRoutes(app, deps, collections);
  versionRoute(app, deps, collections);
  editingRoutes(app, deps, collections);
}

function readingRoutes(app: App, { db, collections: known }: CollectionDeps, collections: Resource<Collection>): void {
  const list = {
    ...reading,
    id: 'listCollections',
    is: 'List collections',
    query: ListCollectionsQuery,
    answer: CollectionPage,
  };
  route(app, 'GET /v1/collections', list, async ({ query }) =>
    toList(await listCollections(db, query), collectionAnswer),
  );

  const read = {
    ...reading,
    id: 'getCollection',
    is: 'Read a collection',
    query: ReadCollectionQuery,
    answers: { 200: CollectionAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/collections/:id', read, async (request, reply) => {
    const collection = await collections.get(request.params.id);
    const etag = collectionEtag(collection);
    if (request.query.expand === undefined) {
      return isUnchanged(request, reply, etag) ? reply.send() : collectionAnswer(collection);
    }
    // Edits of other collections change the warnings and not the tag, which `If-Match` still takes.
    reply.header('etag', etag);
    const { index } = await known.read();
    return { ...collectionAnswer(collection), warnings: findTies(collection, index.all()) };
  });
}

function versionRoute(app: App, { db }: CollectionDeps, collections: Resource<Collection>): void {
  const list = {
    ...reading,
    id: 'listCollectionVersions',
    is: 'List the versions of a collection',
    query: PageQuerySchema,
    answer: CollectionVersionPage,
  };
  route(app, 'GET /v1/collections/:id/versions', list, async ({ params, query }) => {
    const { id } = await collections.get(params.id);
    return toList(await listVersions(db, id, query), versionAnswer);
  });
}

function editingRoutes(app: App, deps: CollectionDeps, collections: Resource<Collection>): void {
  const { changes, clock } = deps;
  const create = {
    ...writing,
    id: 'createCollection',
    is: 'Create a collection',
    body: CreateCollection,
    answers: { 201: CollectionWithWarnings },
  };
  edit(app, 'POST /v1/collections', create, async (request) => {
    const collection = newCollection(request.body, clock.now());
    return changes.commit(request, collection.id, () => planCreate(deps, collection));
  });

  const update = {
    ...editing,
    id: 'updateCollection',
    is: 'Edit a collection',
    body: UpdateCollection,
    answer: CollectionWithWarnings,
  };
  edit(app, 'PATCH /v1/collections/:id', update, (request) =>
    collections.edit(request, (before) => planUpdate(deps, before, request.body, clock.now())),
  );

  const remove = { ...editing, id: 'deleteCollection', is: 'Delete a collection', answer: CollectionDeleted };
  edit(app, 'DELETE /v1/collections/:id', remove, (request) =>
    collections.edit(request, async (collection) => planDelete(collection, clock.now())),
  );
}
