/** Adds warnings to the answers of edits. */
import type { Edit } from '../changes/change.ts';
import { lintInSlices } from './lint/lint.ts';
import type { FindVerifiable } from './lint/unverified.ts';
import type { Policy } from './policy.ts';

/** The answer of the edit has rules and a default action. */
export async function withWarnings(findVerifiable: FindVerifiable, edit: Edit): Promise<Edit> {
  const body = edit.body as Pick<Policy, 'rules' | 'defaultAction'>;
  const warnings = await lintInSlices(body.rules, body.defaultAction, await findVerifiable(body.rules));
  return { ...edit, body: { ...body, warnings } };
}
