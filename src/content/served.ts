/** Finds the item at an address in the store: by its `source` first, then by an externalId that is the path. */
import type { Db } from '../db/db.ts';
import { keysOf, type Locator } from '../lib/locator.ts';
import { findIds, findServedAt } from './store.ts';

const EXTERNAL_ID_MAX = 255;

/** Returns the item's id; undefined: none is registered there, null: several are. */
export async function findItemId(db: Db, { host, path, query }: Locator): Promise<string | null | undefined> {
  // Without a host, only an externalId can name the item.
  const served = host === '' ? undefined : await findServedAt(db, keysOf({ host, path, query }));
  if (served !== undefined) return served === 'many' ? null : served;
  const names = [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
  if (names.length === 0) return undefined;
  const ids = await findIds(db, names);
  return names.map((name) => ids.get(name)).find((id) => id !== undefined);
}
