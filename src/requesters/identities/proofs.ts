/** The identities of requesters and of the crawler directory: what proves each name, and the lists they name. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { View } from '../../lib/cache/view.ts';
import { fromCrawlers } from '../../rules/crawlers/directory.ts';
import type { Identity } from '../../rules/crawlers/identity.ts';
import { findIdentities } from '../store.ts';
import { RangeSet } from './ranges.ts';

/** Everything that verifies a name. */
export interface Proofs {
  /** The ranges that the identities themselves state; null without any. */
  stated: RangeSet | null;
  lists: readonly string[];
  /** Ends of host names, in lowercase. */
  suffixes: readonly string[];
  /** Its agents sign their requests. */
  signs: boolean;
}

export interface ProofsByName {
  /** Returns the proofs of a requester; undefined for one without identities. */
  ofRequester(id: string): Proofs | undefined;
  /** Returns the proofs of a crawler of the directory; undefined for one without identities. */
  ofCrawler(name: string): Proofs | undefined;
  /** Returns ids of requesters with identities, at most so many. */
  requesterIds(most: number): string[];
  /** The lists to fetch, each once: those of the directory first. */
  lists(): Set<string>;
  /** The lists of the crawler directory, each once. */
  directoryLists(): string[];
}

const proofsOfCrawlers = fromCrawlers(
  (all) =>
    new Map(
      all.flatMap(({ name, identities }) => (identities.length === 0 ? [] : [[name, toProofs(identities)] as const])),
    ),
);

/** `directory` says whether the lists of the crawler directory are fetched. */
export async function openProofs(db: Db, changes: Changes, directory: boolean): Promise<ProofsByName> {
  const requesters = new Map<string, Proofs>();
  // Nodes of the previous version announce requesters without identities.
  const put = (id: string, { identities = [] }: { identities?: readonly Identity[] } = {}): void => {
    if (identities.length === 0) requesters.delete(id);
    else requesters.set(id, toProofs(identities));
  };
  await changes.known('proofs', new View(put)).load(() => findIdentities(db));

  return {
    ofRequester: (id) => requesters.get(id),
    ofCrawler: (name) => proofsOfCrawlers().get(name),
    requesterIds: (most) => [...requesters.keys().take(most)],
    directoryLists: () => [...new Set([...proofsOfCrawlers().values()].flatMap(({ lists }) => lists))],
    lists: () =>
      new Set(
        [...(directory ? proofsOfCrawlers().values() : []), ...requesters.values()].flatMap(({ lists }) => lists),
      ),
  };
}

function toProofs(identities: readonly Identity[]): Proofs {
  const ranges = identities.flatMap((one) => ('ranges' in one ? one.ranges : []));
  return {
    stated: ranges.length === 0 ? null : new RangeSet(ranges),
    lists: identities.flatMap((one) => ('list' in one ? [one.list] : [])),
    signs: identities.some(({ kind }) => kind === 'signature'),
    suffixes: identities.flatMap((one) => ('suffixes' in one ? one.suffixes : [])),
  };
}
