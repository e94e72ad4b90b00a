/**
 * Items that are one file in several spellings: of them, none is chosen where the URL is asked for. Answers about
 * content warn of it.
 */

import type { Db } from '../db/db.ts';
import { Slices } from '../lib/slices.ts';
import { parseLocator } from '../lib/urls/locator.ts';
import { canonicalPath, type UrlRules } from '../lib/urls/spellings.ts';
import { hostUrlRules, type InForce } from './collections/known.ts';
import type { Content } from './content.ts';
import { toSought } from './served.ts';
import { type ActiveAt, findOtherSpellings } from './served-store.ts';
import { listActiveOfHost } from './store.ts';

export interface ContentWarning {
  code: 'ambiguous_content';
  message: string;
  param: 'source';
}

/** Returns the warnings about items, in their order. */
export async function findContentWarnings(
  db: Db,
  items: readonly Content[],
  inForce: Pick<InForce, 'urls'>,
): Promise<ContentWarning[][]> {
  const sought = items.map(({ source, status }) => {
    const locator = parseLocator(source);
    if (locator === undefined || status !== 'active') return undefined;
    return toSought({ locator, rules: hostUrlRules(inForce, locator.host) });
  });
  if (sought.every((one) => one === undefined)) return items.map(() => []);
  const found = await findOtherSpellings(db, sought);
  return items.map(({ id }, i) => (found[i] ?? []).filter((other) => other.id !== id).map(toWarning));
}

const toWarning = ({ id, externalId }: ActiveAt): ContentWarning => ({
  code: 'ambiguous_content',
  message: `The item ${id} (${JSON.stringify(externalId)}) is registered at the same file, so a check of its URL decides by neither. Archive one of them, or correct its \`source\`.`,
  param: 'source',
});

/** Adds `warnings` to an answer that has some. */
export const withWarnings = <T extends object>(
  answer: T,
  warnings: readonly ContentWarning[] = [],
): T & { warnings?: readonly ContentWarning[] } => (warnings.length === 0 ? answer : { ...answer, warnings });

/** Items that are looked at. */
const LOOKED_MAX = 250_000;
const NAMED_MAX = 100;

export interface SameFiles {
  /** Ids of items that become one file, a list for each file; at most 100 files. */
  files: string[][];
  /** Every item of the host was looked at. */
  isComplete: boolean;
}

/** Returns the items of a host that become one file when its rules change. */
export async function findMerged(
  db: Db,
  host: string,
  { before, after }: { before: UrlRules; after: UrlRules },
): Promise<SameFiles> {
  const files = new Map<string, { before: string; ids: string[]; merges: boolean }>();
  const slices = new Slices();
  let looked = 0;
  let last = 0;
  for (;;) {
    const items = await listActiveOfHost(db, host, last);
    for (const { no, id, source } of items) {
      last = no;
      await slices.next();
      const locator = parseLocator(source);
      if (locator?.host !== host) continue;
      const name = (rules: UrlRules): string => JSON.stringify([canonicalPath(locator.path, rules), locator.query]);
      const [now, then] = [name(after), name(before)];
      const file = files.get(now);
      if (file === undefined) files.set(now, { before: then, ids: [id], merges: false });
      else {
        file.ids.push(id);
        file.merges ||= then !== file.before;
      }
    }
    looked += items.length;
    if (items.length === 0 || looked >= LOOKED_MAX) {
      const merged = [...files.values()].filter(({ merges }) => merges).map(({ ids }) => ids);
      return { files: merged.slice(0, NAMED_MAX), isComplete: items.length === 0 };
    }
  }
}
