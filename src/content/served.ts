/**
 * Finds the item at an address in the store: by its `source` first, then by an externalId that is the path, in every
 * spelling that leads to the same file.
 */
import type { Db } from '../db/db.ts';
import { keysOf, type Locator } from '../lib/locator.ts';
import { spellingsOf, toFolded, type UrlRules } from '../lib/spellings.ts';
import { findServedAtAll, type Sought } from './served-store.ts';
import { findFoldedIds, findIds } from './store.ts';

const EXTERNAL_ID_MAX = 255;

/** An address with the rules of its host. */
export interface Address {
  readonly locator: Locator;
  readonly rules: UrlRules;
}

/** `id`: undefined: none is registered there, null: several are. `bySource`: its `source` names the host. */
export interface Registered {
  readonly id: string | null | undefined;
  readonly bySource: boolean;
}

const AT_ONCE = 1_000;

/** Returns the items at addresses, in a few queries for each thousand. */
export async function findRegistered(db: Db, addresses: readonly Address[]): Promise<Registered[]> {
  const found: Registered[] = [];
  for (let i = 0; i < addresses.length; i += AT_ONCE)
    found.push(...(await findSome(db, addresses.slice(i, i + AT_ONCE))));
  return found;
}

async function findSome(db: Db, addresses: readonly Address[]): Promise<Registered[]> {
  const [served, named] = await Promise.all([findServedAtAll(db, addresses.map(toSought)), findNamed(db, addresses)]);
  return addresses.map((_, i) => {
    const item = served[i];
    if (item === undefined) return { id: named[i], bySource: false };
    return { id: item === 'many' ? null : item, bySource: true };
  });
}

/** Returns the paths at which the file of an address may be registered. */
export function pathsOf({ locator: { path }, rules }: Address): string[] {
  const spellings = spellingsOf(path, rules);
  return rules.case === 'ignored' ? [...new Set(spellings.map(toFolded))] : spellings;
}

export function toSought(address: Address): Sought | undefined {
  const { host, query } = address.locator;
  // Without a host, only an externalId can name the item.
  if (host === '') return undefined;
  const keys = pathsOf(address).map((path) => keysOf({ host, path, query }));
  return {
    own: keysOf(address.locator).path,
    paths: keys.map(({ path }) => path),
    query: keys[0]?.query ?? '',
    text: query,
    folded: address.rules.case === 'ignored',
  };
}

async function findNamed(db: Db, addresses: readonly Address[]): Promise<(string | null | undefined)[]> {
  const names = addresses.map((address) => pathsOf(address).map(namesOf));
  const isFolded = addresses.map(({ rules }) => rules.case === 'ignored');
  const ofKind = (folded: boolean): string[] => [
    ...new Set(names.flatMap((some, i) => (isFolded[i] === folded ? some.flat() : []))),
  ];
  const [exact, folded] = await Promise.all([findIds(db, ofKind(false)), findFoldedIds(db, ofKind(true))]);
  return names.map((spellings, i) => {
    const ids = new Set<string>();
    for (const spelled of spellings) {
      if (isFolded[i] === true) for (const name of spelled) for (const id of folded.get(name) ?? []) ids.add(id);
      else {
        // Of `a` and `/a`, the first one is meant.
        const id = spelled.map((name) => exact.get(name)).find((one) => one !== undefined);
        if (id !== undefined) ids.add(id);
      }
    }
    return ids.size > 1 ? null : [...ids][0];
  });
}

const namesOf = (path: string): string[] =>
  [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
