/** What an edit of a policy writes, announces and answers. Every one of them is a new version; history only grows. */
import type { Edit } from '../changes/changes.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { newId } from '../lib/id.ts';
import { lint } from './lint.ts';
import { DEFAULT_POLICY_ID, POLICY_PREFIX, type Policy, type PolicyVersion } from './policy.ts';
import { type CreatePolicy, policyAnswer, policyEtag, type UpdatePolicy } from './schema.ts';
import { deletePolicy, findVersion, insertPolicy, policyInUse, setDefaultPolicy, updatePolicy } from './store.ts';

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

/** What an edit answers: the policy, and what in it is hardly meant. */
const linted = (policy: Policy) => ({ ...policyAnswer(policy), warnings: lint(policy.rules, policy.defaultAction) });

export const planCreate = (policy: Policy): Edit => ({
  steps: insertPolicy(policy),
  changes: [{ kind: 'policy.created', id: policy.id, object: policyAnswer(policy) }],
  status: 201,
  body: linted(policy),
  etag: policyEtag(policy),
});

const planVersion = (before: Policy, policy: Policy, kind: ChangeKind): Edit => ({
  steps: updatePolicy(policy),
  changes: [{ kind, id: policy.id, object: policyAnswer(policy), before: policyAnswer(before) }],
  status: 200,
  body: linted(policy),
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
  return planVersion(before, next, 'policy.updated');
}

/** The old version's content as a new version. Throws policy_version_not_found. */
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
  return planVersion(before, next, 'policy.rolled_back');
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

export function planMakeDefault(policy: Policy): Edit {
  const body = policyAnswer({ ...policy, isDefault: true });
  const answer = { status: 200, body, etag: policyEtag(policy) };
  if (policy.isDefault) return { steps: [], changes: [], ...answer };
  return {
    steps: setDefaultPolicy(policy.id),
    changes: [{ kind: 'policy.updated', id: policy.id, object: body, before: policyAnswer(policy) }],
    ...answer,
  };
}

/** Throws default_policy, policy_in_use. */
export async function planDelete(db: Db, policy: Policy): Promise<Edit> {
  if (policy.isDefault || policy.id === DEFAULT_POLICY_ID) {
    throw fail('default_policy', 'The default policy cannot be deleted; edit it instead.');
  }
  if (await policyInUse(db, policy.id)) {
    throw fail('policy_in_use', 'Content (perhaps archived) still has this policy; give it another one first.');
  }
  return {
    steps: [deletePolicy(policy)],
    changes: [{ kind: 'policy.deleted', id: policy.id, object: policyAnswer(policy) }],
    status: 200,
    body: { id: policy.id, object: 'policy', deleted: true },
  };
}
