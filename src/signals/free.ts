/** The rows of paths that every visitor may fetch: files that describe the site. */
import { type PathPattern, parsePathPattern } from '../lib/url-pattern.ts';
import type { Answer, Cell, Row } from './table.ts';
import { FREE_PATHS } from './words.ts';

const FREE: Answer = { allowed: true, reason: null, rule: null, varies: [] };

export function freeRows(audiences: number): Row[] {
  const all = [FREE];
  const cell: Cell = {
    policyId: null,
    policyVersion: 0,
    crawl: all,
    uses: { training: all, input: all, index: all, search: all },
    classOf: new Uint16Array(audiences),
  };
  return FREE_PATHS.map((text) => ({
    pattern: parsePathPattern(text) as PathPattern,
    cell,
    collectionId: null,
    contentId: null,
    observed: false,
  }));
}
