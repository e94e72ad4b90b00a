/**
 * Makes the table of a site: which patterns there are, in the order in which collections win, and what the policies
 * answer there. Yields to the event loop between slices.
 */

import { toPage } from '../../content/address.ts';
import type { Collection } from '../../content/collections/collection.ts';
import type { Site } from '../../content/sites/site.ts';
import { Slices } from '../../lib/slices.ts';
import { matchesPath, type PathPattern, toTarget } from '../../lib/urls/url-pattern.ts';
import type { Offer } from '../../requesters/offers/offer.ts';
import { toPriceList } from '../../requesters/offers/price-list.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import type { Crawler } from '../../rules/crawlers/crawler.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';
import { AskedPolicy, nextLicenseTime, type Purposes, refusedCell } from './ask.ts';
import { type AskerClass, Classifier, type Name } from './classes.ts';
import { findHostEntries, rowAt, type TableEntry, unsaid } from './entries.ts';
import { freeRows } from './free.ts';
import { type SiteItem, toItemRows } from './item-rows.ts';
import { isOpen, widerPatterns } from './other-case.ts';
import { cut, EVERYWHERE, patternKey, type UrlRegion } from './regions.ts';
import { toLicense } from './sale.ts';
import { type Audience, type Inexpressible, spellPattern, type Table, type TableRow } from './table.ts';
import { USE_WORDS, USES } from './words.ts';
import { findRowOffers, type Work } from './work.ts';

/** All that the statements of a site rest on. */
export interface Sources {
  site: Site;
  /** The license server that the site names; null: none. */
  server: string | null;
  now: number;
  /** In any order; those of other hosts are left out. */
  collections: readonly Collection[];
  defaultPolicyId: string;
  /** Policies of all collections of the host, and of the items. */
  policies: ReadonlyMap<string, CompiledPolicy>;
  crawlers: readonly Crawler[];
  /** Returns the requester that has the name. */
  named(userAgent: string): Name['requester'];
  offers: readonly Offer[];
  items: readonly SiteItem[];
  /** The items are not all: there are more than are read. */
  hasMoreItems: boolean;
}

/** A crawler that the directory does not know. */
const STRANGER = 'UnnamedBot';

export async function assess(sources: Sources): Promise<Table> {
  const { site, now, crawlers, policies } = sources;
  const slices = new Slices();
  const { audiences, askers } = toAudiences(sources, crawlers);
  const classifier = new Classifier(askers);
  const asked = new Map<string, AskedPolicy>();
  const purposes = toPurposes(site);
  const cannotExpress: Inexpressible[] = [];
  const work: Work = {
    site,
    cells: new Map(),
    slices,
    cannotExpress,
    now,
    offers: toPriceList(site.signals.license || site.signals.tdmrep ? sources.offers : []),
    sales: new Map(),
    policyOf(id, offer) {
      const policy = policies.get(id);
      if (policy === undefined) return undefined;
      const license = offer === undefined ? null : toLicense(offer);
      const name = `${id}\n${offer?.id ?? ''}`;
      const known = asked.get(name) ?? new AskedPolicy(policy, classifier, { purposes, now, urls: site.urls, license });
      asked.set(name, known);
      return known;
    },
  };
  const pages = await toRows(work, findHostEntries(site.host, sources.collections, site.urls), sources.defaultPolicyId);
  const items = await toItemRows(work, sources.items, pages);
  if (sources.hasMoreItems) cannotExpress.push(MORE_ITEMS);
  const ends = sources.offers.map(({ validUntil }) => Date.parse(validUntil ?? '')).filter((at) => at > now);
  const until = Math.min(
    nextLicenseTime(askers, now),
    ...[...asked.values()].map(({ reading }) => reading.until),
    ...ends,
  );
  const rows = [...freeRows(site, audiences.length), ...items, ...pages];
  return { host: site.host, site, server: sources.server, audiences, rows, cannotExpress, until };
}

const MORE_ITEMS: Inexpressible = {
  kind: null,
  about: [],
  message:
    'The site has more items than are looked at. Those without a policy of their own are published by their path.',
};

export const toPurposes = ({ purposes }: Site): Purposes =>
  Object.fromEntries(USES.map((use) => [use, purposes[use] ?? USE_WORDS[use].purposes])) as Purposes;

