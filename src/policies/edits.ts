/** Plans the edits of policies: what each one writes, announces and answers. Every edit adds a version. */

import type { Edit } from '../api/changes/change.ts';
import { toEdit } from '../api/changes/edit.ts';
import type { ChangeKind } from '../api/changes/kinds.ts';
import { fail } from '../api/errors.ts';
import type { Db } from '../db/db.ts';
import { newId } from '../lib/id.ts';
import { lintInSlices } from '../rules/lint/lint.ts';
import type { FindVerifiable } from '../rules/lint/unverified.ts';
import { DEFAULT_POLICY_ID, POLICY_PREFIX, type Policy, type PolicyVersion } from '../rules/policy.ts';
import { endPolicyCandidate } from './candidate-store.ts';
import { type CreatePolicy, policyAnswer, policyEtag, type UpdatePolicy } from './schema.ts';
import { deletePolicy, findVersion, insertPolicy, policyInUse, setDefaultPolicy, updatePolicy } from './store.ts';

/** The refusal of a record's `policyId`. */
export const unknownPolicy = (id: string, param = 'policyId') =>
  fail('invalid_request', `There is no policy ${id}. Create it first, or leave policyId out for the default policy.`, {
    param,
  });

export function newPolicy(body: CreatePolicy, at: number): Policy {
  return {
    no: 0,
    id: newId(POLICY_PREFIX, at),
    version: 1,
    name: body.name,
    description: body.description ?? null,
    rules: body.rules,
    defaultAction: body.defaultAction ?? 'deny',
    isDefault: false,
    createdAt: at,
    updatedAt: at,
  };
}

export const planCreate = (policy: Policy): Edit => ({
  steps: insertPolicy(policy),
  changes: [{ kind: 'policy.created', id: policy.id, object: policyAnswer(policy) }],
  status: 201,
  body: policyAnswer(policy),
  etag: policyEtag(policy),
});

export const newVersion = (before: Policy, policy: Policy, kind: ChangeKind): Pick<Edit, 'steps' | 'changes'> => ({
  steps: updatePolicy(policy),
  changes: [{ kind, id: policy.id, object: policyAnswer(policy), before: policyAnswer(before) }],
});

export const toPolicyReply = (policy: Policy): Pick<Edit, 'body' | 'etag'> => ({
  body: policyAnswer(policy),
  etag: policyEtag(policy),
});

export function planUpdate(before: Policy, edit: UpdatePolicy, at: number): Edit {
  const next: Policy = {
    ...before,
    name: edit.name ?? before.name,
    description: edit.description === undefined ? before.description : edit.description,
    rules: edit.rules ?? before.rules,
    defaultAction: edit.defaultAction ?? before.defaultAction,
    version: before.version + 1,
    updatedAt: at,
  };
  return toEdit(before, next, { ...newVersion(before, next, 'policy.updated'), answer: toPolicyReply });
}

/** Adds a version with the content of an old one, even if nothing changes. Throws policy_version_not_found. */
export async function planRollback(db: Db, before: Policy, version: number, at: number): Promise<Edit> {
  const { name, description, rules, defaultAction } = await getVersion(db, before, version);
  const next: Policy = {
    ...before,
    name,
    description,
    rules,
    defaultAction,
    version: before.version + 1,
    updatedAt: at,
  };
  return { ...newVersion(before, next, 'policy.rolled_back'), status: 200, ...toPolicyReply(next) };
}

/** Throws policy_version_not_found. */
export async function getVersion(
  db: Db,
  policy: Policy,
  version: number,
): Promise<PolicyVersion & { createdAt: number }> {
  const found = await findVersion(db, policy.no, version);
  if (found !== undefined) return found;
  throw fail(
    'policy_version_not_found',
    `Policy ${policy.id} has the versions 1 to ${policy.version}, not ${version}.`,
  );
}

export function planMakeDefault(policy: Policy, at: number): Edit {
  const next: Policy = { ...policy, isDefault: true };
  return toEdit(policy, next, {
    steps: setDefaultPolicy(policy.id, at),
    changes: [{ kind: 'policy.updated', id: policy.id, object: policyAnswer(next), before: policyAnswer(policy) }],
    answer: toPolicyReply,
  });
}

/** Throws default_policy, policy_in_use. */
export async function planDelete(db: Db, policy: Policy): Promise<Edit> {
  if (policy.isDefault || policy.id === DEFAULT_POLICY_ID) {
    throw fail('default_policy', 'The default policy cannot be deleted; edit it instead.');
  }
  if (await policyInUse(db, policy.id)) {
    throw fail(
      'policy_in_use',
      'Content (perhaps archived) or a collection still has this policy; give it another one first.',
    );
  }
  return {
    steps: [deletePolicy(policy), ...endPolicyCandidate(policy.id)],
    changes: [{ kind: 'policy.deleted', id: policy.id, object: policyAnswer(policy) }],
    status: 200,
    body: { id: policy.id, object: 'policy', deleted: true },
  };
}

/** Adds warnings to the answer of an edit, which has rules and a default action. */
export async function withWarnings(findVerifiable: FindVerifiable, edit: Edit): Promise<Edit> {
  const body = edit.body as Pick<Policy, 'rules' | 'defaultAction'>;
  const warnings = await lintInSlices(body.rules, body.defaultAction, await findVerifiable(body.rules));
  return { ...edit, body: { ...body, warnings } };
}
