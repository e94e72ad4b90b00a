/** Register, list, read, edit and delete requesters. */
import type { Changes } from '../api/changes/changes.ts';
import { resource } from '../api/changes/resource.ts';
import type { App } from '../api/http/app.ts';
import { isUnchanged, NotModified } from '../api/http/etag.ts';
import { toList } from '../api/http/list.ts';
import { edit, route } from '../api/http/route.ts';
import { lazyCheck, validItem } from '../api/http/validate.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { newRequester, planCreate, planDelete, planUpdate, requesterNotFound, requireIdentities } from './edits.ts';
import { planImport, readLines } from './import.ts';
import {
  CreateRequester,
  ImportQuery,
  ListRequestersQuery,
  RequesterAnswer,
  RequesterCsv,
  RequesterDeleted,
  RequesterPage,
  RequestersImported,
  requesterAnswer,
  requesterEtag,
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
const editing = { ...writing, ifMatch: true } as const;
const isRequester = lazyCheck(CreateRequester);

export function requesterRoutes(app: App, { db, changes, clock, allowPrivate }: RequesterDeps): void {
  const requesters = resource({
    changes,
    find: (id) => findRequester(db, id),
    notFound: requesterNotFound,
    etag: requesterEtag,
  });

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

  importRoute(app, { db, changes, clock });

  const list = {
    ...reading,
    id: 'listRequesters',
    is: 'List requesters',
    query: ListRequestersQuery,
    answer: RequesterPage,
  };
  route(app, 'GET /v1/requesters', list, async ({ query }) => toList(await listRequesters(db, query), requesterAnswer));

  const read = {
    ...reading,
    id: 'getRequester',
    is: 'Read a requester',
    answers: { 200: RequesterAnswer, 304: NotModified },
  };
  route(app, 'GET /v1/requesters/:id', read, async (request, reply) => {
    const requester = await requesters.get(request.params.id);
    return isUnchanged(request, reply, requesterEtag(requester)) ? reply.send() : requesterAnswer(requester);
  });

  const update = {
    ...editing,
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
    ...editing,
    id: 'deleteRequester',
    is: 'Delete a requester and its licenses',
    answer: RequesterDeleted,
  };
  edit(app, 'DELETE /v1/requesters/:id', remove, (request) =>
    requesters.edit(request, (requester) => planDelete(db, requester, clock.now())),
  );
}

function importRoute(app: App, { db, changes, clock }: Omit<RequesterDeps, 'allowPrivate'>): void {
  const importing = {
    ...writing,
    id: 'importRequesters',
    is: 'Register and edit requesters from CSV',
    csv: true,
    query: ImportQuery,
    body: RequesterCsv,
    answer: RequestersImported,
  } as const;
  edit(app, 'POST /v1/requesters/import', importing, async (request) => {
    const lines = await readLines(request.body, (row) => validItem(CreateRequester, isRequester, row, 'row'));
    const { dryRun: isDry = false, update: mayUpdate = false } = request.query;
    return changes.commit(request, 'requesters', () => planImport(db, lines, { at: clock.now(), isDry, mayUpdate }));
  });
}
