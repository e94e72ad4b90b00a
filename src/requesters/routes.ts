/** Register, list, read, edit and delete requesters. */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { editedMetadata, requireMetadata } from '../http/metadata.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { REQUESTER_PREFIX, type Requester } from './requester.ts';
import {
  CreateRequester,
  ListRequestersQuery,
  licenseAnswer,
  RequesterAnswer,
  RequesterDeleted,
  RequesterPage,
  requesterAnswer,
  UpdateRequester,
} from './schema.ts';
import {
  deleteRequester,
  findLicensesOf,
  findRequester,
  insertRequester,
  listRequesters,
  updateRequester,
} from './store.ts';

export interface RequesterDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
}

interface OfRequester {
  Params: { id: string };
}

const read = { permission: 'policies:read' } as const;
const write = { permission: 'policies:write' } as const;
const tags = ['Requesters'];

export function requesterRoutes(app: App, { db, changes, clock }: RequesterDeps): void {
  const get = async (id: string): Promise<Requester> => {
    const requester = await findRequester(db, id);
    if (requester === undefined) throw requesterNotFound(id);
    return requester;
  };

  app.post(
    '/v1/requesters',
    {
      config: write,
      schema: {
        tags,
        operationId: 'createRequester',
        summary: 'Register a requester',
        body: CreateRequester,
        response: { 201: RequesterAnswer },
      },
    },
    async (request, reply) => {
      const requester = newRequester(request.body, clock.now());
      requireMetadata(requester.metadata);
      const committed = await changes.commit(request, requester.id, async () => {
        if ((await findRequester(db, requester.id)) !== undefined) {
          throw fail('requester_exists', `There is a requester ${requester.id} already; edit it instead.`, {
            param: 'id',
          });
        }
        return {
          steps: insertRequester(requester),
          changes: [{ kind: 'requester.created', id: requester.id, object: requesterAnswer(requester) }],
          status: 201,
          body: requesterAnswer(requester),
        };
      });
      return sendCommitted(reply, committed);
    },
  );

  app.get(
    '/v1/requesters',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listRequesters',
        summary: 'List requesters',
        querystring: ListRequestersQuery,
        response: { 200: RequesterPage },
      },
    },
    async (request) => {
      const page = await listRequesters(db, request.query, request.query);
      return { ...page, data: page.data.map(requesterAnswer) };
    },
  );

  app.get<OfRequester>(
    '/v1/requesters/:id',
    {
      config: read,
      schema: { tags, operationId: 'getRequester', summary: 'Read a requester', response: { 200: RequesterAnswer } },
    },
    async (request) => requesterAnswer(await get(request.params.id)),
  );

  app.patch<OfRequester & { Body: UpdateRequester }>(
    '/v1/requesters/:id',
    {
      config: write,
      schema: {
        tags,
        operationId: 'updateRequester',
        summary: 'Edit a requester',
        body: UpdateRequester,
        response: { 200: RequesterAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const before = await get(id);
        const requester = edited(before, request.body, clock.now());
        requireMetadata(requester.metadata);
        return {
          steps: updateRequester(requester, before),
          changes: [
            { kind: 'requester.updated', id, object: requesterAnswer(requester), before: requesterAnswer(before) },
          ],
          status: 200,
          body: requesterAnswer(requester),
        };
      });
      return sendCommitted(reply, committed);
    },
  );

  app.delete<OfRequester>(
    '/v1/requesters/:id',
    {
      config: write,
      schema: {
        tags,
        operationId: 'deleteRequester',
        summary: 'Delete a requester and its licenses',
        response: { 200: RequesterDeleted },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const committed = await changes.commit(request, id, async () => {
        const requester = await get(id);
        const now = clock.now();
        const licenses = await findLicensesOf(db, id);
        const ended = licenses
          .filter(({ status }) => status !== 'revoked')
          .map((license) => ({
            kind: 'license.revoked' as const,
            id: license.id,
            ownerId: id,
            object: licenseAnswer({ ...license, status: 'revoked' }, now),
            before: licenseAnswer(license, now),
          }));
        return {
          steps: deleteRequester(requester, licenses.length, now),
          changes: [...ended, { kind: 'requester.deleted', id, object: requesterAnswer(requester) }],
          status: 200,
          body: { id, object: 'requester', deleted: true },
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}

const requesterNotFound = (id: string) =>
  fail('requester_not_found', `Nobody registered a requester ${JSON.stringify(id.slice(0, 200))}.`);

function newRequester(body: CreateRequester, at: number): Requester {
  const id = body.id ?? newId(REQUESTER_PREFIX, at);
  return {
    no: 0,
    id,
    name: body.name ?? id,
    type: body.type ?? null,
    tags: [...new Set(body.tags ?? [])],
    userAgents: [...new Set(body.userAgents ?? [])],
    metadata: body.metadata ?? {},
    status: body.status ?? 'active',
    createdAt: at,
    updatedAt: at,
  };
}

function edited(before: Requester, edit: UpdateRequester, at: number): Requester {
  return {
    ...before,
    name: edit.name ?? before.name,
    type: edit.type === undefined ? before.type : edit.type,
    tags: edit.tags === undefined ? before.tags : [...new Set(edit.tags)],
    userAgents: edit.userAgents === undefined ? before.userAgents : [...new Set(edit.userAgents)],
    metadata: editedMetadata(before.metadata, edit),
    status: edit.status ?? before.status,
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
}
