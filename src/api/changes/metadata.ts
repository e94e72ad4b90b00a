/** Metadata: free key-value pairs on a record, with their schema, their bounds and how an edit merges them. */
import { Type } from 'typebox';
import { sameJson } from '../../lib/json.ts';
import { type Problem, refined } from '../../lib/refined.ts';
import { invalid } from '../errors.ts';

const BYTES_MAX = 16 * 1024;
const LEVELS_MAX = 5;

export const metadata = refined(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Any JSON object: 16 KiB, 5 levels' }),
  metadataProblems,
);

export type Metadata = Record<string, unknown>;

function metadataProblems(value: Metadata, path: string): Problem[] {
  // First: a text of any depth cannot be made.
  if (levels(value) > LEVELS_MAX) {
    return [{ param: path, message: `\`${path}\` may be nested ${LEVELS_MAX} levels deep.` }];
  }
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= BYTES_MAX) return [];
  return [{ param: path, message: `\`${path}\` may have 16 KiB as JSON; this has ${bytes} bytes.` }];
}

/** Counts nested objects and lists up to one too many; the metadata object itself is the first level. */
function levels(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > LEVELS_MAX) return 0;
  let below = 0;
  for (const one of Object.values(value)) below = Math.max(below, levels(one, above + 1));
  return 1 + below;
}

/**
 * Merges an edit at the top level, where null removes a key; with `metadataReplace`, the edit's metadata replaces all.
 * Metadata as it is stored changes nothing, also where a registration gave a key null. Throws invalid_request where the
 * result exceeds the bounds.
 */
export function editedMetadata(before: Metadata, edit: { metadata?: Metadata; metadataReplace?: boolean }): Metadata {
  if (edit.metadata === undefined || sameJson(edit.metadata, before)) return before;
  if (edit.metadataReplace === true) return edit.metadata;
  // A Map, because a key may be `__proto__`.
  const all = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(edit.metadata)) {
    if (value === null) all.delete(key);
    else all.set(key, value);
  }
  const merged = Object.fromEntries(all);
  const [problem] = metadataProblems(merged, 'metadata');
  if (problem !== undefined) throw invalid([problem]);
  return merged;
}
