/** Sends rows to the service in batches; a failed row does not affect others. */
import { type Body, call } from '../api/client.ts';
import type { Row } from './rows.ts';

const ITEMS_AT_ONCE = 500;
const BYTES_AT_ONCE = 4_000_000;

export interface Outcome {
  sent: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: { number: number; externalId: string; message: string }[];
}

/** Reports progress after each request. Aborting `signal` stops before the next request; sent rows stay. */
export async function sendRows(
  rows: readonly Row[],
  onProgress: (outcome: Outcome) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  let outcome: Outcome = { sent: 0, created: 0, updated: 0, unchanged: 0, failed: [] };
  for (const some of batches(rows)) {
    if (signal.aborted) break;
    const answer = await call('POST /v1/content/bulk-upsert', {
      body: { items: some.map(({ item }) => item as Body<'POST /v1/content'>) },
    });
    outcome = {
      sent: outcome.sent + some.length,
      created: outcome.created + answer.created,
      updated: outcome.updated + answer.updated,
      unchanged: outcome.unchanged + answer.unchanged,
      failed: [
        ...outcome.failed,
        ...answer.errors.map(({ index, externalId, message }) => ({
          number: some[index]?.number ?? 0,
          externalId: externalId ?? '',
          message,
        })),
      ],
    };
    onProgress(outcome);
  }
  return outcome;
}

function* batches(rows: readonly Row[]): Generator<Row[]> {
  let some: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = JSON.stringify(row.item).length;
    if (some.length === ITEMS_AT_ONCE || (some.length > 0 && bytes + size > BYTES_AT_ONCE)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(row);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
