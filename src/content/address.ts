/**
 * Finds what decides about a URL: the item that is served there, else the most specific collection. Where several
 * items could be meant, none is chosen. Once an edit has been answered, it counts.
 * Promise: no two spellings of one file reach different items or collections. `lib/spellings` says which spellings a
 * host treats as one file, `lib/readings` what else a server could make of a URL. Of a URL with several readings, all
 * are found, and the check is made under each.
 */
import type { Changes } from '../changes/changes.ts';
import { type InForce, ownUrlsOf, urlsOf } from '../collections/known.ts';
import type { Db } from '../db/db.ts';
import { Failure } from '../errors.ts';
import type { Locator } from '../lib/locator.ts';
import { type Reading, readingsOf } from '../lib/readings.ts';
import { mapInSlices } from '../lib/slices.ts';
import { toTarget } from '../lib/url-pattern.ts';
import type { Page, Place } from '../policies/facts.ts';
import { KnownAddresses, keyOf, type Looked } from './known-addresses.ts';
import { type Address, findRegistered, pathsOf, type Registered } from './served.ts';

/** The longest path, and the longest query, that is recorded; that of an item's `source`. */
export const URL_MAX = 2_048;

/** The reasons why nothing can decide about a URL. */
export type Undecided = 'none' | 'ambiguous_content' | 'ambiguous_readings' | 'unreadable_url';

/** An item, by its id, with the URL that leads to it; or a page of a collection. */
export type Found =
  | { readonly id: string; readonly locator: Locator; readonly asked?: Locator | undefined }
  | { readonly page: Page };

/** The items and pages of a URL with several readings, the plainest reading first. */
export interface Several {
  readonly found: readonly [Found, ...Found[]];
  /** The readings that find nothing. */
  readonly missing: readonly Locator[];
}

export type AtUrl = Found | Several | Undecided;

/** Returns all that a URL leads to. */
export const foundAt = (at: AtUrl): readonly Found[] =>
  typeof at === 'string' ? NOTHING : 'found' in at ? at.found : [at];
const NOTHING: readonly Found[] = [];

export interface Addresses {
  /** Returns undefined for what is not in memory. */
  now(locator: Locator, inForce: InForce): AtUrl | undefined;
  /** Throws Unavailable. */
  read(locator: Locator, inForce: InForce): Promise<AtUrl>;
  /** Reads what is not in memory in a few queries. Throws Unavailable. */
  readAll(locators: readonly Locator[], inForce: InForce): Promise<Map<Locator, AtUrl>>;
}

/** The readings of a URL with the items that are registered there. */
interface Items extends Looked {
  readonly readings: readonly (Reading & Registered)[] | 'unreadable';
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
      // Other spellings may lead to the same file now.
      if (entry.inForce.urls !== inForce.urls) return undefined;
      entry.at = choose(locator, entry, inForce);
      entry.inForce = inForce;
    }
    return entry.at;
  }

  async function readAll(locators: readonly Locator[], inForce: InForce): Promise<Map<Locator, AtUrl>> {
    const found = new Map(locators.map((locator) => [locator, now(locator, inForce)]));
    const missing = locators.filter((locator) => found.get(locator) === undefined);
    const keep = known.begin();
    const all = await readItems(db, missing, inForce);
    // A long URL and many patterns with `*` take milliseconds.
    const chosen = await mapInSlices(missing, (locator, i) => {
      const items = all[i] as Items;
      const at = choose(locator, items, inForce);
      keep(locator, { ...items, inForce, at });
      return at;
    });
    for (const [i, locator] of missing.entries()) found.set(locator, chosen[i]);
    return found as Map<Locator, AtUrl>;
  }

  return {
    now,
    readAll,
    read: async (locator, inForce) => (await readAll([locator], inForce)).get(locator) as AtUrl,
  };
}

/**
 * Reads what decides about a URL without remembering it; collections as `inForce` has them. `wasThere` says of an item
 * whether it counts.
 */
export async function readAddress(
  db: Db,
  locator: Locator,
  inForce: InForce,
  wasThere?: (id: string) => Promise<boolean>,
): Promise<AtUrl> {
  const [items] = await readItems(db, [locator], inForce);
  const { readings } = items as Items;
  if (wasThere === undefined || readings === 'unreadable') return choose(locator, items as Items, inForce);
  const counted: (Reading & Registered)[] = [];
  for (const one of readings) {
    const counts = typeof one.id !== 'string' || (await wasThere(one.id));
    counted.push(counts ? one : { ...one, id: undefined });
  }
  return choose(locator, { ...(items as Items), readings: counted }, inForce);
}

/** Returns what decides about a URL of a site without registered items. */
export function byCollection(locator: Locator, inForce: InForce): AtUrl {
  const readings = readingsAt(locator, inForce);
  const bare = { id: undefined, bySource: false };
  return choose(
    locator,
    { readings: readings === 'unreadable' ? readings : readings.map((one) => ({ ...one, ...bare })), ...UNKNOWN },
    inForce,
  );
}

const UNKNOWN = { keys: [], isUnsure: false };

