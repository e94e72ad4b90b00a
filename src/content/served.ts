/**
 * Finds the item at an address in the store: by its `source` first, then by an externalId that is the path, in every
 * spelling that leads to the same file.
 */
import type { Db } from '../db/db.ts';
import { type Locator, toLocatorKeys } from '../lib/urls/locator.ts';
import { type Looseness, spellPath, toFolded, type UrlRules } from '../lib/urls/spellings.ts';
import { findActiveAt, findServedAtAll, type Sought } from './served-store.ts';
import { findFoldedIds, findIds } from './store.ts';

const EXTERNAL_ID_MAX = 255;

/** An address with the rules of its host. */
export interface ServedAddress {
  readonly locator: Locator;
  readonly rules: UrlRules;
  /** Set if the rules are looser than those of the host, for the router of the caller. */
  readonly urls?: Looseness | undefined;
}

/** `id`: undefined: none is registered there, null: several are. `bySource`: its `source` names the host. */
export interface Registered {
  readonly id: string | null | undefined;
  readonly bySource: boolean;
  /** Only items with other parameters are at the path. */
  readonly unmet?: true;
  /** More items that only the router of the caller takes for one with it; absent: there are none. */
  readonly others?: readonly string[] | undefined;
}

const AT_ONCE = 1_000;
/** So few are looked for under both names in one trip. Of more, most have a `source`, and the others are fewer. */
const FEW = 8;

/** Returns the items at addresses, in a few queries for each thousand. */
export async function findRegistered(db: Db, addresses: readonly ServedAddress[]): Promise<Registered[]> {
  const found: Registered[] = [];
  for (let i = 0; i < addresses.length; i += AT_ONCE)
    found.push(...(await findSome(db, addresses.slice(i, i + AT_ONCE))));
  return found;
}

async function findSome(db: Db, addresses: readonly ServedAddress[]): Promise<Registered[]> {
  const serving = findServedAtAll(db, addresses.map(toSought));
  const served = addresses.length <= FEW ? [] : await serving;
  const unserved = addresses.filter((_, i) => served[i] === undefined);
  const [items, named] = await Promise.all([serving, findNamed(db, unserved)]);
  const names = new Map(unserved.map((address, i) => [address, named[i]]));
  const found = addresses.map((address, i): Registered => {
    const item = items[i];
    if (item === undefined) return { id: names.get(address), bySource: false };
    if (item === 'unmet') return { id: null, bySource: true, unmet: true };
    return { id: item === 'many' ? null : item, bySource: true };
  });
  for (const [i, address] of addresses.entries()) {
    const { id, bySource } = found[i] as Registered;
    if (id === null && address.urls !== undefined) found[i] = await findEach(db, address, bySource);
  }
  return found;
}

/** Items that are compared with each other; of more, none is chosen. */
const OTHERS_MAX = 8;

/** Returns the items that are one file for the router of the caller. */
async function findEach(db: Db, address: ServedAddress, bySource: boolean): Promise<Registered> {
  const ids = bySource
    ? await findActiveAt(db, toSought(address) as Sought, OTHERS_MAX + 2)
    : await findEachNamed(db, address);
  const [id, ...others] = ids;
  if (id === undefined || others.length === 0 || others.length > OTHERS_MAX) return { id: null, bySource };
  return { id, bySource, others };
}

async function findEachNamed(db: Db, address: ServedAddress): Promise<string[]> {
  const names = candidatePaths(address).flatMap(toExternalIds);
  const found = address.rules.case === 'ignored' ? await findFoldedIds(db, names) : await findIds(db, names);
  return [...new Set([...found.values()].flat())];
}

/** Returns the paths at which the file of an address may be registered. */
export function candidatePaths({ locator: { path }, rules }: ServedAddress): string[] {
  const spellings = spellPath(path, rules);
  return rules.case === 'ignored' ? [...new Set(spellings.map(toFolded))] : spellings;
}

export function toSought(address: ServedAddress): Sought | undefined {
  const { host, query } = address.locator;
  // Without a host, only an externalId can name the item.
  if (host === '') return undefined;
  const keys = candidatePaths(address).map((path) => toLocatorKeys({ host, path, query }));
  return {
    own: toLocatorKeys(address.locator).path,
    paths: keys.map(({ path }) => path),
    query: keys[0]?.query ?? '',
    text: query,
    folded: address.rules.case === 'ignored',
  };
}

async function findNamed(db: Db, addresses: readonly ServedAddress[]): Promise<(string | null | undefined)[]> {
  const names = addresses.map((address) => candidatePaths(address).map(toExternalIds));
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

const toExternalIds = (path: string): string[] =>
  [path.slice(1), path].filter((name) => name !== '' && name.length <= EXTERNAL_ID_MAX);
