/**
 * Finds what decides about a URL: the item that is served there, else the most specific collection. Where several items
 * could be meant, none is chosen. Once an edit has been answered, it counts. Promise: no two spellings of one file
 * reach different items or collections. `lib/urls/spellings` says which spellings a host treats as one file,
 * `lib/urls/readings` what else a server could make of a URL. Of a URL with several readings, all are found, and the
 * check is made under each. A caller's router may ignore more than the host says: then the check is made by the looser
 * rules, and by those of the host, so that no spelling opens what the one that was asked for closes.
 */
import type { Changes } from '../api/changes/changes.ts';
import type { Db } from '../db/db.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { Locator } from '../lib/urls/locator.ts';
import { findReadings, type Reading } from '../lib/urls/readings.ts';
import type { Looseness } from '../lib/urls/spellings.ts';
import { toTarget } from '../lib/urls/url-pattern.ts';
import type { Place, VisitedPage } from '../rules/facts.ts';
import type { Matched } from './collections/collection-index.ts';
import { findHostUrls, hostUrlRules, type InForce } from './collections/known.ts';
import { loosened, nameOfLooseness } from './collections/loosened.ts';
import { type AddressLookup, addressKey, KnownAddresses } from './known-addresses.ts';
import { candidatePaths, findRegistered, type Registered, type ServedAddress } from './served.ts';
import type { Undecided } from './undecided.ts';

/** The longest path, and the longest query, that is recorded; that of an item's `source`. */
export const URL_MAX = 2_048;

/** A URL that was asked for, and what the router of the caller ignores. */
export interface AskedUrl {
  readonly locator: Locator;
  readonly urls?: Looseness | undefined;
}

/** An item by its id. */
export interface FoundItem {
  readonly id: string;
  /** The URL that leads to it. */
  readonly locator: Locator;
  readonly asked?: Locator | undefined;
  /** Its place is found by rules that are at least as loose. */
  readonly urls?: Looseness | undefined;
}

/** An item, or a page of a collection. */
export type FoundContent = FoundItem | { readonly page: VisitedPage };

/** The items and pages of a URL with several readings, the plainest reading first. */
export interface Several {
  readonly found: readonly [FoundContent, ...FoundContent[]];
  /** The readings that find nothing. */
  readonly missing: readonly Locator[];
  /** The URL has one reading, and these are its spellings for the router of the caller. */
  readonly spelled: boolean;
}

export type AtUrl = FoundContent | Several | Undecided;

/** Returns all that a URL leads to. */
export const foundAt = (at: AtUrl): readonly FoundContent[] =>
  typeof at === 'string' ? NOTHING : 'found' in at ? at.found : [at];
const NOTHING: readonly FoundContent[] = [];

export interface Addresses {
  /** Returns undefined for what is not in memory. */
  now(asked: AskedUrl, inForce: InForce): AtUrl | undefined;
  /** Throws Unavailable. */
  read(asked: AskedUrl, inForce: InForce): Promise<AtUrl>;
  /** Reads what is not in memory in a few queries. Throws Unavailable. */
  readAll(all: readonly AskedUrl[], inForce: InForce): Promise<Map<Locator, AtUrl>>;
}

/** A reading with the items that are registered there, by the rules of the host or by looser ones. */
type ReadAt = Reading & Registered & { readonly urls?: Looseness | undefined };

/** The readings of a URL with the items that are registered there. */
interface Items extends AddressLookup {
  readonly readings: readonly ReadAt[] | 'unreadable';
}

interface Known extends Items {
  inForce: InForce;
  at: AtUrl;
}

