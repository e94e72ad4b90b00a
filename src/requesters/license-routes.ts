/** Give, list, read, edit, revoke and delete licences. */
import type { Change, Edit } from '../changes/changes.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import { fail } from '../errors.ts';
import { parseMoment } from '../http/formats.ts';
import { editedMetadata, requireMetadata } from '../http/metadata.ts';
import { sendCommitted } from '../http/reply.ts';
import type { App } from '../http/server.ts';
import { newId } from '../lib/id.ts';
import { LICENSE_PREFIX, type License } from './license.ts';
import type { RequesterDeps } from './routes.ts';
import {
  CreateLicense,
  LicenseAnswer,
  LicenseDeleted,
  LicensePage,
  ListLicensesQuery,
  licenseAnswer,
  UpdateLicense,
} from './schema.ts';
import { deleteLicense, findLicense, findRequester, insertLicense, listLicenses, updateLicense } from './store.ts';

interface OfLicense {
  Params: { id: string };
}

const read = { permission: 'policies:read' } as const;
const write = { permission: 'policies:write' } as const;
const tags = ['Licenses'];

export function licenseRoutes(app: App, { db, changes, clock }: RequesterDeps): void {
  const get = async (id: string): Promise<License> => {
    const license = await findLicense(db, id);
    if (license === undefined) throw fail('license_not_found', `There is no license ${id.slice(0, 100)}.`);
    return license;
  };

  const changed = (license: License, kind: ChangeKind): Change => ({
    kind,
    id: license.id,
    ownerId: license.requesterId,
    object: licenseAnswer(license, clock.now()),
  });

  const updated = (before: License, license: License, kind: ChangeKind): Edit => ({
    steps: updateLicense(license, before),
    changes: [{ ...changed(license, kind), before: licenseAnswer(before, clock.now()) }],
    status: 200,
    body: licenseAnswer(license, clock.now()),
  });

  app.post(
    '/v1/licenses',
    {
      config: write,
      schema: {
        tags,
        operationId: 'createLicense',
        summary: 'Give a license',
        body: CreateLicense,
        response: { 201: LicenseAnswer },
      },
    },
    async (request, reply) => {
      const license = newLicense(request.body, clock.now());
      requireBounds(license);
      const committed = await changes.commit(request, license.requesterId, async () => {
        if ((await findRequester(db, license.requesterId)) === undefined) {
          throw fail('invalid_request', `Nobody registered a requester ${license.requesterId}; register it first.`, {
            param: 'requesterId',
          });
        }
        return {
          steps: insertLicense(license),
          changes: [changed(license, 'license.created')],
          status: 201,
          body: licenseAnswer(license, clock.now()),
        };
      });
      return sendCommitted(reply, committed);
    },
  );

  app.get(
    '/v1/licenses',
    {
      config: read,
      schema: {
        tags,
        operationId: 'listLicenses',
        summary: 'List licenses',
        querystring: ListLicensesQuery,
        response: { 200: LicensePage },
      },
    },
    async ({ query: { expiresBefore, expiresAfter, ...query } }) => {
      const filter = {
        ...query,
        ...(expiresBefore === undefined ? {} : { expiresBefore: parseMoment(expiresBefore) ?? 0 }),
        ...(expiresAfter === undefined ? {} : { expiresAfter: parseMoment(expiresAfter) ?? 0 }),
      };
      const page = await listLicenses(db, filter, query);
      return { ...page, data: page.data.map((license) => licenseAnswer(license, clock.now())) };
    },
  );

  app.get<OfLicense>(
    '/v1/licenses/:id',
    {
      config: read,
      schema: { tags, operationId: 'getLicense', summary: 'Read a license', response: { 200: LicenseAnswer } },
    },
    async (request) => licenseAnswer(await get(request.params.id), clock.now()),
  );

  app.patch<OfLicense & { Body: UpdateLicense }>(
    '/v1/licenses/:id',
    {
      config: write,
      schema: {
        tags,
        operationId: 'updateLicense',
        summary: 'Edit a license',
        body: UpdateLicense,
        response: { 200: LicenseAnswer },
      },
    },
    async (request, reply) => {
      const committed = await changes.commit(request, request.params.id, async () => {
        const before = await get(request.params.id);
        if (before.status === 'revoked' && request.body.status !== undefined) {
          throw fail('invalid_request', 'A revoked license stays revoked; give a new one.', { param: 'status' });
        }
        const license = edited(before, request.body, clock.now());
        requireBounds(license);
        return updated(before, license, 'license.updated');
      });
      return sendCommitted(reply, committed);
    },
  );

  app.post<OfLicense>(
    '/v1/licenses/:id/revoke',
    {
      config: write,
      schema: {
        tags,
        operationId: 'revokeLicense',
        summary: 'Revoke a license for good',
        response: { 200: LicenseAnswer },
      },
    },
    async (request, reply) => {
      const committed = await changes.commit(request, request.params.id, async () => {
        const before = await get(request.params.id);
        if (before.status === 'revoked') {
          return { steps: [], changes: [], status: 200, body: licenseAnswer(before, clock.now()) };
        }
        const at = Math.max(clock.now(), before.updatedAt + 1);
        return updated(before, { ...before, status: 'revoked', updatedAt: at }, 'license.revoked');
      });
      return sendCommitted(reply, committed);
    },
  );

  app.delete<OfLicense>(
    '/v1/licenses/:id',
    {
      config: write,
      schema: { tags, operationId: 'deleteLicense', summary: 'Delete a license', response: { 200: LicenseDeleted } },
    },
    async (request, reply) => {
      const committed = await changes.commit(request, request.params.id, async () => {
        const license = await get(request.params.id);
        return {
          steps: deleteLicense(license, clock.now()),
          changes: [
            {
              ...changed({ ...license, status: 'revoked' }, 'license.revoked'),
              before: licenseAnswer(license, clock.now()),
            },
          ],
          status: 200,
          body: { id: license.id, object: 'license', deleted: true },
        };
      });
      return sendCommitted(reply, committed);
    },
  );
}

const momentOf = (text: string | null | undefined): number | null =>
  text == null ? null : (parseMoment(text) ?? null);

function newLicense(body: CreateLicense, at: number): License {
  return {
    id: newId(LICENSE_PREFIX, at),
    requesterId: body.requesterId,
    type: body.type,
    features: [...new Set(body.features ?? [])],
    scope: body.scope ?? null,
    startsAt: momentOf(body.startsAt),
    expiresAt: momentOf(body.expiresAt),
    status: body.status ?? 'active',
    metadata: body.metadata ?? {},
    createdAt: at,
    updatedAt: at,
  };
}

function edited(before: License, edit: UpdateLicense, at: number): License {
  return {
    ...before,
    type: edit.type ?? before.type,
    features: edit.features === undefined ? before.features : [...new Set(edit.features)],
    scope: edit.scope === undefined ? before.scope : edit.scope,
    startsAt: edit.startsAt === undefined ? before.startsAt : momentOf(edit.startsAt),
    expiresAt: edit.expiresAt === undefined ? before.expiresAt : momentOf(edit.expiresAt),
    status: edit.status ?? before.status,
    metadata: editedMetadata(before.metadata, edit),
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
}

/** Throws invalid_request. */
function requireBounds(license: License): void {
  requireMetadata(license.metadata);
  if (license.startsAt !== null && license.expiresAt !== null && license.startsAt >= license.expiresAt) {
    throw fail('invalid_request', '`expiresAt` must be after `startsAt`.', { param: 'expiresAt' });
  }
}
