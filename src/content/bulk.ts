/** Many items in one request and one transaction; a bad one is reported and never spoils the rest. */

import { Compile } from 'typebox/compile';
import type { Change, Edit } from '../changes/changes.ts';
import type { Db, Step } from '../db/db.ts';
import { Failure } from '../errors.ts';
import { requireMetadata } from '../http/metadata.ts';
import { validItem } from '../http/validate.ts';
import { findDefaultPolicyId, findPolicies } from '../policies/store.ts';
import { type Content, edited } from './content.ts';
import {
  contentNotFound,
  createdChange,
  deletedChange,
  type EditDeps,
  newContent,
  unknownPolicy,
  updatedChange,
  upsertEdit,
} from './edits.ts';
import { CreateContent, requireExternalId } from './schema.ts';
import { deleteContent, findContents, insertContent, updateContent } from './store.ts';

const compiledItem = Compile(CreateContent);

function validOrFailure(item: unknown): CreateContent | Failure {
  try {
    return validItem(CreateContent, compiledItem, item, 'item');
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

export async function planBulkUpsert({ db, clock }: EditDeps, items: readonly unknown[]): Promise<Edit> {
  const given = items.map(validOrFailure);
  const valid = given.filter((item): item is CreateContent => !(item instanceof Failure));
  const known = await findContents(
    db,
    valid.map((item) => item.externalId),
  );
  const policies = await findPolicies(
    db,
    valid.flatMap((item) => item.policyId ?? []),
  );
  const defaultPolicyId = await findDefaultPolicyId(db);
  const now = clock.now();

  const steps: Step[] = [];
  const changes: Change[] = [];
  const errors: unknown[] = [];
  let created = 0;
  let updated = 0;

  function plan(item: CreateContent): void {
    requireExternalId(item.externalId);
    if (item.policyId != null && !policies.has(item.policyId)) throw unknownPolicy(item.policyId);
    const before = known.get(item.externalId);
    const policyId =
      item.policyId ?? (item.policyId === null || before === undefined ? defaultPolicyId : before.policyId);
    const after =
      before === undefined ? newContent(item, policyId, now) : edited(before, upsertEdit(item), policyId, now);
    requireMetadata(after.metadata);
    // The same item twice in one request: the second edits what the first made.
    known.set(item.externalId, after);
    if (before === undefined) {
      created++;
      steps.push(insertContent(after));
      changes.push(createdChange(after));
    } else {
      updated++;
      steps.push(updateContent(after));
      changes.push(updatedChange(before, after));
    }
  }

  for (const [index, item] of given.entries()) {
    try {
      if (item instanceof Failure) throw item;
      plan(item);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      errors.push({
        index,
        externalId: externalIdOf(items[index]),
        code: error.code,
        message: error.message,
        param: error.param ?? null,
      });
    }
  }
  return {
    steps,
    changes,
    status: 200,
    body: { object: 'bulk_upsert', created, updated, failed: errors.length, errors },
  };
}

function externalIdOf(item: unknown): string | null {
  const value = (item as { externalId?: unknown } | null)?.externalId;
  return typeof value === 'string' ? value : null;
}

export async function planBulkDelete(db: Db, ids: readonly unknown[]): Promise<Edit> {
  const found = await findContents(
    db,
    ids.filter((id) => typeof id === 'string'),
  );
  const doomed = new Map<string, Content>();
  const errors: unknown[] = [];
  const missing = new Set<unknown>();
  for (const id of ids) {
    const content = typeof id === 'string' ? found.get(id) : undefined;
    if (content !== undefined) doomed.set(content.id, content);
    else if (!missing.has(id)) {
      missing.add(id);
      const { code, message } = typeof id === 'string' ? contentNotFound(id) : NOT_A_REFERENCE;
      errors.push({ id: typeof id === 'string' ? id : null, code, message });
    }
  }
  return {
    steps: [...doomed.values()].flatMap(deleteContent),
    changes: [...doomed.values()].map(deletedChange),
    status: 200,
    body: { object: 'bulk_deletion', deleted: doomed.size, failed: errors.length, errors },
  };
}

const NOT_A_REFERENCE = { code: 'invalid_request', message: 'An id must be a string.' };
