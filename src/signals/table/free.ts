/** The rows of paths that every visitor may fetch: files that describe the site. */

import { FREE_FILES, FREE_FOLDER, findSitemaps } from '../../content/sites/free.ts';
import type { Site } from '../../content/sites/site.ts';
import { type PathPattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import type { Cell, TableAnswer, TableRow } from './table.ts';

const FREE: TableAnswer = { allowed: true, reason: null, rule: null, varies: [] };

export function freeRows(site: Site, audiences: number): TableRow[] {
  const all = [FREE];
  const cell: Cell = {
    policyId: null,
    policyVersion: 0,
    crawl: all,
    uses: { training: all, input: all, index: all, search: all },
    classOf: new Uint16Array(audiences),
  };
  return freePaths(site).map((text) => ({
    pattern: parsePathPattern(text) as PathPattern,
    cell,
    collectionId: null,
    contentId: null,
    observed: false,
  }));
}

/** A path without `$` is a prefix. A sitemap with a query or a star cannot be named exactly, so it is left out. */
function freePaths(site: Site): string[] {
  const sitemaps = findSitemaps(site).filter(({ path, query }) => query === '' && !path.includes('*'));
  return [
    FREE_FOLDER,
    ...new Set([...FREE_FILES, ...sitemaps.map(({ path }) => encodeURI(path))].map((path) => `${path}$`)),
  ];
}
