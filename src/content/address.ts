/**
 * Finds what decides about a URL: the item that is served there, else the most specific collection. Where several
 * items could be meant, none is chosen. Once an edit has been answered, it counts.
 * Promise: no two spellings of one file reach different items or collections. Locators have one spelling already; what
 * is left is what some servers drop: parameters of a path segment (`;…`), what follows an encoded `?` or `#`, and a
 * port that a client made up. A URL with them is unreadable if it would reach something else without them.
 */
import type { Changes } from '../changes/changes.ts';
import type { InForce } from '../collections/known.ts';
import type { Db } from '../db/db.ts';
import { Failure } from '../errors.ts';
import { isPlainPath, type Locator } from '../lib/locator.ts';
import { mapInSlices } from '../lib/slices.ts';
import { toTarget } from '../lib/url-pattern.ts';
import type { Page, Place } from '../policies/facts.ts';
import { type Items, KnownAddresses } from './known-addresses.ts';
import { findItemId, findItemIds } from './served.ts';

/** The longest path, and the longest query, that is recorded; that of an item's `source`. */
export const URL_MAX = 2_048;

/** The reasons why nothing can decide about a URL. */
export type Undecided = 'none' | 'ambiguous_content' | 'unreadable_url';

/** An item, by its id; a page of a collection; or nothing. */
export type AtUrl = { readonly id: string } | { readonly page: Page } | Undecided;

export interface Addresses {
  /** Returns undefined for what is not in memory. */
  now(locator: Locator, inForce: InForce): AtUrl | undefined;
  /** Throws Unavailable. */
  read(locator: Locator, inForce: InForce): Promise<AtUrl>;
  /** Reads what is not in memory in a few queries. Throws Unavailable. */
  readAll(locators: readonly Locator[], inForce: InForce): Promise<Map<Locator, AtUrl>>;
}

interface Known extends Items {
  inForce: InForce;
  at: AtUrl;
}

/** `locator.host` is empty where the host is not known. */
export function openAddresses(db: Db, changes: Changes): Addresses {
  const known = new KnownAddresses<Known>();
  changes.subscribe((notice) => {
    if (notice.kind.startsWith('content.')) known.onEdit(notice);
  });

  function now(locator: Locator, inForce: InForce): AtUrl | undefined {
    const entry = known.get(locator);
    if (entry === undefined) return undefined;
    if (entry.inForce !== inForce) {
      entry.at = choose(locator, entry, inForce);
      entry.inForce = inForce;
    }
    return entry.at;
  }

  return {
    now,
    async read(locator, inForce) {
      const there = now(locator, inForce);
      if (there !== undefined) return there;
      const keep = known.begin();
      const items = await readItems(db, locator);
      const at = choose(locator, items, inForce);
      keep(locator, { ...items, inForce, at });
      return at;
    },
    async readAll(locators, inForce) {
      const found = new Map(locators.map((locator) => [locator, now(locator, inForce)]));
      const missing = locators.filter((locator) => found.get(locator) === undefined);
      const keep = known.begin();
      const all = await readItemsOfAll(db, missing);
      // A long URL and many patterns with `*` take milliseconds.
      const chosen = await mapInSlices(missing, (locator, i) => {
        const items = all[i] as Items;
        const at = choose(locator, items, inForce);
        keep(locator, { ...items, inForce, at });
        return at;
      });
      for (const [i, locator] of missing.entries()) found.set(locator, chosen[i]);
      return found as Map<Locator, AtUrl>;
    },
  };
}

/** Reads what decides about a URL without remembering it; collections as `inForce` has them. */
export const readAddress = async (db: Db, locator: Locator, inForce: InForce): Promise<AtUrl> =>
  choose(locator, await readItems(db, locator), inForce);

/** Returns what decides about a URL where no item is registered. */
export const withoutItem = (locator: Locator, inForce: InForce): AtUrl => reach(locator, undefined, inForce);

/** Returns what decides about a URL of a site without registered items. */
export function byCollection(locator: Locator, inForce: InForce): AtUrl {
  const plain = toPlain(locator);
  return choose(locator, { id: undefined, plain: plain && { locator: plain, id: undefined } }, inForce);
}

