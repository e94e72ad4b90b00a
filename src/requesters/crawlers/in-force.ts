/** Puts the directory in force in this process: the newest one, with the entries of the publisher's own. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { type Directory, PACKAGED, useDirectory } from '../../rules/crawlers/directory.ts';
import { toOwn, withOwn } from './own.ts';
import { findOwnCrawlers, type OwnCrawler } from './own-store.ts';
import type { CrawlerAnswer } from './schema.ts';

export interface DirectoryInForce {
  /** The directory without own entries. */
  base(): Directory;
  use(base: Directory): void;
  close(): Promise<void>;
}

/** `onForgotten`: changes of others may have been missed. */
export async function openInForce(
  { db, changes, onProblem }: { db: Db; changes: Changes; onProblem(problem: unknown): void },
  onForgotten: () => void,
): Promise<DirectoryInForce> {
  let base = PACKAGED;
  let used = PACKAGED;
  let own = new Map<string, OwnCrawler>();
  let edits = 0;
  let reading = Promise.resolve();

  function apply(): void {
    const next = withOwn(base, own.values());
    if (next === used) return;
    used = next;
    useDirectory(next);
  }

  async function readOwn(): Promise<void> {
    let before: number;
    let found: OwnCrawler[];
    // What was read across an edit may lack it.
    do {
      before = edits;
      found = await findOwnCrawlers(db);
    } while (before !== edits);
    own = new Map(found.map((one) => [one.id, one]));
    apply();
  }

  changes.known('directory', {
    set(id: string, object: object) {
      edits++;
      own.set(id, toOwn(id, object as CrawlerAnswer));
      apply();
    },
    delete(id: string) {
      edits++;
      own.delete(id);
      apply();
    },
    clear() {
      reading = reading.then(readOwn).catch(onProblem);
      onForgotten();
    },
  });
  await readOwn();
  return {
    base: () => base,
    use(next) {
      if (next === base) return;
      base = next;
      apply();
    },
    async close() {
      await reading;
      if (used !== PACKAGED) useDirectory(PACKAGED);
    },
  };
}
