/**
 * The files with the rules for crawlers, which are never refused: a crawler takes a 4xx on robots.txt for "everything
 * is open". Promise: a URL that some server could read as another file is not one of them. Pure.
 */
import { type Locator, parseLocator } from '../../lib/urls/locator.ts';
import { findReadings } from '../../lib/urls/readings.ts';
import { USUAL_URLS } from '../../lib/urls/spellings.ts';
import type { Site } from './site.ts';

/** Whole paths. */
export const FREE_FILES = ['/favicon.ico', '/license.xml', '/robots.txt', '/tdmrep.json'] as const;
export const FREE_FOLDER = '/.well-known/';

const FILES: ReadonlySet<string> = new Set(FREE_FILES);
/** A script may read what follows its name as the path of another page. */
const SCRIPT = /\.(?:php\d?|phtml|cgi|pl|py|rb|asp|aspx|jsp|html?)\//i;
/** Windows drops these, which may leave the folder above. */
const DROPPED = /[. ]\//;

/** Returns whether a path has one reading for every server. It must be that of a locator. */
function isPlain(path: string): boolean {
  if (SCRIPT.test(path) || DROPPED.test(path)) return false;
  const readings = findReadings({ host: '', path, query: '' }, USUAL_URLS.index);
  return readings === undefined || (readings !== 'unreadable' && readings.length === 1);
}

/** By other parameters, applications serve another page, as WordPress does for `/robots.txt?rest_route=/`. */
const VERSION = /^(?:v(?:er)?=[\w.-]*)?$/;
/** Files with parameters of their own. */
const QUERIES: ReadonlyMap<string, RegExp> = new Map([
  // Names whom to find (RFC 7033).
  ['/.well-known/webfinger', /^(?:resource|rel)=[^&;]*(?:&(?:resource|rel)=[^&;]*)*$/],
  // How `postern doctor` asks for an adapter of ours.
  ['/.well-known/postern', /^proof=[\w.-]*$/],
]);

/** Returns whether a URL is one of the files that every site has. Its query must not name another page. */
export const isFreeFile = ({ path, query }: Locator): boolean =>
  (FILES.has(path) || (path.startsWith(FREE_FOLDER) && isPlain(path))) &&
  (VERSION.test(query) || QUERIES.get(path)?.test(query) === true);

/** Returns whether a URL is a sitemap that the settings of its site list. */
export const isSitemap = (locator: Locator, site: Site): boolean => {
  const known = sitemaps.get(site) ?? new Set(findSitemaps(site).map(formatTarget));
  sitemaps.set(site, known);
  return known.size > 0 && known.has(formatTarget(locator));
};

const sitemaps = new WeakMap<Site, ReadonlySet<string>>();
const formatTarget = ({ path, query }: Locator): string => `${path}?${query}`;

/** Returns the sitemaps of a site: those of its settings, and those that its own robots.txt names. */
export function findSitemaps({ host, sitemaps: listed, signals: { robotsBase } }: Site): Locator[] {
  const named = [...(robotsBase ?? '').matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].map(([, url = '']) => url);
  return [...listed, ...named].flatMap((url) => {
    const locator = parseLocator(url);
    return locator?.host === host && isPlain(locator.path) ? [locator] : [];
  });
}
