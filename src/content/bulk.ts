/** Plans edits of many items in one transaction. An invalid entry is reported and does not stop the others. */

import type { Change, Edit } from '../api/changes/change.ts';
import { isUnchanged } from '../api/changes/edit.ts';
import { Failure } from '../api/errors.ts';
import { caught, lazyCheck, validItem } from '../api/http/validate.ts';
import type { Db, Step } from '../db/db.ts';
import { mapInSlices } from '../lib/slices.ts';
import { unknownPolicy } from '../policies/edits.ts';
import { findDefaultPolicyId, findPolicies } from '../policies/store.ts';
import type { InForce } from './collections/known.ts';
import { type Content, edited, type StoredPolicy } from './content.ts';
import {
  type ContentEditDeps,
  contentNotFound,
  createdChange,
  deletedChange,
  newContent,
  updatedChange,
} from './edits.ts';
import { CreateContent } from './schema.ts';
import { deleteContent, findContents, insertContent, updateContent } from './store.ts';

const isItem = lazyCheck(CreateContent);

const validOrFailure = (item: unknown): CreateContent | Failure =>
  caught(() => validItem(CreateContent, isItem, item, 'item'));

export async function planBulkUpsert(
  { db, clock, collections }: ContentEditDeps,
  entries: readonly unknown[],
): Promise<Edit> {
  const given = await mapInSlices(entries, validOrFailure);
  const inForce = await collections.read();
  const items = given.filter((item): item is CreateContent => !(item instanceof Failure));
  const stored = { ...(await readStored(db, items)), inForce };
  const now = clock.now();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const steps: Step[] = [];
  const changes: Change[] = [];
  const errors: unknown[] = [];

  await mapInSlices(given, (item, index) => {
    try {
      if (item instanceof Failure) throw item;
      const planned = planItem(item, stored, now);
      counts[planned.outcome]++;
      steps.push(...planned.steps);
      changes.push(...planned.changes);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message, param = null } = error;
      errors.push({ index, externalId: echo(entries[index]), code, message, param });
    }
  });
  return { steps, changes, status: 200, body: { object: 'bulk_upsert', ...counts, failed: errors.length, errors } };
}

interface Stored {
  /** By externalId. */
  items: Map<string, Content>;
  policies: ReadonlyMap<string, unknown>;
  defaultPolicyId: string;
  inForce: InForce;
}

async function readStored(db: Db, items: readonly CreateContent[]): Promise<Omit<Stored, 'inForce'>> {
  const externalIds = items.map(({ externalId }) => externalId);
  const policyIds = items.flatMap(({ policyId }) => policyId ?? []);
  return {
    items: await findContents(db, externalIds),
    policies: await findPolicies(db, policyIds),
    defaultPolicyId: await findDefaultPolicyId(db),
  };
}

/** Throws invalid_request. */
function planItem(
  item: CreateContent,
  stored: Stored,
  at: number,
): Pick<Edit, 'steps' | 'changes'> & { outcome: 'created' | 'updated' | 'unchanged' } {
  const before = stored.items.get(item.externalId);
  if (item.policyId != null && !stored.policies.has(item.policyId)) throw unknownPolicy(item.policyId);
  const policy = toStoredPolicy(item, before, stored.defaultPolicyId);
  const after = before === undefined ? newContent(item, policy, at) : edited(before, item, policy, at);
  if (before !== undefined && isUnchanged(before, after)) return { outcome: 'unchanged', steps: [], changes: [] };
  // A second entry for the same item edits what the first one made.
  stored.items.set(item.externalId, after);
  const { inForce } = stored;
  return before === undefined
    ? { outcome: 'created', steps: [insertContent(after, inForce)], changes: [createdChange(after, inForce)] }
    : { outcome: 'updated', steps: [updateContent(after, inForce)], changes: [updatedChange(before, after, inForce)] };
}

function toStoredPolicy({ policyId }: CreateContent, before: Content | undefined, defaultId: string): StoredPolicy {
  if (policyId != null) return { policyId, ownsPolicy: 1 };
  if (policyId === null || before === undefined) return { policyId: defaultId, ownsPolicy: 0 };
  return { policyId: before.policyId, ownsPolicy: before.ownsPolicy };
}

const ECHO_LENGTH_MAX = 1_000;

/** Returns as much of an entry's externalId as finds it again. */
function echo(item: unknown): string | null {
  const value = (item as { externalId?: unknown } | null)?.externalId;
  return typeof value === 'string' ? value.slice(0, ECHO_LENGTH_MAX) : null;
}

export async function planBulkDelete(
  { db, collections }: Pick<ContentEditDeps, 'db' | 'collections'>,
  ids: readonly unknown[],
): Promise<Edit> {
  const inForce = await collections.read();
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
    changes: await mapInSlices([...doomed.values()], (content) => deletedChange(content, inForce)),
    status: 200,
    body: { object: 'bulk_deletion', deleted: doomed.size, failed: errors.length, errors },
  };
}

const NOT_A_REFERENCE = { code: 'invalid_request', message: 'An id must be a string.' };
