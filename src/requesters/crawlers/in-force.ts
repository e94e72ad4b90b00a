/** Puts the directory in force in this process: the newest one, with the entries of the publisher's own. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { View } from '../../lib/cache/view.ts';
import { type Directory, PACKAGED, useDirectory } from '../../rules/crawlers/directory.ts';
import { toOwn, withOwn } from './own.ts';
import { findOwnCrawlers, type OwnCrawler } from './own-store.ts';
import type { CrawlerAnswer } from './schema.ts';

export interface DirectoryInForce {
  /** The directory without own entries. */
  base(): Directory;
  use(base: Directory): void;
  close(): void;
}

/** `onReplaced`: another node may have taken a newer directory. */
export async function openInForce(db: Db, changes: Changes, onReplaced: () => void): Promise<DirectoryInForce> {
  let base = PACKAGED;
  let used = PACKAGED;
  const own = new Map<string, OwnCrawler>();
  const view = new View<OwnCrawler>((id, entry) => {
    if (entry === undefined) own.delete(id);
    else own.set(id, entry);
  });

  function apply(): void {
    const next = withOwn(base, own.values());
    if (next === used) return;
    used = next;
    useDirectory(next);
  }

  changes.known('directory', {
    set(id: string, object: object) {
      view.set(id, toOwn(id, object as CrawlerAnswer));
      apply();
    },
    delete(id: string) {
      view.delete(id);
      apply();
    },
    clear: onReplaced,
  });
  await view.load(() => findOwnCrawlers(db));
  apply();
  return {
    base: () => base,
    use(next) {
      if (next === base) return;
      base = next;
      apply();
    },
    close() {
      if (used !== PACKAGED) useDirectory(PACKAGED);
    },
  };
}
