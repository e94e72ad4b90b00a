/** Adds warnings to the answers of edits. */
import type { Edit } from '../api/changes/change.ts';
import { lintInSlices } from '../rules/lint/lint.ts';
import type { FindVerifiable } from '../rules/lint/unverified.ts';
import type { Policy } from '../rules/policy.ts';

/** The answer of the edit has rules and a default action. */
export async function withWarnings(findVerifiable: FindVerifiable, edit: Edit): Promise<Edit> {
  const body = edit.body as Pick<Policy, 'rules' | 'defaultAction'>;
  const warnings = await lintInSlices(body.rules, body.defaultAction, await findVerifiable(body.rules));
  return { ...edit, body: { ...body, warnings } };
}