function readingsAt(locator: Locator, inForce: InForce): readonly Reading[] | 'unreadable' {
  return readingsOf(locator, urlsOf(inForce, locator.host).index) ?? [{ locator, rare: false }];
}

async function readItems(db: Db, locators: readonly Locator[], inForce: InForce): Promise<Items[]> {
  const readings = locators.map((locator) => readingsAt(locator, inForce));
  const addresses = readings.map((some): Address[] =>
    some === 'unreadable' ? [] : some.map(({ locator }) => ({ locator, rules: urlsOf(inForce, locator.host) })),
  );
  const found = (await findRegistered(db, addresses.flat())).values();
  return readings.map((some, i) => {
    if (some === 'unreadable') return { readings: some, ...UNKNOWN };
    const read = some.map((one) => ({ ...one, ...(found.next().value as Registered) }));
    const texts = [...read.flatMap(({ id }) => id ?? []), ...(addresses[i] as Address[]).flatMap(pathsOf)];
    return {
      readings: read,
      keys: [...new Set(texts.map(keyOf))],
      isUnsure: read.some(({ id }) => id === null),
    };
  });
}

function choose(locator: Locator, { readings }: Items, inForce: InForce): AtUrl {
  if (readings === 'unreadable') return 'unreadable_url';
  const [only, second] = readings;
  return only !== undefined && second === undefined
    ? reach(only.locator, only.id, inForce)
    : chooseAll(locator, readings, inForce);
}

function chooseAll(locator: Locator, readings: readonly (Reading & Registered)[], inForce: InForce): AtUrl {
  const found: Found[] = [];
  const missing: Locator[] = [];
  for (const { locator: read, id, rare } of withoutMadeUpPort(locator, readings, inForce)) {
    const at = reach(read, id, inForce);
    if (at === 'none') {
      if (!rare) missing.push(read);
    } else if (typeof at === 'string') return at;
    else found.push(read === locator ? at : withAsked(at, locator));
  }
  const [first, other] = found;
  if (first === undefined) return 'none';
  // The URL is recorded as it was asked for.
  if (toTarget(locator).path.length > URL_MAX) return 'unreadable_url';
  return other === undefined && missing.length === 0 ? first : { found: found as [Found, ...Found[]], missing };
}

/** A port that a collection or the `source` of an item names is a site of its own; another one is made up. */
function withoutMadeUpPort(
  { host }: Locator,
  readings: readonly (Reading & Registered)[],
  { index }: InForce,
): readonly (Reading & Registered)[] {
  const ofHost = readings.filter(({ locator }) => locator.host === host);
  if (ofHost.length === readings.length) return readings;
  return index.namesHost(host) || ofHost.some(({ bySource }) => bySource) ? ofHost : readings;
}

const withAsked = (at: Found, asked: Locator): Found =>
  'id' in at ? { ...at, asked } : { page: { ...at.page, asked } };

function reach(locator: Locator, id: string | null | undefined, inForce: InForce): Found | Undecided {
  if (id === null) return 'ambiguous_content';
  if (id !== undefined) return { id, locator };
  if (inForce.index.size === 0) return 'none';
  const urls = ownUrlsOf(inForce, locator.host);
  const match = inForce.index.findMatch({ locator, item: null, urls });
  if (match === undefined) return 'none';
  const { collection, namesQuery } = match;
  // A page is recorded by its URL, which a visitor chooses.
  if (toTarget(locator).path.length > URL_MAX || (namesQuery && locator.query.length > URL_MAX))
    return 'unreadable_url';
  const place = {
    policyId: collection.policyId ?? inForce.defaultPolicyId,
    collectionId: collection.id,
    observed: collection.mode === 'observe',
    ...(urls === undefined ? {} : { urls }),
  };
  return { page: toPage(locator, place, namesQuery) };
}

export const toPage = (
  locator: Locator,
  { policyId, collectionId, observed, urls }: Place,
  namesQuery = false,
): Page => ({ locator, namesQuery, policyId, collectionId, observed, ...(urls === undefined ? {} : { urls }) });

/** Nothing decides about a URL. */
export class UndecidedUrl extends Failure {
  readonly why: Undecided;
  readonly locator: Locator;

  constructor(locator: Locator, why: Undecided) {
    const url = `${locator.host}${locator.path}`.slice(0, 200);
    if (why === 'none') {
      const steps = 'Register the item, or make a collection for its address.';
      super('content_not_found', `No item is registered at ${url}, and no collection has it. ${steps}`);
    } else if (why === 'unreadable_url') super('invalid_request', UNDECIDED[why], { param: 'url' });
    else super('ambiguous_content', UNDECIDED[why], { param: 'url' });
    this.why = why;
    this.locator = locator;
  }
}

const UNDECIDED = {
  ambiguous_content:
    'Several items are registered at this URL, so none is chosen. Ask by `contentId`, or register one of them elsewhere.',
  ambiguous_readings:
    'Servers may read this URL as another one, and both are not allowed alike. Ask for the URL without its port, `;…`, encoded `?` or `#`, or what follows an index file; or give both the same policy.',
  unreadable_url:
    'Servers may read this URL differently: without its port, or what follows a semicolon or an encoded `?` or `#`, it leads to something else.',
};
