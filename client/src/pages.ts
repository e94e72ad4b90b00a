/** Lists: one page, or every record. Pages are read as the loop reaches them. */
import type { Paged } from './types.ts';

interface Page {
  data: readonly unknown[];
  nextCursor: string | null;
}

/** `read` returns the page at a cursor; undefined for the first. */
export function paged<P extends Page>(read: (cursor: string | undefined) => Promise<P>): Paged<P> {
  return {
    // Awaiting a list gives its first page.
    // oxlint-disable-next-line unicorn/no-thenable
    then: (done, refuse) => read(undefined).then(done, refuse),
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      do {
        const page = await read(cursor);
        yield* page.data;
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}
