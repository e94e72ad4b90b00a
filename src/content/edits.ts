/** Plans the edits of content: what each one writes, announces and answers. */

import type { Change, Edit } from '../api/changes/change.ts';
import { toEdit } from '../api/changes/edit.ts';
import type { ChangeKind } from '../api/changes/kinds.ts';
import { fail } from '../api/errors.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { unknownPolicy } from '../policies/edits.ts';
import { findDefaultPolicyId, policyExists } from '../policies/store.ts';
import type { InForce, KnownCollections } from './collections/known.ts';
import { CONTENT_PREFIX, type Content, type ContentEdit, edited, FIRST_VALUES, type StoredPolicy } from './content.ts';
import { findContentWarnings, withWarnings } from './same-file.ts';
import { type CreateContent, contentAnswer, contentEtag } from './schema.ts';
import { deleteContent, findContent, insertContent, updateContent } from './store.ts';

export interface ContentEditDeps {
  db: Db;
  clock: Clock;
  collections: Pick<KnownCollections, 'read'>;
}

/** An item with what places it, which was read before it. */
export interface ItemToEdit {
  content: Content;
  inForce: InForce;
}

export async function findPlaced(
  { db, collections }: Pick<ContentEditDeps, 'db' | 'collections'>,
  ref: string,
): Promise<ItemToEdit | undefined> {
  const inForce = await collections.read();
  const content = await findContent(db, ref);
  return content && { content, inForce };
}

/** Resolves an edit's policy: `undefined` keeps `present`, null means none of its own. Throws invalid_request. */
async function resolvePolicy(db: Db, wanted: string | null | undefined, present?: StoredPolicy): Promise<StoredPolicy> {
  if (wanted === undefined && present !== undefined)
    return { policyId: present.policyId, ownsPolicy: present.ownsPolicy };
  if (wanted == null) return { policyId: await findDefaultPolicyId(db), ownsPolicy: 0 };
  if (await policyExists(db, wanted)) return { policyId: wanted, ownsPolicy: 1 };
  throw unknownPolicy(wanted);
}

export const contentNotFound = (ref: string) =>
  fail('content_not_found', `There is no content with the id or externalId ${JSON.stringify(ref.slice(0, 300))}.`);

export const newContent = (body: CreateContent, policy: StoredPolicy, at: number): Content => ({
  ...FIRST_VALUES,
  ...body,
  no: 0,
  id: newId(CONTENT_PREFIX, at),
  ...policy,
  tags: [...new Set(body.tags)],
  status: 'active',
  revision: 1,
  createdAt: at,
  updatedAt: at,
});

export async function planCreate(deps: ContentEditDeps, body: CreateContent): Promise<Edit> {
  const edit = await planNew(deps, body);
  const there = await findContent(deps.db, body.externalId);
  if (there !== undefined) {
    throw fail(
      'external_id_exists',
      `Content with this externalId already exists: ${there.id}. Edit it, or use /v1/content/upsert.`,
      { param: 'externalId' },
    );
  }
  return edit;
}

async function planNew({ db, clock, collections }: ContentEditDeps, body: CreateContent): Promise<Edit> {
  const inForce = await collections.read();
  const content = newContent(body, await resolvePolicy(db, body.policyId), clock.now());
  const [warnings] = await findContentWarnings(db, [content], inForce);
  return {
    steps: [insertContent(content, inForce)],
    changes: [createdChange(content, inForce)],
    status: 201,
    body: withWarnings(contentAnswer(content, inForce), warnings),
    etag: contentEtag(content, inForce),
  };
}

export async function planUpdate(
  { db, clock }: Pick<ContentEditDeps, 'db' | 'clock'>,
  found: ItemToEdit,
  edit: ContentEdit,
): Promise<Edit> {
  const { content, inForce } = found;
  const next = edited(content, edit, await resolvePolicy(db, edit.policyId, content), clock.now());
  const [warnings] = await findContentWarnings(db, [next], inForce);
  return toEdit(content, next, {
    steps: [updateContent(next, inForce)],
    changes: [updatedChange(content, next, inForce)],
    answer: (after) => ({
      body: withWarnings(contentAnswer(after, inForce), warnings),
      etag: contentEtag(after, inForce),
    }),
  });
}

export const createdChange = (content: Content, inForce: InForce): Change => ({
  kind: 'content.created',
  id: content.id,
  object: contentAnswer(content, inForce),
});

/** Names the change after the status if that changed, even if other fields did too. */
export function updatedChange(before: Content, after: Content, inForce: InForce): Change {
  let kind: ChangeKind = 'content.updated';
  if (before.status !== after.status) kind = after.status === 'archived' ? 'content.archived' : 'content.restored';
  const change = {
    kind,
    id: after.id,
    object: contentAnswer(after, inForce),
    before: contentAnswer(before, inForce),
  };
  // An item that the same request creates has no number yet.
  return before.no === 0 ? change : { ...change, no: before.no };
}

export const deletedChange = (content: Content, inForce: InForce): Change => ({
  kind: 'content.deleted',
  id: content.id,
  no: content.no,
  object: contentAnswer(content, inForce),
});

/** Edits as PATCH does, and may change the type; never restores an archived item. */
export async function planUpsert(deps: ContentEditDeps, body: CreateContent): Promise<Edit> {
  const there = await findPlaced(deps, body.externalId);
  // If another request registers the item first, the commit conflicts and is planned again as an edit.
  return there === undefined ? planNew(deps, body) : planUpdate(deps, there, body);
}

export async function planDelete({ content, inForce }: ItemToEdit): Promise<Edit> {
  return {
    steps: deleteContent(content),
    changes: [deletedChange(content, inForce)],
    status: 200,
    body: { id: content.id, object: 'content', deleted: true },
  };
}
