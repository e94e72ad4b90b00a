/**
 * The items that a requester may have now, newest first. Only places are searched in which the policy may allow it
 * something: `rules/reach` says so without looking at an item. What is found there is decided as a check decides it.
 * Limits and quotas are left out: they change with every request. Nothing is recorded.
 */
import type { Collection } from '../../content/collections/collection.ts';
import type { InForce } from '../../content/collections/known.ts';
import { type Content, toContentFacts } from '../../content/content.ts';
import { findActive, findPoliciesInUse, type Places } from '../../content/list-store.ts';
import { isPlacedBy } from '../../content/place-store.ts';
import { toPlace } from '../../content/placement.ts';
import type { Db } from '../../db/db.ts';
import { Slices } from '../../lib/slices.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import { decide, type Evaluation } from '../../rules/decide.ts';
import type { Place } from '../../rules/facts.ts';
import { findAllowable, type ItemsOf } from '../../rules/reach.ts';
import { type Inputs, toFacts } from '../check/facts.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { KnownRequester } from '../snapshot/subject.ts';

/** A requester, and what is stated of its requests. */
export interface ReachAsker {
  /** null: none is named. */
  id: string | null;
  requester: KnownRequester;
  inputs: Inputs;
  at: number;
}

export interface ReachDeps {
  db: Db;
  snapshot: Pick<Snapshot, 'inForce' | 'findPolicy'>;
}

export interface SoughtItems {
  asker: ReachAsker;
  /** Absent: anywhere. */
  collectionId?: string | undefined;
  /** A type of content, or a tag. */
  kind?: string | undefined;
  /** Also items that collections only observe: they are let through. */
  observed?: boolean;
  /** The id that the page begins below. */
  before: string | undefined;
  limit: number;
}

export interface ReachedItem {
  item: Content;
  evaluation: Evaluation;
}

export interface ReachedItems {
  /** The policies that were looked at. */
  policies: Iterable<CompiledPolicy>;
  found: ReachedItem[];
  /** The id that the next page begins below; null: this is the last. */
  next: string | null;
}

/** Items decided for a page: it may have fewer than asked for while there are more. */
const DECIDED_MAX = 2_000;
const READ_AT_ONCE = 250;
/** With more policies and collections than this, items are decided wherever they are. */
const PLACES_MAX = 500;
/** The same for items that rules and licenses name. */
const IDS_MAX = 5_000;

export async function findReached(deps: ReachDeps, sought: SoughtItems): Promise<ReachedItems> {
  const { db, snapshot } = deps;
  const inForce = await snapshot.inForce();
  const kept = new Map<string, CompiledPolicy | undefined>();
  const policyAt: FindPolicy = (id) =>
    kept.has(id)
      ? kept.get(id)
      : snapshot.findPolicy(id).then((policy) => {
          kept.set(id, policy);
          return policy;
        });
  const isPlaced = await isPlacedBy(db, inForce);
  const places = isPlaced ? await findPlaces({ db, inForce, policyAt }, sought) : null;
  const reached = await readReached({ db, inForce, policyAt, places }, sought);
  // Items that were placed again meanwhile may have been missed.
  const isCertain = places === null || (await isPlacedBy(db, inForce));
  const page = isCertain ? reached : await readReached({ db, inForce, policyAt, places: null }, sought);
  return { ...page, policies: [...kept.values()].filter((policy) => policy !== undefined) };
}

/** Finds each policy once, so that a page is decided by one version. */
type FindPolicy = (id: string) => CompiledPolicy | undefined | Promise<CompiledPolicy | undefined>;

interface Search {
  db: Db;
  inForce: InForce;
  policyAt: FindPolicy;
}

