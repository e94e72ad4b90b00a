/** Lists what a requester may have, and who may have an item or a collection. Nothing is recorded. */
import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import { listCollectionReaders, listItemReaders, listReach, type ReachRouteDeps } from './reach.ts';
import { ReachPage, ReachQuery, ReadersPage, ReadersQuery } from './schema.ts';

const reading = { permission: ['policies:read', 'content:read'], secretKey: true } as const;

export function reachRoutes(app: App, deps: ReachRouteDeps): void {
  const reach = {
    ...reading,
    tag: 'Requesters',
    id: 'listReach',
    is: 'List what a requester may have now',
    query: ReachQuery,
    answer: ReachPage,
  };
  route(app, 'GET /v1/requesters/:id/reach', reach, ({ params, query }) => listReach(deps, params.id, query));

  const readers = { ...reading, query: ReadersQuery, answer: ReadersPage };
  const ofItem = { ...readers, tag: 'Content', id: 'listContentReaders', is: 'List who may have an item now' };
  route(app, 'GET /v1/content/:id/readers', ofItem, ({ params, query }) => listItemReaders(deps, params.id, query));

  const ofCollection = {
    ...readers,
    tag: 'Collections',
    id: 'listCollectionReaders',
    is: 'List who may have the pages of a collection now',
  };
  route(app, 'GET /v1/collections/:id/readers', ofCollection, ({ params, query }) =>
    listCollectionReaders(deps, params.id, query),
  );
}
