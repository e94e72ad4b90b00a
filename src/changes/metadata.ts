/** Metadata: free key-value pairs on a record, with their schema, their bounds and how an edit merges them. */
import { Type } from 'typebox';
import { fail } from '../errors.ts';

const BYTES_MAX = 16 * 1024;
const LEVELS_MAX = 5;

export const metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Any JSON object: 16 KiB, 5 levels',
});

export type Metadata = Record<string, unknown>;

/** Checks the bounds of metadata as it will be stored. Throws invalid_request. */
export function requireMetadata(value: Metadata): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > BYTES_MAX) {
    throw fail('invalid_request', `\`metadata\` may have 16 KiB as JSON; this has ${bytes} bytes.`, {
      param: 'metadata',
    });
  }
  if (levels(value) > LEVELS_MAX) {
    throw fail('invalid_request', '`metadata` may be nested 5 levels deep.', { param: 'metadata' });
  }
}

/** Counts nested objects and lists; the metadata object itself is the first level. */
function levels(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levels));
}

/**
 * Merges an edit at the top level, where null removes a key; with `metadataReplace`, the edit's metadata replaces all.
 */
export function editedMetadata(before: Metadata, edit: { metadata?: Metadata; metadataReplace?: boolean }): Metadata {
  if (edit.metadata === undefined) return before;
  if (edit.metadataReplace === true) return edit.metadata;
  // A Map, because a key may be `__proto__`.
  const all = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(edit.metadata)) {
    if (value === null) all.delete(key);
    else all.set(key, value);
  }
  return Object.fromEntries(all);
}
