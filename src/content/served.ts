/** Finds the item at an address in the store: by its `source` first, then by an externalId that is the path. */
import type { Db } from '../db/db.ts';
import { keysOf, type Locator } from '../lib/locator.ts';
import { findServedAtAll } from './served-store.ts';
import { findIds, findServedAt } from './store.ts';

const EXTERNAL_ID_MAX = 255;

/** Returns the item's id; undefined: none is registered there, null: several are. */
export async function findItemId(db: Db, { host, path, query }: Locator): Promise<string | null | undefined> {
  // Without a host, only an externalId can name the item.
  const served = host === '' ? undefined : await findServedAt(db, keysOf({ host, path, query }));
  if (served !== undefined) return served === 'many' ? null : served;
  const names = namesOf(path);
  if (names.length === 0) return undefined;
  const ids = await findIds(db, names);
  return names.map((name) => ids.get(name)).find((id) => id !== undefined);
}

/** Does the same for many addresses, in two queries for each thousand. */
export async function findItemIds(db: Db, locators: readonly Locator[]): Promise<(string | null | undefined)[]> {
  const found: (string | null | undefined)[] = [];
  for (let i = 0; i < locators.length; i += AT_ONCE)
    found.push(...(await findSome(db, locators.slice(i, i + AT_ONCE))));
  return found;
}

const AT_ONCE = 1_000;

async function findSome(db: Db, locators: readonly Locator[]): Promise<(string | null | undefined)[]> {
  const [served, ids] = await Promise.all([
    findServedAtAll(db, locators.map(keysOf)),
    findIds(
      db,
      locators.flatMap(({ path }) => namesOf(path)),
    ),
  ]);
  return locators.map(({ host, path }, i) => {
    const item = host === '' ? undefined : served[i];
    if (item !== undefined) return item === 'many' ? null : item;
    return namesOf(path)
      .map((name) => ids.get(name))
      .find((id) => id !== undefined);
  });
}

const namesOf = (path: string): string[] =>
  [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
