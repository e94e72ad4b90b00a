/**
 * Judges by its address whether a visitor is who its user agent says. Promise: the answer comes from memory. A claim
 * fails only if the address is outside all fresh published ranges of the name, and has none of its host names; reverse
 * DNS alone never makes one fail.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatAddress, type IpAddress, parseAddress } from '../../lib/ip-range.ts';
import type { Getter } from '../../lib/outgoing/get.ts';
import type { VerifiedKind } from '../../rules/facts.ts';
import { openFetcher } from './fetcher.ts';
import { type KnownLists, openKnownLists } from './known-lists.ts';
import { isFresh, type ListState } from './list.ts';
import { openProofs, type Proofs, type ProofsByName } from './proofs.ts';
import { openReverse } from './reverse.ts';

/** The names that the user agent of a visitor claims. */
export interface ClaimedNames {
  /** The requester that its user agent leads to. */
  requesterId?: string | null | undefined;
  /** The crawler of the directory that its user agent names; counts where the requester has no identities. */
  crawler?: string | null | undefined;
}

export interface NamedAddress extends ClaimedNames {
  /** null: a proxy sent one that cannot be read. */
  address: string | null;
}

export interface Identified {
  verified: 'ip' | 'dns' | null;
  /** The visitor is not who its user agent says. */
  failed: boolean;
}

export interface IdentityFigures {
  lists: number;
  stale: number;
  held: number;
  /** The last fetch failed. */
  failing: number;
  /** Age of the oldest list that is in use. */
  oldestMs: number;
  fetches: number;
  failures: number;
  dns: { resolved: number; failed: number; dropped: number; waiting: number };
}

export interface Identities {
  identify(named: NamedAddress): Identified;
  /** Returns the ways in which a visitor of this name could be verified. */
  proofsOf(names: ClaimedNames): VerifiedKind[];
  hasIdentities(requesterId: string): boolean;
  /** Returns ids of requesters with identities, at most so many. */
  withIdentities(most: number): string[];
  /** The published lists that are named, each with its state. */
  lists(): readonly ListState[];
  /** Returns the lists of the crawler directory, fetched or not. */
  directoryLists(): readonly string[];
  /** Returns the age of a list in milliseconds; NaN for one that was never fetched. */
  ageOf(url: string): number;
  figures(): IdentityFigures;
  /** Settles once the lists are in memory as they are stored, or cannot be read. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface IdentitiesOptions {
  db: Db;
  changes: Changes;
  clock: Clock;
  getter: Getter;
  /** Fetches the lists of the crawler directory too. */
  directoryLists: boolean;
  isOurs(): boolean;
  onProblem(error: unknown): void;
  dnsServers?: readonly string[] | undefined;
}

const UNKNOWN: Identified = { verified: null, failed: false };
const DOUBTFUL: Identified = { verified: null, failed: false };
const FAILED: Identified = { verified: null, failed: true };
const BY_IP: Identified = { verified: 'ip', failed: false };
const BY_DNS: Identified = { verified: 'dns', failed: false };

/**
 * Returns whether the name could be judged by an address, but not by this one, or not yet. Nothing is proven or refuted
 * then, and the visitor may have nothing that belongs to the name.
 */
export const isDoubtful = (found: Identified): boolean => found === DOUBTFUL;

export async function openIdentities(options: IdentitiesOptions): Promise<Identities> {
  const { db, changes, clock, getter, directoryLists, onProblem } = options;
  const byName = await openProofs(db, changes, directoryLists);
  const lists = await openKnownLists(db, changes, onProblem);
  const reverse = openReverse(options);
  const fetcher = openFetcher({ ...options, lists, proofs: byName });

  return {
    hasIdentities: (requesterId) => byName.ofRequester(requesterId) !== undefined,
    proofsOf(names) {
      const proofs = find(byName, names);
      if (proofs === undefined) return [];
      const { signs, stated, lists: urls, suffixes } = proofs;
      return [
        ...(signs ? (['signature'] as const) : []),
        ...(stated !== null || urls.length > 0 ? (['ip'] as const) : []),
        ...(suffixes.length > 0 ? (['dns'] as const) : []),
      ];
    },
    withIdentities: (most) => byName.requesterIds(most),
    identify({ address: text, requesterId, crawler }) {
      const proofs = find(byName, { requesterId, crawler });
      if (proofs === undefined) return UNKNOWN;
      const address = text === null ? undefined : parseAddress(text);
      if (text === null || address === undefined) return isByAddress(proofs) ? DOUBTFUL : UNKNOWN;
      const within = isWithin(proofs, lists, address, clock.now());
      if (within === true) return BY_IP;
      const hasName = proofs.suffixes.length > 0 && reverse.isConfirmed(formatAddress(text), proofs.suffixes);
      if (hasName === true) return BY_DNS;
      if (within !== false) return UNKNOWN;
      // Outside its ranges, it may still have a host name that is not looked up yet.
      return hasName === null ? DOUBTFUL : FAILED;
    },
    lists: () => lists.states(),
    ageOf: (url) => clock.now() - (lists.state(url)?.fetchedAt ?? Number.NaN),
    directoryLists: byName.directoryLists,
    figures() {
      const now = clock.now();
      const states = lists.states();
      const ages = states.map(({ fetchedAt }) => (fetchedAt === null ? 0 : now - fetchedAt));
      return {
        lists: states.length,
        stale: states.filter(({ fetchedAt }) => !isFresh(fetchedAt, now)).length,
        held: states.filter(({ heldAt }) => heldAt !== null).length,
        failing: states.filter((state) => state.failures > 0).length,
        oldestMs: Math.max(0, ...ages),
        ...fetcher.figures(),
        dns: reverse.figures(),
      };
    },
    refresh: () => lists.refresh().catch(onProblem),
    async close() {
      lists.close();
      reverse.close();
      await getter.close();
      await fetcher.close();
    },
  };
}

const find = (byName: ProofsByName, { requesterId, crawler }: ClaimedNames): Proofs | undefined =>
  (requesterId == null ? undefined : byName.ofRequester(requesterId)) ??
  (crawler == null ? undefined : byName.ofCrawler(crawler));

const isByAddress = ({ stated, lists, suffixes }: Proofs): boolean =>
  stated !== null || lists.length > 0 || suffixes.length > 0;

/** undefined: the name publishes no ranges, or some of them are not fresh and the others lack the address. */
function isWithin(
  { stated, lists: urls }: Proofs,
  lists: KnownLists,
  address: IpAddress,
  now: number,
): boolean | undefined {
  if (stated?.has(address) === true) return true;
  let outside = stated !== null || urls.length > 0;
  for (const url of urls) {
    const has = lists.has(url, address, now);
    if (has === true) return true;
    if (has === undefined) outside = false;
  }
  return outside ? false : undefined;
}
