/**
 * Finds the item at an address: by its `source` first, then by an externalId that is the path. Where several could be
 * meant, none is chosen. Once an edit has been answered, it counts.
 */
import type { Changes } from '../changes/changes.ts';
import { findIds, findServedAt } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Cache } from '../lib/cache.ts';
import { keysOf } from '../lib/locator.ts';
import { type Target, toName } from './target.ts';

const KNOWN_MAX = 50_000;
/** Longer names are not remembered, so that memory has a bound. */
const KNOWN_LENGTH_MAX = 300;
const EXTERNAL_ID_MAX = 255;

export interface Items {
  /** Returns the item's id; undefined: none is registered there, null: several are. */
  find(target: Target): Promise<string | null | undefined>;
}

export function openItems(db: Db, changes: Changes): Items {
  const known = new Cache<string, { id: string | null | undefined }>(KNOWN_MAX);
  changes.subscribe(({ kind }) => {
    if (kind.startsWith('content.')) known.clear();
  });

  return {
    async find(target) {
      const name = toName(target);
      const found = known.get(name);
      if (found !== undefined) return found.id;
      return known.read(async (keep) => {
        const id = await readId(db, target);
        if (name.length <= KNOWN_LENGTH_MAX) keep(name, { id });
        return id;
      });
    },
  };
}

async function readId(db: Db, { host, path, query }: Target): Promise<string | null | undefined> {
  const served = host === undefined ? undefined : await findServedAt(db, keysOf({ host, path, query }));
  if (served !== undefined) return served === 'many' ? null : served;
  const names = [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
  if (names.length === 0) return undefined;
  const ids = await findIds(db, names);
  return names.map((name) => ids.get(name)).find((id) => id !== undefined);
}
