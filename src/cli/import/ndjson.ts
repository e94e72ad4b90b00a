/**
 * Reads NDJSON: one item per line, as for POST /v1/content/upsert or as `content export` writes it. Read-only fields
 * are dropped. An archived item is a fault, because an import creates active items.
 */
import type { Entries, ImportEntry } from './entry.ts';
import { textLines } from './text-lines.ts';

const READ_ONLY = ['id', 'object', 'created', 'updated', 'stats', 'policy', 'policySource', 'collectionId'];

export async function* readNdjson(bytes: AsyncIterable<Uint8Array>): Entries {
  let line = 0;
  for await (const lines of textLines(bytes)) {
    const entries: ImportEntry[] = [];
    for (const text of lines) {
      line++;
      if (text.trim() !== '') entries.push(toEntry(text, `line ${line}`));
    }
    yield entries;
  }
}

function toEntry(text: string, at: string): ImportEntry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { at, fault: `not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { at, fault: 'not a JSON object' };
  return fromExport(value as Record<string, unknown>, at);
}

/** Accepts an item that was exported before. */
export function fromExport(item: Record<string, unknown>, at: string): ImportEntry {
  if (item.object === 'content') for (const field of READ_ONLY) delete item[field];
  if (item.status === 'archived') {
    return {
      at,
      fault: 'archived: an import creates active items; leave it out, or import it without its status and archive it',
    };
  }
  if (item.status === 'active') delete item.status;
  return { at, item };
}