/** Returns the places in which the policy may allow something; null: too many to ask each. */
async function findPlaces({ db, inForce, policyAt }: Search, sought: SoughtItems): Promise<Places | null> {
  const collections = inForce.index.all().filter(({ id }) => (sought.collectionId ?? id) === id);
  const inUse = await findPoliciesInUse(db, PLACES_MAX);
  if (inUse.own.length + inUse.unplaced.length + collections.length >= PLACES_MAX) return null;
  const lets = sought.observed === true;
  const slices = new Slices();
  const ids = new Set<string>();
  const filter = async <T>(all: readonly T[], placeAt: (one: T) => Place, common: ItemsOf): Promise<T[]> => {
    const found: T[] = [];
    for (const one of all) {
      const place = placeAt(one);
      const policy = await policyAt(place.policyId);
      const allowed = policy === undefined ? 'none' : findAllowable(policy, factsAt(sought.asker, place), common);
      if (allowed === 'any' || (lets && place.observed)) found.push(one);
      else if (allowed !== 'none') for (const id of allowed) ids.add(id);
      await slices.next();
    }
    return found;
  };
  const anyObserves = collections.some(({ mode }) => mode === 'observe');
  const outside = (policyId: string): Place => ({ policyId, collectionId: null, observed: false });
  const own = (policyId: string): Place => ({ ...outside(policyId), observed: anyObserves });
  const places = {
    own: await filter(inUse.own, own, 'policy'),
    unplaced: sought.collectionId === undefined ? await filter(inUse.unplaced, outside, 'place') : [],
    collections: (await filter(collections, (one) => toCollectionPlace(one, inForce), 'place')).map(({ id }) => id),
  };
  return ids.size > IDS_MAX ? null : { ...places, ids: [...ids] };
}

/** Returns the place of what a collection decides. */
export const toCollectionPlace = (
  { id, policyId, mode }: Pick<Collection, 'id' | 'policyId' | 'mode'>,
  { defaultPolicyId }: Pick<InForce, 'defaultPolicyId'>,
): Place => ({ policyId: policyId ?? defaultPolicyId, collectionId: id, observed: mode === 'observe' });

/** Returns the facts of a request for something at a place, of which nothing else is known. */
export const factsAt = ({ id, requester, inputs, at }: ReachAsker, place: Place) =>
  toFacts({ content: null, place, requester }, id, inputs, at);

async function readReached(
  { places, ...search }: Search & { places: Places | null },
  sought: SoughtItems,
): Promise<Omit<ReachedItems, 'policies'>> {
  const { collectionId, kind, limit } = sought;
  const found: ReachedItem[] = [];
  const slices = new Slices();
  let { before } = sought;
  let size = Math.min(limit + 1, READ_AT_ONCE);
  for (let decided = 0; decided < DECIDED_MAX; size = READ_AT_ONCE) {
    const items = await findActive(search.db, { places, collectionId, kind, before, limit: size });
    for (const item of items) {
      const reached = await reach(item, search, sought);
      if (reached !== undefined && found.length === limit) return { found, next: found.at(-1)?.item.id ?? null };
      if (reached !== undefined) found.push(reached);
      before = item.id;
      await slices.next();
    }
    if (items.length < size) return { found, next: null };
    decided += items.length;
  }
  return { found, next: before ?? null };
}

/** Returns the item with its decision; undefined where the requester may not have it. */
async function reach(
  item: Content,
  { inForce, policyAt }: Search,
  { asker, collectionId, observed }: SoughtItems,
): Promise<ReachedItem | undefined> {
  const place = toPlace(item, inForce);
  if (collectionId !== undefined && place.collectionId !== collectionId) return undefined;
  const found = policyAt(place.policyId);
  const policy = found instanceof Promise ? await found : found;
  if (policy === undefined) return undefined;
  const { id, requester, inputs, at } = asker;
  const facts = toFacts({ content: toContentFacts(item, place), requester }, id, inputs, at);
  const verdict = decide(policy, facts);
  const isLet = verdict.reason === null || (observed === true && place.observed);
  return isLet ? { item, evaluation: { policy, facts, verdict } } : undefined;
}
