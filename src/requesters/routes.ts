/** Register, list, read, edit and delete requesters. */
import type { Changes } from '../changes/changes.ts';
import { resource } from '../changes/resource.ts';
import type { Db } from '../db/db.ts';
import type { App } from '../http/app.ts';
import { toList } from '../http/list.ts';
import { edit, route } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import { newRequester, planCreate, planDelete, planUpdate, requesterNotFound, requireIdentities } from './edits.ts';
import {
  CreateRequester,
  ListRequestersQuery,
  RequesterAnswer,
  RequesterDeleted,
  RequesterPage,
  requesterAnswer,
  UpdateRequester,
} from './schema.ts';
import { findRequester, listRequesters } from './store.ts';

export interface RequesterDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  /** Accepts identities with http and private addresses, for development. */
  allowPrivate: boolean;
}

const reading = { tag: 'Requesters', permission: 'requesters:read' } as const;
const writing = { tag: 'Requesters', permission: 'requesters:write' } as const;

export function requesterRoutes(app: App, { db, changes, clock, allowPrivate }: RequesterDeps): void {
  const requesters = resource({ changes, find: (id) => findRequester(db, id), notFound: requesterNotFound });

  const create = {
    ...writing,
    id: 'createRequester',
    is: 'Register a requester',
    body: CreateRequester,
    answers: { 201: RequesterAnswer },
  };
  edit(app, 'POST /v1/requesters', create, async (request) => {
    requireIdentities(request.body.identities, allowPrivate);
    const requester = newRequester(request.body, clock.now());
    return changes.commit(request, requester.id, () => planCreate(db, requester));
  });

  const list = {
    ...reading,
    id: 'listRequesters',
    is: 'List requesters',
    query: ListRequestersQuery,
    answer: RequesterPage,
  };
  route(app, 'GET /v1/requesters', list, async ({ query }) => toList(await listRequesters(db, query), requesterAnswer));

  const read = { ...reading, id: 'getRequester', is: 'Read a requester', answer: RequesterAnswer };
  route(app, 'GET /v1/requesters/:id', read, async ({ params }) => requesterAnswer(await requesters.get(params.id)));

  const update = {
    ...writing,
    id: 'updateRequester',
    is: 'Edit a requester',
    body: UpdateRequester,
    answer: RequesterAnswer,
  };
  edit(app, 'PATCH /v1/requesters/:id', update, (request) => {
    requireIdentities(request.body.identities, allowPrivate);
    return requesters.edit(request, (before) => planUpdate(before, request.body, clock.now()));
  });

  const remove = {
    ...writing,
    id: 'deleteRequester',
    is: 'Delete a requester and its licenses',
    answer: RequesterDeleted,
  };
  edit(app, 'DELETE /v1/requesters/:id', remove, (request) =>
    requesters.edit(request, (requester) => planDelete(db, requester, clock.now())),
  );
}
