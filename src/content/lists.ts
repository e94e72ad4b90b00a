/**
 * Lists items. Those of a policy or a collection are found by `collection_id`. While items are being placed after an
 * edit, it is not yet right everywhere, and placing a million items takes longer than anybody waits for a list: then
 * the items that may be in it are placed in memory, newest first.
 */
import type { Changes } from '../api/changes/changes.ts';
import { unavailable } from '../api/errors.ts';
import type { Db } from '../db/db.ts';
import { countRows, fromCursor, PAGE_DEFAULT, type Page, toCursor } from '../db/page.ts';
import { Where } from '../db/query.ts';
import { atMost } from '../lib/queue.ts';
import { Slices } from '../lib/slices.ts';
import type { InForce, KnownCollections } from './collections/known.ts';
import { findLastEdit } from './collections/store.ts';
import type { Content } from './content.ts';
import { type ContentQuery, findNewest, ID_FORM, listContent, ownConditions } from './list-store.ts';
import {
  type Edited,
  findEditedSince,
  findPlacedTo,
  findSpanEnd,
  type Items,
  mayMove,
  maySelect,
  readItems,
} from './place-store.ts';
import { collectionFinder, placedBy, toPlacement } from './placement.ts';
import { type CachedTotal, openTotals } from './totals.ts';

/** Items that one statement reads: a few ms. Most pages are found in the first span. */
const FIRST_SPAN = 500;
const SPAN = 4_000;
/** Lists that may wait for another that places items in memory. */
const WAITING_MAX = 50;
/** Edits of collections may come faster than a list is made. */
const ATTEMPTS = 5;

/** A page with what places its items. */
export interface Listed {
  page: Page<Content>;
  inForce: InForce;
}

export function openLists(
  db: Db,
  changes: Pick<Changes, 'known'>,
  collections: KnownCollections,
): (query: ContentQuery) => Promise<Listed> {
  const totals = openTotals(changes);
  const turns = atMost(1, { waiting: WAITING_MAX, full: () => unavailable('Too many lists are being made.') });
  return async (query) => {
    const asksPlace = query.policyId !== undefined || query.collectionId !== undefined;
    if (asksPlace && (await findPlacedTo(db)) !== 'all') {
      return turns.run(() => listUnplaced(db, query, { collections, totals }));
    }
    const inForce = await collections.read();
    const count = (counting: Parameters<typeof countRows>[1]) => totals(counting, () => countRows(db, counting));
    return { page: await listContent(db, query, { inForce, count }), inForce };
  };
}

async function listUnplaced(
  db: Db,
  query: ContentQuery,
  { collections, totals }: { collections: KnownCollections; totals: CachedTotal },
): Promise<Listed> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const inForce = await collections.read();
    const edited = await findEditedSince(db);
    const page = await readUnplaced({ db, query, inForce, edited }, totals);
    // Another edit may have come between two statements.
    if ((await findLastEdit(db)) === inForce.lastEdit) return { page, inForce };
  }
  throw unavailable('Collections are being edited, so their items cannot be listed. Retry the list.');
}

interface Search {
  db: Db;
  query: ContentQuery;
  inForce: InForce;
  edited: Edited;
}

async function readUnplaced(search: Search, totals: CachedTotal): Promise<Page<Content>> {
  const { db, query, inForce } = search;
  const { limit = PAGE_DEFAULT, cursor, ...filters } = query;
  const before = cursor === undefined ? undefined : fromCursor(cursor, ID_FORM);
  let found: number[] | undefined;
  const { lastEdit, lastSiteEdit } = inForce;
  const totalCount = await totals({ ...filters, lastEdit, lastSiteEdit }, async () => {
    const all = await findMatches(search, { before, limit, counts: true });
    found = all.found;
    return all.total;
  });
  found ??= (await findMatches(search, { before, limit, counts: false })).found;
  const newest = await findNewest(db, found, limit + 1);
  // An item that was edited meanwhile may not belong here any more.
  const data = newest.filter((item) => belongs(toPlacement(item, inForce), query)).slice(0, limit);
  const last = newest[limit - 1] ?? newest.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { data, totalCount, hasMore, nextCursor: hasMore ? toCursor(last.id) : null };
}