async function readItems(db: Db, locator: Locator): Promise<Items> {
  const id = await findItemId(db, locator);
  const plain = toPlain(locator);
  if (plain === null || plain === undefined) return { id, plain };
  return { id, plain: { locator: plain, id: await findItemId(db, plain) } };
}

async function readItemsOfAll(db: Db, locators: readonly Locator[]): Promise<Items[]> {
  const plains = locators.map(toPlain);
  const others = plains.filter((plain) => plain !== null && plain !== undefined);
  const ids = await findItemIds(db, [...locators, ...others]);
  let next = locators.length;
  return plains.map((plain, i) => ({
    id: ids[i],
    plain: plain === null || plain === undefined ? plain : { locator: plain, id: ids[next++] },
  }));
}

/** Returns the address without what some servers drop; undefined if it has nothing of it, null if none is left. */
function toPlain(locator: Locator): Locator | null | undefined {
  const { host, path, query } = locator;
  const bare = host.replace(/:\d+$/, '');
  const hasParameters = path.includes(';');
  const hasEnd = /[?#]/.test(path);
  if (bare === host && !hasParameters && !hasEnd) return undefined;
  // Some servers would drop only the one, some only the other.
  if (hasParameters && hasEnd) return null;
  const stripped = path.replace(/[?#][^]*$/, '').replaceAll(/;[^/]*/g, '');
  return isPlainPath(stripped) ? { host: bare, path: stripped, query } : null;
}

function choose(locator: Locator, { id, plain }: Items, inForce: InForce): AtUrl {
  const at = reach(locator, id, inForce);
  if (plain === undefined || isNamed(at)) return at;
  if (plain === null) return 'unreadable_url';
  // A port that a collection names is not made up.
  const isOwnPort = typeof at === 'object' && plain.locator.path === locator.path && servesPort(locator, inForce);
  return isOwnPort || isSame(at, reach(plain.locator, plain.id, inForce)) ? at : 'unreadable_url';
}

function reach(locator: Locator, id: string | null | undefined, inForce: InForce): AtUrl {
  if (id === null) return 'ambiguous_content';
  if (id !== undefined) return { id };
  const match = inForce.index.size === 0 ? undefined : inForce.index.findMatch({ locator, item: null });
  if (match === undefined) return 'none';
  const { collection, namesQuery } = match;
  // A page is recorded by its URL, which a visitor chooses.
  if (toTarget(locator).path.length > URL_MAX || (namesQuery && locator.query.length > URL_MAX))
    return 'unreadable_url';
  const place = {
    policyId: collection.policyId ?? inForce.defaultPolicyId,
    collectionId: collection.id,
    observed: collection.mode === 'observe',
  };
  return { page: toPage(locator, place, namesQuery) };
}

export const toPage = (locator: Locator, { policyId, collectionId, observed }: Place, namesQuery = false): Page => ({
  locator,
  namesQuery,
  policyId,
  collectionId,
  observed,
});

/** An item is found by what was registered for it, the parameter or the port included. */
const isNamed = (at: AtUrl): boolean => at === 'ambiguous_content' || (typeof at === 'object' && 'id' in at);

/** Returns whether the collection of the address names its host with its port. */
const servesPort = (locator: Locator, { index }: InForce): boolean =>
  index.findMatch({ locator, item: null })?.namesHost === true;

function isSame(one: AtUrl, other: AtUrl): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return 'page' in one && 'page' in other && one.page.collectionId === other.page.collectionId;
}

/** Nothing decides about a URL. */
export class UndecidedUrl extends Failure {
  readonly why: Undecided;
  readonly locator: Locator;

  constructor(locator: Locator, why: Undecided) {
    const url = `${locator.host}${locator.path}`.slice(0, 200);
    if (why === 'none') {
      const steps = 'Register the item, or make a collection for its address.';
      super('content_not_found', `No item is registered at ${url}, and no collection has it. ${steps}`);
    } else super('invalid_request', UNDECIDED[why], { param: 'url' });
    this.why = why;
    this.locator = locator;
  }
}

const UNDECIDED = {
  ambiguous_content: 'Several items are registered at this URL, so none is chosen. Ask by `contentId`.',
  unreadable_url:
    'Servers may read this URL differently: without its port, or what follows a semicolon or an encoded `?` or `#`, it leads to something else.',
};
