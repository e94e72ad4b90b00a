/** Reads what the statements of a site rest on, as checks see it. */

import type { InForce } from '../../content/collections/known.ts';
import { type Content, toContentFacts } from '../../content/content.ts';
import { toPlace } from '../../content/placement.ts';
import type { Site } from '../../content/sites/site.ts';
import { findContentOfHost } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import type { Snapshot } from '../../decisions/snapshot/snapshot.ts';
import type { KnownNames } from '../../decisions/visitors/names.ts';
import { Slices } from '../../lib/slices.ts';
import { type Locator, parseLocator, parsePath } from '../../lib/urls/locator.ts';
import { canonicalPath } from '../../lib/urls/spellings.ts';
import { findPolicies } from '../../policies/store.ts';
import { findAllOffers } from '../../requesters/offers/store.ts';
import { type CompiledPolicy, compile } from '../../rules/compile.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import { namesOfAudiences, type Sources } from './assess.ts';
import type { Name } from './classes.ts';
import type { SiteItem } from './item-rows.ts';

export interface SourceDeps {
  db: Db;
  snapshot: Pick<Snapshot, 'findRequester' | 'inForce'>;
  names: KnownNames;
  /** The address of the license server; null: there is none. */
  server: string | null;
}

/** Items that are looked at one by one. */
const ITEMS_MAX = 10_000;

/** Throws Unavailable. */
export async function readSources(
  { db, snapshot, names, server }: SourceDeps,
  site: Site,
  now: number,
): Promise<Sources> {
  const inForce = await snapshot.inForce();
  const collections = inForce.index.all();
  const { items, hasMore } = await readItems(db, site, inForce);
  const ids = [
    inForce.defaultPolicyId,
    ...collections.flatMap(({ policyId }) => policyId ?? []),
    ...items.map(({ content }) => content.policyId),
  ];
  return {
    site,
    server: site.signals.licenseServer ? server : null,
    now,
    collections,
    defaultPolicyId: inForce.defaultPolicyId,
    policies: await compileAll(db, ids),
    crawlers: CRAWLERS,
    named: await readNamed(snapshot, names),
    offers: await findAllOffers(db),
    items,
    hasMoreItems: hasMore,
  };
}

async function compileAll(db: Db, ids: readonly string[]): Promise<Map<string, CompiledPolicy>> {
  const compiled = new Map<string, CompiledPolicy>();
  const slices = new Slices();
  for (const [id, policy] of await findPolicies(db, ids)) {
    compiled.set(id, compile(policy));
    await slices.next();
  }
  return compiled;
}

/** Returns a function that finds the requester of a user agent, with all those of the audiences in memory. */
async function readNamed(
  snapshot: SourceDeps['snapshot'],
  names: KnownNames,
): Promise<(userAgent: string) => Name['requester']> {
  const read = await names.read();
  const found = new Map<string, Name['requester']>();
  const slices = new Slices();
  for (const userAgent of namesOfAudiences(CRAWLERS)) {
    const id = read.named(userAgent);
    if (id === null) found.set(userAgent, 'ambiguous');
    else if (id !== undefined) found.set(userAgent, { id, known: await snapshot.findRequester(id) });
    await slices.next();
  }
  return (userAgent) => found.get(userAgent) ?? null;
}

async function readItems(
  db: Db,
  { host, urls }: Site,
  inForce: InForce,
): Promise<{ items: SiteItem[]; hasMore: boolean }> {
  const limit = ITEMS_MAX + 1;
  const all = await findContentOfHost(db, { host, limit, set: 'all' });
  const hasMore = all.length === limit;
  const contents = hasMore ? await findContentOfHost(db, { host, limit, set: 'own' }) : all;
  const items = new Map<string, SiteItem>();
  const slices = new Slices();
  // As addresses are resolved: by `source` before externalId, active items before archived ones.
  for (const bySource of [true, false]) {
    for (const content of contents.slice(0, ITEMS_MAX)) {
      await slices.next();
      const locator = bySource ? parseLocator(content.source ?? '') : byPath(content, host);
      if (locator?.host !== host) continue;
      const name = JSON.stringify([canonicalPath(locator.path, urls), locator.query]);
      const before = items.get(name);
      const facts = toContentFacts(content, toPlace(content, inForce));
      if (before === undefined) items.set(name, { content: facts, locator, isAmbiguous: false, bySource });
      // Of those by externalId, archived ones count, too.
      else if (bySource ? !facts.archived : !before.bySource) {
        items.set(name, { content: facts, locator, isAmbiguous: !bySource || !before.content.archived, bySource });
      }
    }
  }
  return { items: [...items.values()], hasMore };
}

function byPath({ externalId }: Content, host: string): Locator | undefined {
  const path = externalId.startsWith('/') ? parsePath(encodeURI(externalId)) : undefined;
  return path === externalId ? { host, path, query: '' } : undefined;
}