/** `locator.host` is empty where the host is not known. */
export function openAddresses(db: Db, changes: Changes): Addresses {
  const known = changes.known('addresses', new KnownAddresses<Known>());

  function now({ locator, urls }: AskedUrl, inForce: InForce): AtUrl | undefined {
    const entry = known.get(locator, nameOfLooseness(urls));
    if (entry === undefined) return undefined;
    if (entry.inForce !== inForce) {
      // Other spellings may lead to the same file now.
      if (entry.inForce.urls !== inForce.urls) return undefined;
      entry.at = choose(locator, entry, inForce);
      entry.inForce = inForce;
    }
    return entry.at;
  }

  async function readAll(all: readonly AskedUrl[], inForce: InForce): Promise<Map<Locator, AtUrl>> {
    const found = new Map(all.map((asked) => [asked.locator, now(asked, inForce)]));
    const missing = all.filter(({ locator }) => found.get(locator) === undefined);
    const keep = known.begin();
    const read = await readItems(db, missing, inForce);
    // A long URL and many patterns with `*` take milliseconds.
    const chosen = await mapInSlices(missing, ({ locator, urls }, i) => {
      const items = read[i] as Items;
      const at = choose(locator, items, inForce);
      keep(locator, nameOfLooseness(urls), { ...items, inForce, at });
      return at;
    });
    for (const [i, { locator }] of missing.entries()) found.set(locator, chosen[i]);
    return found as Map<Locator, AtUrl>;
  }

  return {
    now,
    readAll,
    read: async (asked, inForce) => (await readAll([asked], inForce)).get(asked.locator) as AtUrl,
  };
}

/**
 * Reads what decides about a URL without remembering it; collections as `inForce` has them. `wasThere` says of an item
 * whether it counts.
 */
