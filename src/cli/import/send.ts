/** Sends a batch to the service, or checks it without one. */
import type { Postern } from '../../../client/src/client.ts';
import type { Body } from '../../../client/src/types.ts';
import type { ImportEntry } from './entry.ts';

export interface ImportTally {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** An entry that was not imported, as the report shows it. */
export interface Failed {
  at: string;
  code: string;
  message: string;
  item?: unknown;
}

/** Adds created and updated items to the tally; returns the failed ones in the order of the input. */
export type Send = (batch: readonly ImportEntry[], tally: ImportTally) => Promise<Failed[]>;

/** Returns the failure of an entry that is not sent. */
function unsent({ at, item, fault }: ImportEntry): Failed | undefined {
  if (fault === undefined) return undefined;
  return item === undefined ? { at, code: 'not_read', message: fault } : { at, code: 'twice', message: fault, item };
}

export function openSender(postern: Postern): Send {
  return async (batch, tally) => {
    const readable = batch.filter(({ fault }) => fault === undefined);
    const failed = new Map(batch.map((entry) => [entry, unsent(entry)]));
    if (readable.length > 0) {
      // The service validates the items, and reports each by itself.
      const items = readable.map(({ item }) => item) as unknown as Body<'bulkUpsertContent'>['items'];
      const answer = await postern.bulkUpsertContent({ items });
      tally.created += answer.created;
      tally.updated += answer.updated;
      tally.unchanged += answer.unchanged;
      for (const { index, code, message } of answer.errors) {
        const entry = readable[index] as ImportEntry;
        failed.set(entry, { at: entry.at, code, message, item: entry.item });
      }
    }
    return batch.map((entry) => failed.get(entry)).filter((failure) => failure !== undefined);
  };
}

/** Validates items against the schema of the API. */
export async function openChecker(): Promise<Send> {
  const [{ CreateContent }, { lazyCheck, validItem }, { Failure }] = await Promise.all([
    import('../../content/schema.ts'),
    import('../../api/http/validate.ts'),
    import('../../api/errors.ts'),
  ]);
  const isItem = lazyCheck(CreateContent);
  const check = (entry: ImportEntry): Failed[] => {
    const { at, item } = entry;
    const failure = unsent(entry);
    if (failure !== undefined) return [failure];
    try {
      validItem(CreateContent, isItem, item, 'item');
      return [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [{ at, code: error.code, message: error.message, item }];
    }
  };
  return async (batch) => batch.flatMap(check);
}
