/** Plans the edits of content: what each one writes, announces and answers. */

import type { Change, Edit } from '../changes/change.ts';
import { editOf } from '../changes/edit.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import { requireMetadata } from '../changes/metadata.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { unknownPolicy } from '../policies/edits.ts';
import { findDefaultPolicyId, policyExists } from '../policies/store.ts';
import { CONTENT_PREFIX, type Content, type ContentEdit, contentEtag, edited, FIRST_VALUES } from './content.ts';
import { type CreateContent, contentAnswer, requireExternalId } from './schema.ts';
import { deleteContent, findContent, insertContent, updateContent } from './store.ts';

export interface EditDeps {
  db: Db;
  clock: Clock;
}

/** Resolves an edit's policy: `undefined` keeps `present`, null means the default. Throws invalid_request. */
async function resolvePolicy(db: Db, wanted: string | null | undefined, present?: string): Promise<string> {
  if (wanted === undefined && present !== undefined) return present;
  if (wanted == null) return findDefaultPolicyId(db);
  if (await policyExists(db, wanted)) return wanted;
  throw unknownPolicy(wanted);
}

export const contentNotFound = (ref: string) =>
  fail('content_not_found', `There is no content with the id or externalId ${JSON.stringify(ref.slice(0, 300))}.`);

export const newContent = (body: CreateContent, policyId: string, at: number): Content => ({
  ...FIRST_VALUES,
  ...body,
  no: 0,
  id: newId(CONTENT_PREFIX, at),
  policyId,
  tags: [...new Set(body.tags)],
  status: 'active',
  revision: 1,
  createdAt: at,
  updatedAt: at,
});

export async function planCreate({ db, clock }: EditDeps, body: CreateContent): Promise<Edit> {
  requireExternalId(body.externalId);
  const edit = await planNew({ db, clock }, body);
  const there = await findContent(db, body.externalId);
  if (there !== undefined) {
    throw fail(
      'external_id_exists',
      `Content with this externalId already exists: ${there.id}. Edit it, or use /v1/content/upsert.`,
      { param: 'externalId' },
    );
  }
  return edit;
}

async function planNew({ db, clock }: EditDeps, body: CreateContent): Promise<Edit> {
  requireMetadata(body.metadata ?? {});
  const content = newContent(body, await resolvePolicy(db, body.policyId), clock.now());
  return {
    steps: [insertContent(content)],
    changes: [createdChange(content)],
    status: 201,
    body: contentAnswer(content),
    etag: contentEtag(content),
  };
}

export async function planUpdate({ db, clock }: EditDeps, content: Content, edit: ContentEdit): Promise<Edit> {
  const policyId = await resolvePolicy(db, edit.policyId, content.policyId);
  const next = edited(content, edit, policyId, clock.now());
  requireMetadata(next.metadata);
  return updated(content, next);
}

const updated = (before: Content, after: Content): Edit =>
  editOf(before, after, {
    steps: [updateContent(after)],
    changes: [updatedChange(before, after)],
    answer: (content) => ({ body: contentAnswer(content), etag: contentEtag(content) }),
  });

export const createdChange = (content: Content): Change => ({
  kind: 'content.created',
  id: content.id,
  object: contentAnswer(content),
});

/** Names the change after the status if that changed, even if other fields did too. */
export function updatedChange(before: Content, after: Content): Change {
  let kind: ChangeKind = 'content.updated';
  if (before.status !== after.status) kind = after.status === 'archived' ? 'content.archived' : 'content.restored';
  const change = { kind, id: after.id, object: contentAnswer(after), before: contentAnswer(before) };
  // An item that the same request creates has no number yet.
  return before.no === 0 ? change : { ...change, no: before.no };
}

export const deletedChange = (content: Content): Change => ({
  kind: 'content.deleted',
  id: content.id,
  no: content.no,
  object: contentAnswer(content),
});

/** Edits as PATCH does, and may change the type; never restores an archived item. */
export async function planUpsert({ db, clock }: EditDeps, body: CreateContent): Promise<Edit> {
  requireExternalId(body.externalId);
  const there = await findContent(db, body.externalId);
  // If another request registers the item first, the commit conflicts and is planned again as an edit.
  if (there === undefined) return planNew({ db, clock }, body);
  return planUpdate({ db, clock }, there, body);
}

export async function planDelete(content: Content): Promise<Edit> {
  return {
    steps: deleteContent(content),
    changes: [deletedChange(content)],
    status: 200,
    body: { id: content.id, object: 'content', deleted: true },
  };
}
