/** What an edit of content writes, announces and answers. */

import type { Change, Edit } from '../changes/changes.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { requireMetadata } from '../http/metadata.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/id.ts';
import { findDefaultPolicyId, policyExists } from '../policies/store.ts';
import { CONTENT_PREFIX, type Content, type ContentEdit, contentEtag, edited } from './content.ts';
import { type CreateContent, contentAnswer, requireExternalId, type UpdateContent } from './schema.ts';
import { deleteContent, findContent, insertContent, updateContent } from './store.ts';

export interface EditDeps {
  db: Db;
  clock: Clock;
}

/** The policy an edit asks for: `undefined` keeps the present one, null means the default. Throws invalid_request. */
async function resolvePolicy(db: Db, wanted: string | null | undefined, present?: string): Promise<string> {
  if (wanted === undefined && present !== undefined) return present;
  if (wanted == null) return findDefaultPolicyId(db);
  if (await policyExists(db, wanted)) return wanted;
  throw unknownPolicy(wanted);
}

export const contentNotFound = (ref: string) =>
  fail('content_not_found', `There is no content with the id or externalId ${JSON.stringify(ref.slice(0, 300))}.`);

export const unknownPolicy = (id: string) =>
  fail('invalid_request', `There is no policy ${id}. Create it first, or leave policyId out for the default policy.`, {
    param: 'policyId',
  });

export function newContent(body: CreateContent, policyId: string, at: number): Content {
  return {
    no: 0,
    id: newId(CONTENT_PREFIX, at),
    externalId: body.externalId,
    title: body.title,
    type: body.type,
    source: body.source,
    policyId,
    metadata: body.metadata ?? {},
    tags: [...new Set(body.tags ?? [])],
    status: 'active',
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
}

export async function planCreate({ db, clock }: EditDeps, body: CreateContent): Promise<Edit> {
  requireExternalId(body.externalId);
  requireMetadata(body.metadata ?? {});
  const policyId = await resolvePolicy(db, body.policyId);
  const there = await findContent(db, body.externalId);
  if (there !== undefined) {
    throw fail(
      'external_id_exists',
      `There is content with this externalId already: ${there.id}. Edit it, or use /v1/content/upsert.`,
      { param: 'externalId' },
    );
  }
  return created(newContent(body, policyId, clock.now()));
}

const created = (content: Content): Edit => ({
  steps: [insertContent(content)],
  changes: [createdChange(content)],
  status: 201,
  body: contentAnswer(content),
  etag: contentEtag(content),
});

export async function planUpdate({ db, clock }: EditDeps, content: Content, edit: UpdateContent): Promise<Edit> {
  const policyId = await resolvePolicy(db, edit.policyId, content.policyId);
  const next = edited(content, edit, policyId, clock.now());
  requireMetadata(next.metadata);
  return updated(content, next);
}

const updated = (before: Content, content: Content): Edit => ({
  steps: [updateContent(content)],
  changes: [updatedChange(before, content)],
  status: 200,
  body: contentAnswer(content),
  etag: contentEtag(content),
});

export const createdChange = (content: Content): Change => ({
  kind: 'content.created',
  id: content.id,
  object: contentAnswer(content),
});

/** A change of status is what others want to hear of first. */
export function updatedChange(before: Content, after: Content): Change {
  let kind: ChangeKind = 'content.updated';
  if (before.status !== after.status) kind = after.status === 'archived' ? 'content.archived' : 'content.restored';
  const change = { kind, id: after.id, object: contentAnswer(after), before: contentAnswer(before) };
  // An item that the same request made has no number yet.
  return before.no === 0 ? change : { ...change, no: before.no };
}

export const deletedChange = (content: Content): Change => ({
  kind: 'content.deleted',
  id: content.id,
  no: content.no,
  object: contentAnswer(content),
});

/** Upsert edits as PATCH does, and may change the type; it never un-archives. */
export function upsertEdit(body: CreateContent): ContentEdit {
  const { externalId, ...edit } = body;
  return edit;
}

export async function planUpsert({ db, clock }: EditDeps, body: CreateContent): Promise<Edit> {
  requireExternalId(body.externalId);
  const there = await findContent(db, body.externalId);
  if (there === undefined) return planCreate({ db, clock }, body);
  return planUpdate({ db, clock }, there, upsertEdit(body));
}

export async function planDelete(content: Content): Promise<Edit> {
  return {
    steps: deleteContent(content),
    changes: [deletedChange(content)],
    status: 200,
    body: { id: content.id, object: 'content', deleted: true },
  };
}