export async function readAddress(
  db: Db,
  { locator, urls }: AskedUrl,
  inForce: InForce,
  wasThere?: (id: string) => Promise<boolean>,
): Promise<AtUrl> {
  const [items] = await readItems(db, [{ locator, urls }], inForce);
  const { readings } = items as Items;
  if (wasThere === undefined || readings === 'unreadable') return choose(locator, items as Items, inForce);
  const counted: ReadAt[] = [];
  for (const one of readings) {
    const ids = [];
    for (const id of idsOf(one)) if (await wasThere(id)) ids.push(id);
    counted.push(one.id === null ? one : { ...one, id: ids[0], others: ids.slice(1) });
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
  return findReadings(locator, hostUrlRules(inForce, locator.host).index) ?? [{ locator, rare: false }];
}

/** Returns the readings by looser rules, each followed by the one by the rules of the host. */
function spelled(
  readings: readonly Reading[],
  urls: Looseness | undefined,
  inForce: InForce,
): (Reading & ServedAddress & Pick<ReadAt, 'urls'>)[] {
  return readings.flatMap((reading) => {
    const { host } = reading.locator;
    const rules = hostUrlRules(inForce, host);
    const looser = urls === undefined ? rules : hostUrlRules(loosened(inForce, urls), host);
    if (looser === rules) return [{ ...reading, rules }];
    return [
      { ...reading, rules: looser, urls },
      { ...reading, rules, rare: true },
    ];
  });
}

async function readItems(db: Db, all: readonly AskedUrl[], inForce: InForce): Promise<Items[]> {
  const readings = all.map(({ locator, urls }) => {
    const some = readingsAt(locator, inForce);
    return some === 'unreadable' ? some : spelled(some, urls, inForce);
  });
  const addresses = readings.map((some) => (some === 'unreadable' ? [] : some));
  const found = (await findRegistered(db, addresses.flat())).values();
  return readings.map((some) => {
    if (some === 'unreadable') return { readings: some, ...UNKNOWN };
    const read = some.map((one): ReadAt => ({ ...one, ...(found.next().value as Registered) }));
    const texts = [...read.flatMap(idsOf), ...some.flatMap(candidatePaths)];
    return {
      readings: read.map((one, i) => (one.urls === undefined ? one : withOwnFirst(one, read[i + 1]?.id))),
      keys: [...new Set(texts.map(addressKey))],
      isUnsure: read.some(({ id }) => id === null),
    };
  });
}

const idsOf = ({ id, others = [] }: Registered): string[] => (typeof id === 'string' ? [id, ...others] : []);

/** Puts the item at the URL as it is spelled first: of several that only the router takes for one, it is meant. */
function withOwnFirst(looser: ReadAt, own: string | null | undefined): ReadAt {
  if (looser.others === undefined) return looser;
  const ids = idsOf(looser);
  if (typeof own !== 'string' || !ids.includes(own)) return { ...looser, id: null, others: undefined };
  return { ...looser, id: own, others: ids.filter((id) => id !== own) };
}

function choose(locator: Locator, { readings }: Items, inForce: InForce): AtUrl {
  if (readings === 'unreadable') return 'unreadable_url';
  const [only, second] = readings;
  return only !== undefined && second === undefined
    ? reach(only.locator, only.id, inForce)
    : chooseAll(locator, readings, inForce);
}

function chooseAll(locator: Locator, readings: readonly ReadAt[], inForce: InForce): AtUrl {
  const found: FoundContent[] = [];
  const missing: Locator[] = [];
  for (const reading of withoutMadeUpPort(locator, readings, inForce)) {
    // Few servers read it so, and no item is meant.
    if (reading.rare && reading.unmet) continue;
    const at = reachAll(reading, inForce);
    if (at === 'none') {
      if (!reading.rare) missing.push(reading.locator);
    } else if (typeof at === 'string') return at;
    else found.push(...at.map((one) => (reading.locator === locator ? one : withAsked(one, locator))));
  }
  const [first, other] = found;
  if (first === undefined) return 'none';
  // The URL is recorded as it was asked for.
  if (toTarget(locator).path.length > URL_MAX) return 'unreadable_url';
  if (other === undefined && missing.length === 0) return first;
  const isSpelled = readings.every((one) => one.locator === locator);
  return { found: found as [FoundContent, ...FoundContent[]], missing, spelled: isSpelled };
}

/** Returns all that a reading finds: by looser rules, it may be several items, or pages of several collections. */
function reachAll(reading: ReadAt, inForce: InForce): readonly FoundContent[] | Undecided {
  const { locator, urls, id } = reading;
  if (urls === undefined) return listed(reach(locator, id, inForce));
  if (typeof id === 'string') return idsOf(reading).map((one) => ({ id: one, locator, urls }));
  const place = loosened(inForce, urls);
  const at = reach(locator, id, place);
  return typeof at === 'string' || 'id' in at ? listed(at) : [at, ...otherPages(locator, place)];
}

const listed = (at: FoundContent | Undecided): readonly FoundContent[] | Undecided =>
  typeof at === 'string' ? at : [at];

/** Returns the pages of collections whose patterns differ from the most specific one by the case of letters alone. */
const otherPages = (locator: Locator, inForce: InForce): FoundContent[] =>
  inForce.index
    .findOtherCase({ locator, item: null, urls: findHostUrls(inForce, locator.host) })
    .map((match) => toFoundPage(locator, match, inForce));

/** A port that a collection or the `source` of an item names is a site of its own; another one is made up. */
function withoutMadeUpPort({ host }: Locator, readings: readonly ReadAt[], { index }: InForce): readonly ReadAt[] {
  const ofHost = readings.filter(({ locator }) => locator.host === host);
  if (ofHost.length === readings.length) return readings;
  return index.namesHost(host) || ofHost.some(({ bySource }) => bySource) ? ofHost : readings;
}

const withAsked = (at: FoundContent, asked: Locator): FoundContent =>
  'id' in at ? { ...at, asked } : { page: { ...at.page, asked } };

function reach(locator: Locator, id: string | null | undefined, inForce: InForce): FoundContent | Undecided {
  if (id === null) return 'ambiguous_content';
  if (id !== undefined) return { id, locator };
  if (inForce.index.size === 0) return 'none';
  const urls = findHostUrls(inForce, locator.host);
  const match = inForce.index.findMatch({ locator, item: null, urls });
  if (match === undefined) return 'none';
  const { namesQuery } = match;
  // A page is recorded by its URL, which a visitor chooses.
  if (toTarget(locator).path.length > URL_MAX || (namesQuery && locator.query.length > URL_MAX))
    return 'unreadable_url';
  return toFoundPage(locator, match, inForce);
}

function toFoundPage(locator: Locator, { collection, namesQuery }: Matched, inForce: InForce): FoundContent {
  const urls = findHostUrls(inForce, locator.host);
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
): VisitedPage => ({ locator, namesQuery, policyId, collectionId, observed, ...(urls === undefined ? {} : { urls }) });