const belongs = (
  placement: { policyId: string; collectionId: string | null },
  { policyId, collectionId }: ContentQuery,
): boolean =>
  (policyId === undefined || placement.policyId === policyId) &&
  (collectionId === undefined || placement.collectionId === collectionId);

interface Wanted {
  /** The id that the page begins below. */
  before: string | undefined;
  limit: number;
  /** Goes through all items. */
  counts: boolean;
}

/** Returns the numbers of the newest matches, more than a page if there are, and of all how many there are. */
async function findMatches(
  search: Search,
  { before, limit, counts }: Wanted,
): Promise<{ found: number[]; total: number }> {
  const found: number[] = [];
  let total = 0;
  let span = await nextSpan(search, { below: counts ? undefined : before, before, size: FIRST_SPAN });
  for (;;) {
    const { items, isOnPage, from } = span;
    const isLast = from === undefined || (!counts && found.length > limit);
    // The next span is read while this one is placed.
    const next = isLast ? undefined : nextSpan(search, { below: from, before, size: SPAN });
    const [matches, read] = await Promise.all([matchesAmong(items, search), next]);
    total += matches.length;
    if (isOnPage && found.length <= limit) found.push(...matches.map((i) => items.no?.[i] as number));
    if (read === undefined) return { found, total };
    span = read;
  }
}

interface Span {
  /** Ids: from the end, to below the beginning. undefined: the oldest item, and the newest. */
  from: string | undefined;
  isOnPage: boolean;
  items: Listable;
}

type Listable = Pick<Items, 'source'> & Partial<Pick<Items, 'no' | 'type' | 'tags' | 'policy_id' | 'owns_policy'>>;

/** Reads the items of a span that may be in the list. The page begins with a span. */
async function nextSpan(
  { db, query, inForce, edited }: Search,
  { below, before, size }: { below: string | undefined; before: string | undefined; size: number },
): Promise<Span> {
  const isOnPage = before === undefined || (below !== undefined && below <= before);
  const end = await findSpanEnd(db, below, size);
  const from = !isOnPage && (end === undefined || end < before) ? before : end;
  const { policyId, collectionId } = query;
  const where = ownConditions(query).and('id >= ?', from).and('id < ?', below);
  if (collectionId !== undefined) where.and(mayBeIn(db.engine, collectionId, { inForce, edited, where }));
  if (policyId !== undefined) where.and('(policy_id = ? or owns_policy = 0)', policyId);
  const columns: (keyof Listable)[] = [
    ...placedBy(inForce),
    ...(isOnPage ? (['no'] as const) : []),
    ...(policyId === undefined ? [] : (['policy_id', 'owns_policy'] as const)),
  ];
  return { from, isOnPage, items: await readItems(db, columns, { where }) };
}

/** Returns the indexes of the items that belong to the list. */
async function matchesAmong(items: Listable, { query, inForce }: Search): Promise<number[]> {
  const { index, defaultPolicyId } = inForce;
  const place = collectionFinder(inForce);
  const slices = new Slices();
  const matches: number[] = [];
  const pickPolicy = (i: number, id: string | null): string => {
    const own = items.policy_id?.[i] ?? '';
    return items.owns_policy?.[i] === 1 || id === null ? own : (index.get(id)?.policyId ?? defaultPolicyId);
  };
  for (let i = 0; i < items.source.length; i++) {
    const id = place(items, i);
    if (belongs({ policyId: pickPolicy(i, id), collectionId: id }, query)) matches.push(i);
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
  return matches;
}

/** Returns a condition of the items of a collection. It may hold for more. */
function mayBeIn(
  engine: Db['engine'],
  id: string,
  { inForce, edited, where }: Pick<Search, 'inForce' | 'edited'> & { where: Where },
): string {
  const collection = inForce.index.get(id);
  if (collection === undefined) return '1 = 0';
  const is = `collection_id = ${where.param(id)}`;
  return `(${is} or ${mayMove(engine, edited, where)} and ${maySelect(engine, collection, where)})`;
}
