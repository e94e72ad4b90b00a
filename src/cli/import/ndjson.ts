/**
 * NDJSON: one item a line, as for POST /v1/content/upsert, or as `content export` writes it. What only the service says of
 * an item (its id, when it was made) is dropped; an archived item is a fault, because it would come in active.
 */
import type { Entries, Entry } from './entry.ts';
import { textLines } from './text-lines.ts';

const OF_THE_SERVICE = ['id', 'object', 'created', 'updated', 'stats', 'policy'];

export async function* readNdjson(bytes: AsyncIterable<Uint8Array>): Entries {
  let line = 0;
  for await (const lines of textLines(bytes)) {
    const entries: Entry[] = [];
    for (const text of lines) {
      line++;
      if (text.trim() !== '') entries.push(entryOf(text, `line ${line}`));
    }
    yield entries;
  }
}

function entryOf(text: string, at: string): Entry {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { at, fault: `not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { at, fault: 'not a JSON object' };
  return exported(value as Record<string, unknown>, at);
}

/** An item that may have been exported before. */
export function exported(item: Record<string, unknown>, at: string): Entry {
  if (item.object === 'content') for (const field of OF_THE_SERVICE) delete item[field];
  if (item.status === 'archived') {
    return {
      at,
      fault: 'archived: an import makes active items; leave it out, or import it without its status and archive it',
    };
  }
  if (item.status === 'active') delete item.status;
  return { at, item };
}
