/** Makes the rows of registered items. */
import { toPage } from '../../content/address.ts';
import { sameJson } from '../../lib/json.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import { canonicalPath, spellPath, type UrlRules } from '../../lib/urls/spellings.ts';
import { matchesPath, type PathPattern, toTarget } from '../../lib/urls/url-pattern.ts';
import type { ContentFacts } from '../../rules/facts.ts';
import { type AskedPlace, type AskedPolicy, refusedCell } from './ask.ts';
import { isOpen, widerPatterns } from './other-case.ts';
import { patternKey } from './regions.ts';
import type { Cell, Inexpressible, TableRow } from './table.ts';
import { USES } from './words.ts';
import { findRowOffers, type Work } from './work.ts';

/** A registered item of the site. */
export interface SiteItem {
  content: ContentFacts;
  locator: Locator;
  /** Another item is registered there too, so none is chosen. */
  isAmbiguous: boolean;
  /** Its `source` names the address, not its externalId. */
  bySource: boolean;
}

/** Items that are named. */
const ABOUT_MAX = 20;

const unsaidItems = (paths: readonly string[]): Inexpressible[] =>
  paths.length === 0 ? [] : [{ kind: null, about: paths.slice(0, ABOUT_MAX), message: UNSAID }];

const UNSAID =
  'The site ignores the case of letters, which patterns cannot. So all that begins like the paths of these items is published as denied. See `urls` of the site.';

/** Returns a row for each item that is answered otherwise than its path, with some query. */
export async function toItemRows(
  work: Work,
  items: readonly SiteItem[],
  pages: readonly TableRow[],
): Promise<TableRow[]> {
  const find = finder(pages);
  const rows: TableRow[] = [];
  const withQuery = new Set<string>();
  /** Rows that close other capitals of items. */
  const wider = new Map<string, TableRow>();
  const closed: string[] = [];
  for (const { content, locator, isAmbiguous } of items) {
    const policy = work.policyOf(content.policyId);
    if (policy === undefined) continue;
    const place = { content, page: toPage(locator, content) };
    const { cell, sale } = answered(work, policy, { place: { ...place, content }, isAmbiguous });
    const rest = { collectionId: content.collectionId, contentId: content.id, observed: content.observed };
    const { urls } = work.site;
    const spellings = spellPath(locator.path, urls).map((path) => ({ ...locator, path }));
    if (!isLikeAll({ cell, ...sale }, find(locator))) {
      for (const one of spellings) rows.push({ pattern: exactly(one), cell, ...sale, ...rest });
    }
    const others = isOpen(cell) ? [] : inOtherCase(locator, urls);
    if (others.length > 0) closed.push(locator.path);
    for (const pattern of others) wider.set(patternKey(pattern), { pattern, cell: refusedCell(policy), ...rest });
    // Beside items with queries, other queries of the path find none of them.
    const file = canonicalPath(locator.path, urls);
    const queried = locator.query === '' || withQuery.has(file) ? [] : spellings;
    if (queried.length > 0) withQuery.add(file);
    for (const one of queried) rows.push({ pattern: withAnyQuery(one), cell: refusedCell(policy), ...rest });
    await work.slices.next();
  }
  work.cannotExpress.push(...unsaidItems(closed));
  // The more specific one is first: that of a query, then that of all others of the path.
  return [...rows, ...wider.values()].toSorted((one, other) => other.pattern.octets - one.pattern.octets);
}

/** Returns whether rows are answered as an item is; without any, it stands alone. */
const isLikeAll = (
  { cell, offers }: Pick<TableRow, 'cell' | 'offers'>,
  rows: readonly TableRow[] | undefined,
): boolean => rows?.every((row) => isSame(cell, row.cell) && sameJson(offers, row.offers)) === true;

interface Asked {
  place: AskedPlace & { content: ContentFacts };
  isAmbiguous: boolean;
}

function answered(work: Work, policy: AskedPolicy, { place, isAmbiguous }: Asked) {
  if (isAmbiguous) return { cell: refusedCell(policy), sale: {} };
  const cell = policy.answer(place);
  const sale: Pick<TableRow, 'offers'> = findRowOffers(work, place.content.id, { cell, place });
  return { cell, sale };
}

const inOtherCase = (locator: Locator, urls: UrlRules): PathPattern[] =>
  urls.case === 'ignored' ? widerPatterns(exactly(locator), urls) : [];

/** Returns a function that finds the rows of a path: with its query, or else with any. */
function finder(rows: readonly TableRow[]): (locator: Locator) => TableRow[] | undefined {
  return (locator) => {
    const target = toTarget(locator);
    const found: TableRow[] = [];
    for (const row of rows) {
      const { path, query } = row.pattern;
      const isOther = locator.query === '' && query !== null;
      if (!matchesPath(isOther ? { path, query: null, octets: 0 } : row.pattern, target)) continue;
      found.push(row);
      if (!isOther) return found;
    }
    return undefined;
  };
}

const withAnyQuery = (locator: Locator): PathPattern => {
  const { path } = exactly({ ...locator, query: '' });
  return { path, query: { parts: [''], ends: false }, octets: (path.parts[0] as string).length + 2 };
};

const exactly = (locator: Locator): PathPattern => {
  const { path, query } = toTarget(locator);
  return {
    path: { parts: [path], ends: true },
    query: query === '' ? null : { parts: [query], ends: true },
    octets: path.length + 1 + (query === '' ? 0 : query.length + 1),
  };
};

function isSame(one: Cell, other: Cell): boolean {
  for (let i = 0; i < one.classOf.length; i++) {
    const [a, b] = [one.classOf[i] as number, other.classOf[i] as number];
    if (one.crawl[a]?.allowed !== other.crawl[b]?.allowed) return false;
    for (const use of USES) if (one.uses[use][a]?.allowed !== other.uses[use][b]?.allowed) return false;
  }
  return true;
}
