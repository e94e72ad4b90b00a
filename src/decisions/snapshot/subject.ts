/** The subject of a check: the item or page with its policy, under each reading of its URL, and the requester. */
import type { AtUrl } from '../../content/address.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import type { Looseness } from '../../lib/urls/spellings.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import type { ContentFacts, LicenseFacts, RequesterFacts, VisitedPage } from '../../rules/facts.ts';

/** A requester with all its licenses; `facts` is null for an unregistered id. */
export interface KnownRequester {
  facts: RequesterFacts | null;
  licenses: readonly LicenseFacts[];
}

export const ANONYMOUS: KnownRequester = { facts: null, licenses: [] };

export interface Subject {
  /** null: a URL without a registered item. */
  content: ContentFacts | null;
  /** The URL of a check by URL. */
  page?: VisitedPage;
  policy: CompiledPolicy;
  requester: KnownRequester;
  /** The items or pages of the other readings of the URL; absent: it has one. */
  others?: readonly PlacedSubject[];
  /** A reading finds nothing. */
  missing?: boolean;
  /** The others are what the router of the caller finds: they are no other readings. */
  spelled?: boolean;
}

/** An item or a page with its policy. */
export type PlacedSubject = Pick<Subject, 'content' | 'page' | 'policy'>;

/** The item or page of a URL under each of its readings, the plainest one first. */
export type PlacedReadings = PlacedSubject & Pick<Subject, 'others' | 'missing' | 'spelled'>;

/** Returns what a URL leads to, with its readings; undefined unless every one is there. */
export function together(
  at: Exclude<AtUrl, string>,
  all: readonly (PlacedSubject | undefined)[],
): PlacedReadings | undefined {
  const [first, ...others] = all as readonly PlacedSubject[];
  if (first === undefined || all.includes(undefined)) return undefined;
  if ('found' in at) return { ...first, others, missing: at.missing.length > 0, spelled: at.spelled };
  // An item that only the router finds, in several collections.
  return others.length === 0 ? first : { ...first, others, spelled: true };
}

/** The part of an ask that says whose facts it needs: it has a `contentId` or a `locator`. `asOf`: a past time, ms. */
export interface SubjectAsk {
  contentId?: string;
  locator?: Locator;
  urls?: Looseness;
  requesterId?: string;
  asOf?: number;
}
