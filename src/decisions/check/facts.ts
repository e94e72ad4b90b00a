/**
 * The subject of a check (the item, its policy, the requester), and the facts that it makes with the ask at one time.
 */

import type { AtUrl } from '../../content/address.ts';
import { parseIso } from '../../lib/clock.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import {
  type ContentFacts,
  Facts,
  type LicenseFacts,
  type Place,
  type RequesterFacts,
  type VisitedPage,
} from '../../rules/facts.ts';
import type { AskedLicense } from './ask.ts';
import type { CheckRequest } from './schema.ts';

/** A requester with all its licenses; `facts` is null for an unregistered id. */
export interface KnownRequester {
  facts: RequesterFacts | null;
  licenses: readonly LicenseFacts[];
}

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

/** Returns the subject of a check. */
export function toSubject(
  { content, page, policy, others, missing, spelled }: PlacedReadings,
  requester: KnownRequester,
): Subject {
  if (page === undefined) return { content, policy, requester };
  if (others === undefined) return { content, page, policy, requester };
  return { content, page, policy, requester, others, missing: missing === true, spelled: spelled === true };
}

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

/** The fields of a check beyond its ids. The ledger keeps them with the decision. */
export type Inputs = Pick<CheckRequest, 'permission' | 'purpose' | 'context' | 'urls'> & { license?: AskedLicense };

export const ANONYMOUS: KnownRequester = { facts: null, licenses: [] };

export function toFacts(
  { content, page, place, requester }: Omit<Subject, 'policy'> & { place?: Place },
  requesterId: string | undefined | null,
  inputs: Inputs,
  at: number,
): Facts {
  const { context = {} } = inputs;
  return new Facts({
    at,
    content,
    page,
    place,
    requesterId: requesterId ?? null,
    requester: requester.facts,
    permission: inputs.permission ?? null,
    purpose: inputs.purpose ?? null,
    country: context.country ?? null,
    ip: context.ip ?? null,
    ipUnreadable: context.ipUnreadable,
    userAgent: context.userAgent ?? null,
    verified: context.verified,
    crawlerVerified: context.crawlerVerified,
    attributes: context.attributes,
    licenses: inputs.license === undefined ? requester.licenses : usable(requester.licenses, inputs.license),
  });
}

function usable(held: readonly LicenseFacts[], license: AskedLicense): readonly LicenseFacts[] {
  return 'id' in license ? held.filter(({ id }) => id === license.id) : [...held, vouched(license)];
}

const vouched = (license: NonNullable<CheckRequest['license']>): LicenseFacts => ({
  id: null,
  type: license.type,
  features: license.features ?? [],
  startsAt: null,
  expiresAt: license.expiresAt == null ? null : (parseIso(license.expiresAt) ?? null),
  active: true,
  scope: null,
});
