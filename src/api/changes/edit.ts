/**
 * Edits of a record that exists. Promise: an edit that changes nothing writes nothing. It answers with the record as it
 * is stored; no version, audit entry, event or timestamp comes of it.
 */
import { sameJson } from '../../lib/json.ts';
import type { Edit } from './change.ts';

/** The fields that every write changes. */
const STAMPS: ReadonlySet<string> = new Set(['updatedAt', 'revision', 'version']);

/** Returns whether `after` equals `before` except for the fields that every write changes. */
export const isUnchanged = <R extends object>(before: R, after: R): boolean =>
  (Object.keys({ ...before, ...after }) as (keyof R & string)[]).every(
    (field) => STAMPS.has(field) || sameJson(before[field], after[field]),
  );

/** Plans the edit that turns `before` into `after`. `answer` is called with the record as it is stored afterwards. */
export function toEdit<R extends object>(
  before: R,
  after: R,
  { answer, ...written }: Pick<Edit, 'steps' | 'changes'> & { answer: (record: R) => Pick<Edit, 'body' | 'etag'> },
): Edit {
  if (isUnchanged(before, after)) return { steps: [], changes: [], status: 200, ...answer(before) };
  return { ...written, status: 200, ...answer(after) };
}
