/** Plans the edits of requests for licenses: what each one writes, announces and answers. */
import type { Change, Edit } from '../../api/changes/change.ts';
import type { ChangeKind } from '../../api/changes/kinds.ts';
import { type Failure, fail } from '../../api/errors.ts';
import { findCollection } from '../../content/collections/store.ts';
import type { Db } from '../../db/db.ts';
import { parseIso } from '../../lib/clock.ts';
import { newId } from '../../lib/id.ts';
import { newLicense, planCreate } from '../licenses/edits.ts';
import { type LicenseRequest, OPEN_MAX, REQUEST_PREFIX } from './request.ts';
import { type CreateRequest, type GrantRequest, requestAnswer } from './schema.ts';
import { answerRequest, countOpen, findRequest, findUngranted, insertOnlyRequest, insertRequest } from './store.ts';

const changed = (kind: ChangeKind, request: LicenseRequest, before?: LicenseRequest): Change => ({
  kind,
  id: request.id,
  ownerId: request.requesterId,
  object: requestAnswer(request),
  ...(before === undefined ? {} : { before: requestAnswer(before) }),
});

/** Throws invalid_request, too_many_license_requests. */
export async function planRequest(db: Db, requesterId: string, body: CreateRequest, at: number): Promise<Edit> {
  const request = await newRequest(db, requesterId, body, at);
  return { ...planned(request), steps: [insertRequest(request)] };
}

const planned = (request: LicenseRequest): Omit<Edit, 'steps'> => ({
  changes: [changed('license.requested', request)],
  status: 201,
  body: requestAnswer(request),
});

async function newRequest(db: Db, requesterId: string, body: CreateRequest, at: number): Promise<LicenseRequest> {
  const { licenseType, collectionId = null, note = null } = body;
  if (collectionId !== null && (await findCollection(db, collectionId)) === undefined) {
    throw fail('invalid_request', `There is no collection with the id ${JSON.stringify(collectionId)}.`, {
      param: 'collectionId',
    });
  }
  if ((await countOpen(db, requesterId)) >= OPEN_MAX) {
    const message = `You have ${OPEN_MAX} open requests. Wait for the publisher's answers.`;
    throw fail('too_many_license_requests', message);
  }
  const id = newId(REQUEST_PREFIX, at);
  const asked = { id, requesterId, licenseType, collectionId, note, createdAt: at, updatedAt: at };
  return { ...asked, status: 'open', answer: null, licenseId: null };
}

/** Plans the request unless it was made already: a machine repeats it. Throws as `planRequest` does. */
export async function planRequestOnce(db: Db, requesterId: string, body: CreateRequest, at: number): Promise<Edit> {
  const asked = { requesterId, licenseType: body.licenseType, collectionId: body.collectionId ?? null };
  const before = await findUngranted(db, asked);
  if (before !== undefined) return { steps: [], changes: [], status: 200, body: requestAnswer(before) };
  const request = await newRequest(db, requesterId, body, at);
  return { ...planned(request), steps: [insertOnlyRequest(request)] };
}

/**
 * Creates the license in the same transaction. Throws license_request_not_found, license_request_closed and
 * invalid_request.
 */
export async function planGrant(db: Db, id: string, body: GrantRequest, at: number): Promise<Edit> {
  const before = await getOpen(db, id);
  requirePrice(body);
  const { answer = null, free: _free, ...fields } = body;
  const { requesterId, licenseType } = before;
  const scope = await grantedScope(db, before, fields.scope);
  const expiresAt = fields.expiresAt === undefined ? yearAfter(fields.startsAt, at) : fields.expiresAt;
  const license = newLicense({ type: licenseType, ...fields, scope, expiresAt, requesterId }, at);
  const created = await planCreate(db, license, at);
  const after: LicenseRequest = { ...before, status: 'granted', answer, licenseId: license.id, updatedAt: at };
  return {
    steps: [...created.steps, answerRequest(after)],
    changes: [...created.changes, changed('license_request.granted', after, before)],
    status: 200,
    body: requestAnswer(after),
  };
}

/** A license without terms is never billed, so a field that is left out must not grant one. Throws invalid_request. */
function requirePrice({ terms = null, free = false }: GrantRequest): void {
  if ((terms === null) === free) return;
  const message = free
    ? 'A license with `terms` has prices. Leave out `free`, or the terms.'
    : 'State what the license costs: send its `terms`, or `free: true` for a license that is never billed.';
  throw fail('invalid_request', message, { param: free ? 'free' : 'terms' });
}

/**
 * Returns the scope of the license: a request for one collection must not become a license for others because a field
 * was left out. Throws invalid_request.
 */
async function grantedScope(
  db: Db,
  { collectionId }: LicenseRequest,
  scope: GrantRequest['scope'],
): Promise<GrantRequest['scope']> {
  if (collectionId === null || scope === null || scope?.collectionIds !== undefined) return scope;
  if ((await findCollection(db, collectionId)) !== undefined) return { ...scope, collectionIds: [collectionId] };
  if (scope !== undefined) return scope;
  const message = 'The collection of the request was deleted; say in `scope` what the license covers.';
  throw fail('invalid_request', message, { param: 'scope' });
}

/** A license without an end must have been chosen. */
const yearAfter = (startsAt: string | null | undefined, at: number): string =>
  Temporal.Instant.fromEpochMilliseconds(startsAt == null ? at : (parseIso(startsAt) ?? at))
    .toZonedDateTimeISO('UTC')
    .add({ years: 1 })
    .toInstant()
    .toString({ fractionalSecondDigits: 3 });

/** Throws license_request_not_found, license_request_closed. */
export async function planDecline(db: Db, id: string, answer: string | null, at: number): Promise<Edit> {
  const before = await getOpen(db, id);
  const after: LicenseRequest = { ...before, status: 'declined', answer, updatedAt: at };
  return {
    steps: [answerRequest(after)],
    changes: [changed('license_request.declined', after, before)],
    status: 200,
    body: requestAnswer(after),
  };
}

export const requestNotFound = (id: string): Failure =>
  fail('license_request_not_found', `There is no request for a license ${id.slice(0, 100)}.`);

async function getOpen(db: Db, id: string): Promise<LicenseRequest> {
  const request = await findRequest(db, id);
  if (request === undefined) throw requestNotFound(id);
  if (request.status === 'open') return request;
  throw fail('license_request_closed', `The request was ${request.status} already; its answer is final.`);
}
