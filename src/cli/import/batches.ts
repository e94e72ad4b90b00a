/** Groups entries into batches for one request each, with the defaults of the command line filled in. */
import type { Content } from '../../../client/src/types.ts';
import type { Entries, ImportEntry } from './entry.ts';

/** Fields for items that do not set them; tags are added to an item's own. */
export interface Defaults {
  type?: Content['type'];
  policy?: string;
  tag?: string[];
  /** Keys for the metadata of every item. */
  metadata?: Record<string, string> | undefined;
}

/** The service takes 1,000 items and 16 MiB in one request. */
const BATCH_ITEMS = 1_000;
const BATCH_CHARS = 4 << 20;

/** Skips the first `skip` entries, which an earlier run sent. */
export async function* batches(entries: Entries, defaults: Defaults, skip: number): AsyncGenerator<ImportEntry[]> {
  let batch: ImportEntry[] = [];
  let chars = 0;
  let seen = 0;
  for await (const some of entries) {
    for (const entry of some) {
      if (seen++ < skip) continue;
      fillIn(entry, defaults);
      const length = entry.item === undefined ? 0 : JSON.stringify(entry.item).length;
      if (batch.length === BATCH_ITEMS || (batch.length > 0 && chars + length > BATCH_CHARS)) {
        yield batch;
        batch = [];
        chars = 0;
      }
      chars += length;
      batch.push(entry);
    }
  }
  if (batch.length > 0) yield batch;
}

function fillIn({ item }: ImportEntry, { type, policy, tag, metadata }: Defaults): void {
  if (item === undefined) return;
  if (type !== undefined) item.type ??= type;
  if (policy !== undefined) item.policyId ??= policy;
  if (metadata !== undefined && isObject(item.metadata ?? {}))
    item.metadata = { ...(item.metadata as object), ...metadata };
  if (tag !== undefined) item.tags = [...new Set([...(Array.isArray(item.tags) ? item.tags : []), ...tag])];
}

/** The service refuses other metadata. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the next value while the last one is in use. */
export async function* ahead<T>(values: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = values.next();
  for (;;) {
    const { value, done } = await next;
    if (done === true) return;
    next = values.next();
    // An error is thrown when the value is awaited.
    next.catch(() => {});
    yield value;
  }
}