/** The audiences: everybody else, then every token of the directory. */
function toAudiences(
  { named }: Sources,
  crawlers: readonly Crawler[],
): { audiences: Audience[]; askers: AskerClass[] } {
  const audiences: Audience[] = [{ token: '*', crawler: null }];
  const toName = (userAgent: string): Name => ({ userAgent, requester: named(userAgent) });
  const askers: AskerClass[] = [{ names: toUserAgents(STRANGER).map(toName), purpose: null }];
  for (const { name, purpose, userAgents } of crawlers) {
    for (const token of userAgents) {
      const names = toUserAgents(token).filter((text) => findCrawler(text)?.name === name);
      audiences.push({ token, crawler: name });
      askers.push({
        names: (names.length === 0 ? [token] : names).map(toName),
        purpose: OWN_PURPOSES.has(purpose) ? purpose : null,
      });
    }
  }
  return { audiences, askers };
}

/** Purposes of crawlers that are purposes of checks too. */
const OWN_PURPOSES: ReadonlySet<string> = new Set(['training', 'search', 'user_fetch']);

/** Returns all user agents that are asked about. */
export const namesOfAudiences = (crawlers: readonly Crawler[]): string[] =>
  [STRANGER, ...crawlers.flatMap(({ userAgents }) => userAgents)].flatMap(toUserAgents);

const toUserAgents = (token: string): string[] => [token, `Mozilla/5.0 (compatible; ${token}/1.0)`];

async function toRows(work: Work, entries: readonly TableEntry[], defaultPolicyId: string): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  const seen = new Set<string>();
  for (const { collection, pattern, isUnsaid } of entries) {
    const region = pattern ?? EVERYWHERE;
    const name = patternKey(region);
    if (seen.has(name)) continue;
    seen.add(name);
    const policy = work.policyOf(collection.policyId ?? defaultPolicyId);
    const own = policy === undefined ? [] : assessPolicy(work, { collection, region, policy });
    for (const row of own) rows.push(row);
    await work.slices.next();
    if (isUnsaid === true && policy !== undefined) {
      const wider = closing(work, own, region).filter((one) => !seen.has(patternKey(one)));
      work.cannotExpress.push(unsaid(region, collection));
      for (const one of wider) {
        seen.add(patternKey(one));
        rows.push({ ...rowAt(collection), pattern: one, cell: refusedCell(policy) });
      }
    }
    if (pattern === null || seen.has(patternKey(EVERYWHERE))) break;
  }
  return rows;
}

/** Returns patterns that close all spellings of a region; none where it is open, as less specific ones are no more. */
const closing = ({ site }: Work, rows: readonly TableRow[], region: PathPattern): PathPattern[] =>
  rows.every(({ cell }) => isOpen(cell)) ? [] : widerPatterns(region, site.urls);

interface Placed {
  collection: Collection;
  region: PathPattern;
  policy: AskedPolicy;
}

function assessPolicy(work: Work, { collection, region, policy }: Placed): TableRow[] {
  const { id: collectionId } = collection;
  const { paths } = policy.reading;
  const rest = rowAt(collection);
  const regions = paths === null ? undefined : splitRegion(region, paths);
  if (regions === undefined) {
    work.cannotExpress.push({
      kind: null,
      about: [spellPattern(region)],
      message: `Path conditions of the policy ${policy.policy.id} overlap in a way that no patterns can say, so access is published as denied.`,
    });
    return [{ pattern: region, cell: refusedCell(policy), ...rest }];
  }
  if (policy.reading.circumstances === 'too many') {
    work.cannotExpress.push({
      kind: null,
      about: [spellPattern(region)],
      message: `The policy ${policy.policy.id} distinguishes too many times, countries and addresses, so access is published as denied.`,
    });
  }
  const { host } = work.site;
  return regions.map(({ pattern, witness }) => {
    const locator = { host, ...witness };
    const { urls } = work.site;
    const place = { policyId: policy.policy.id, collectionId, observed: rest.observed, urls };
    const target = toTarget(locator);
    const name = [
      policy.policy.id,
      policy.asks('collection') ? collectionId : '',
      (paths ?? []).map((path) => (matchesPath(path, target) ? '1' : '0')).join(''),
    ].join();
    const asked = { content: null, page: toPage(locator, place) };
    const cell = work.cells.get(name) ?? policy.answer(asked);
    work.cells.set(name, cell);
    return { pattern, cell, ...findRowOffers(work, name, { cell, place: asked }), ...rest };
  });
}

const splitRegion = (region: PathPattern, paths: readonly PathPattern[]): UrlRegion[] | undefined =>
  paths.length === 0 ? [{ pattern: region, witness: { path: '/', query: '' } }] : cut(region, paths);
