/** A question about denied demand, and its answer. */
import type { DemandDimension, DemandSort } from './dimensions.ts';
import type { After } from './list-page.ts';
import type { Selection } from './sql.ts';
import type { CountedWho } from './who.ts';

export interface DemandQuery {
  filter: Pick<Selection, 'contentNo' | 'requesterId' | 'type' | 'purpose' | 'collectionId' | 'crawler' | 'enforced'>;
  /** Only denials that a license of this type would have turned. */
  licenseType?: string | undefined;
  /** Codes of rules/reason. */
  reasons: readonly number[];
  by: readonly DemandDimension[];
  /** Epoch ms, inclusive and exclusive. The same length of time before `from` is compared. */
  from: number;
  to: number;
  q?: string | undefined;
  sort: DemandSort;
  ascending: boolean;
  after: After | null;
  limit: number;
}

/** The ids of what a row counts; null: none, also where rows are not grouped by it. */
export type DemandKey = Record<Exclude<DemandDimension, 'who'>, string | null> & { who: CountedWho };

export interface Demand extends DemandParts {
  /** The parts of the key as one text. */
  id: string;
  key: DemandKey;
  /** The requester's name; null: not registered. */
  name: string | null;
  denied: number;
  /** Denials in the same length of time before. */
  previous: number;
  uniqueContent: number;
  lastSeen: number;
  value: number;
}

/** The parts that are only read for the rows of a page. */
export interface DemandParts {
  /** The first such denial of all times, epoch ms. */
  since: number;
  uniqueUrls: number;
  reasons: { reason: number; count: number }[];
  /** null: no purpose. */
  purposes: { purpose: string | null; denied: number }[];
  content: { no: number; id: string; denied: number }[];
  crawlers: { crawler: string; denied: number }[];
  collections: { collectionId: string; denied: number }[];
  wanted: DemandWanted[];
  trend: number[];
}

/** Denials that lacked the same license. */
export interface DemandWanted {
  /** See decisions/ledger/codes; null: not recorded. */
  wanted: string | null;
  denied: number;
  /** Items and URLs, each once. */
  distinct: number;
  purposes: { purpose: string | null; denied: number }[];
}
