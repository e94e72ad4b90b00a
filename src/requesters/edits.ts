/** Plans the edits of requesters: what each one writes, announces and answers. */
import type { Edit } from '../api/changes/change.ts';
import { toEdit } from '../api/changes/edit.ts';
import { editedMetadata } from '../api/changes/metadata.ts';
import { fail } from '../api/errors.ts';
import type { Db } from '../db/db.ts';
import { newId } from '../lib/id.ts';
import { findUrlFault } from '../lib/outgoing/address.ts';
import { findIdentityFault, type Identity } from '../rules/crawlers/identity.ts';
import { FIRST_VALUES, PSEUDONYM_PREFIX, REQUESTER_PREFIX, type Requester } from './requester.ts';
import { type CreateRequester, licenseAnswer, requesterAnswer, requesterEtag, type UpdateRequester } from './schema.ts';
import {
  deleteRequester,
  findErasing,
  findRequester,
  findRequesterLicenses,
  insertRequester,
  updateRequester,
} from './store.ts';
import { changed } from './tokens/edits.ts';
import { findRequesterTokens, revokeRequesterTokens } from './tokens/store.ts';

export const requesterNotFound = (id: string) =>
  fail('requester_not_found', `There is no requester ${JSON.stringify(id.slice(0, 200))}.`);

/** Throws invalid_request. `allowPrivate` accepts lists and agents with http and private addresses. */
export function requireIdentities(identities: readonly Identity[] | undefined, allowPrivate: boolean): void {
  const fault = findIdentityFault(identities ?? [], (url) => findUrlFault(url, allowPrivate));
  if (fault !== undefined) throw fail('invalid_request', fault.message, { param: fault.param });
}

export function newRequester(body: CreateRequester, at: number): Requester {
  const id = body.id ?? newId(REQUESTER_PREFIX, at);
  const requester = {
    ...FIRST_VALUES,
    name: id,
    ...body,
    no: 0,
    id,
    tags: [...new Set(body.tags)],
    userAgents: [...new Set(body.userAgents)],
    createdAt: at,
    updatedAt: at,
  };
  return requester;
}

/** Throws requester_exists: what is registered during an erasure would be erased in part. */
export async function requireNotErasing(db: Db, ids: readonly string[]): Promise<void> {
  const [id] = await findErasing(db, ids);
  if (id === undefined) return;
  throw fail('requester_exists', `Requester ${id} is being erased; register it when that is done.`, { param: 'id' });
}

const PSEUDONYM = new RegExp(`^${PSEUDONYM_PREFIX}[0-9a-z]{26}$`);

/** Throws invalid_request. A pseudonym would inherit what an erased requester is counted and named for. */
export function requireUsableId(id: string): void {
  const fault = /^\.\.?$/.test(id)
    ? 'clients resolve it in the path of a URL. Add a letter or a digit.'
    : PSEUDONYM.test(id)
      ? 'erased requesters are counted under such ids. Choose another one.'
      : undefined;
  if (fault !== undefined) throw fail('invalid_request', `\`${id}\` cannot be an id: ${fault}`, { param: 'id' });
}

/** Throws requester_exists. */
export async function planCreate(db: Db, requester: Requester): Promise<Edit> {
  requireUsableId(requester.id);
  if ((await findRequester(db, requester.id)) !== undefined) {
    throw fail('requester_exists', `Requester ${requester.id} already exists; edit it instead.`, { param: 'id' });
  }
  await requireNotErasing(db, [requester.id]);
  const answer = requesterAnswer(requester);
  return {
    steps: insertRequester(requester),
    changes: [{ kind: 'requester.created', id: requester.id, object: answer }],
    status: 201,
    body: answer,
    etag: requesterEtag(requester),
  };
}

/** Throws invalid_request. */
export function planUpdate(before: Requester, edit: UpdateRequester, at: number): Edit {
  const { metadataReplace, ...fields } = edit;
  const after: Requester = {
    ...before,
    ...fields,
    tags: [...new Set(edit.tags ?? before.tags)],
    userAgents: [...new Set(edit.userAgents ?? before.userAgents)],
    metadata: editedMetadata(before.metadata, edit),
    updatedAt: Math.max(at, before.updatedAt + 1),
  };
  return toEdit(before, after, {
    steps: updateRequester(after, before),
    changes: [
      { kind: 'requester.updated', id: before.id, object: requesterAnswer(after), before: requesterAnswer(before) },
    ],
    answer: (requester) => ({ body: requesterAnswer(requester), etag: requesterEtag(requester) }),
  });
}

/** Announces the licenses and tokens that end with the requester as revoked. */
export async function planDelete(db: Db, requester: Requester, at: number): Promise<Edit> {
  const { id } = requester;
  const [licenses, tokens] = await Promise.all([findRequesterLicenses(db, id), findRequesterTokens(db, id)]);
  const ended = licenses
    .filter(({ status }) => status !== 'revoked')
    .map((license) => ({
      kind: 'license.revoked' as const,
      id: license.id,
      ownerId: id,
      object: licenseAnswer({ ...license, status: 'revoked' }, at),
      before: licenseAnswer(license, at),
    }));
  return {
    steps: [revokeRequesterTokens(id, tokens.length, at), ...deleteRequester(requester, licenses.length, at)],
    changes: [
      ...tokens.map((token) => changed('requester_token.revoked', token)),
      ...ended,
      { kind: 'requester.deleted', id, object: requesterAnswer(requester) },
    ],
    status: 200,
    body: { id, object: 'requester', deleted: true },
  };
}
