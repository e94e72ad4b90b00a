/**
 * All collections in memory, the default policy, and the rules of hosts that say which URLs are one file: read at the
 * first use, then kept up with the changes. Once this node has answered an edit, no search that starts afterwards
 * misses it.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Lru } from '../../lib/cache/lru.ts';
import { Whole } from '../../lib/cache/whole.ts';
import { sameJson } from '../../lib/json.ts';
import { Slices } from '../../lib/slices.ts';
import { type UrlRules, USUAL_URLS } from '../../lib/urls/spellings.ts';
import { findDefaultPolicyId, findDefaultPolicyIdAt } from '../../policies/store.ts';
import { findLastSiteEdit, findOwnUrls, findOwnUrlsAt } from '../sites/store.ts';
import type { Collection } from './collection.ts';
import { CollectionIndex } from './collection-index.ts';
import { countVersionsAt, findAllCollections, findCollectionsAt, findEditsAfter, findLastEdit } from './store.ts';

/** The rules of hosts, where not usual. */
export type UrlsByHost = Pick<ReadonlyMap<string, UrlRules>, 'get' | 'size'>;

/** The state that gives policies to items without one of their own. Another object after each edit. */
export interface InForce {
  readonly index: CollectionIndex;
  /** The policy of collections without one. */
  readonly defaultPolicyId: string;
  /** Rules of hosts for URLs that are one file, where not usual. The same object until one of them is edited. */
  readonly urls?: UrlsByHost;
  /** The last edit in the index; `LAST_EDIT` in the store is another one if there were more. */
  readonly lastEdit: number;
  /** The last edit of a site in `urls`; `LAST_SITE_EDIT` in the store is another one if there were more. */
  readonly lastSiteEdit: number;
}

/** The state that places an item or a URL. */
export type Placing = Pick<InForce, 'index' | 'defaultPolicyId' | 'urls'>;

/** Returns the rules of a host if they are not the usual ones. */
export const findHostUrls = ({ urls }: Pick<InForce, 'urls'>, host: string): UrlRules | undefined => urls?.get(host);

export const hostUrlRules = (inForce: Pick<InForce, 'urls'>, host: string): UrlRules =>
  findHostUrls(inForce, host) ?? USUAL_URLS;

export type KnownCollections = Pick<Whole<InForce>, 'now' | 'read'>;

export const openCollections = (db: Db, changes: Changes): KnownCollections =>
  changes.known('collections', new Whole((last: Known | undefined) => catchUp(db, last)));

type Known = InForce & { urls: Urls };

async function catchUp(db: Db, last: Known | undefined): Promise<Known> {
  // The number first: edits that the index already has are applied again.
  const lastEdit = last?.lastEdit ?? (await findLastEdit(db));
  const index = last?.index ?? (await toIndex(await findAllCollections(db)));
  const defaultPolicyId = await findDefaultPolicyId(db);
  const lastSiteEdit = await findLastSiteEdit(db);
  const urls = withKnown(await findOwnUrls(db), last?.urls);
  const edits = await findEditsAfter(db, lastEdit);
  for (const { id, collection } of edits) {
    if (collection === null) index.delete(id);
    else index.put(collection);
  }
  return { index, defaultPolicyId, urls, lastEdit: edits.at(-1)?.seq ?? lastEdit, lastSiteEdit };
}

type Urls = ReadonlyMap<string, UrlRules>;

/** Keeps what is equal: what was found by it is still right. */
const withKnown = (read: Urls, known: Urls | undefined): Urls =>
  known !== undefined && sameJson([...read], [...known]) ? known : read;

async function toIndex(collections: readonly Collection[]): Promise<CollectionIndex> {
  const index = new CollectionIndex();
  const slices = new Slices();
  for (const collection of collections) {
    index.put(collection);
    await slices.next();
  }
  return index;
}

/** Past states held at once: each is an index of all addresses. */
const PAST_MAX = 4;

/** Returns a function that finds what was in force at a past time (epoch ms), and remembers a few states. */
export function openPastCollections(db: Db): (at: number) => Promise<InForce> {
  const indexes = new Lru<number, CollectionIndex>(PAST_MAX);
  return async (at) => {
    const versions = await countVersionsAt(db, at);
    const index = indexes.get(versions) ?? (await toIndex(await findCollectionsAt(db, at)));
    indexes.set(versions, index);
    const urls = await findOwnUrlsAt(db, at);
    return { index, defaultPolicyId: await findDefaultPolicyIdAt(db, at), urls, lastEdit: 0, lastSiteEdit: 0 };
  };
}
