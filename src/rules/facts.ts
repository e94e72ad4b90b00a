/** The facts of one check, which are all that conditions read. null: unknown to the check. */

import { type IpAddress, parseAddress } from '../lib/ip-range.ts';
import { toLowerLetters } from '../lib/text.ts';
import { type Locator, parseLocator } from '../lib/urls/locator.ts';
import { type UrlRules, USUAL_URLS } from '../lib/urls/spellings.ts';
import { type Target, toTarget } from '../lib/urls/url-pattern.ts';
import type { Crawler } from './crawlers/crawler.ts';
import { findCrawler } from './crawlers/directory.ts';
import type { LicenseQuotas } from './terms/quota.ts';

/** Means by which a requester is verified, in the order of the ledger's codes, from 1. */
export const VERIFIED_KINDS = ['token', 'signature', 'ip', 'dns', 'license'] as const;
export type VerifiedKind = (typeof VERIFIED_KINDS)[number];

/** The place of an item or a URL: what is in force there. */
export interface Place {
  readonly policyId: string;
  /** The most specific collection; null: it is in none. */
  readonly collectionId: string | null;
  /** The collection only observes: its decisions are not enforced. */
  readonly observed: boolean;
  /** The rules of its host that say which URLs are one file; absent: the usual ones. */
  readonly urls?: UrlRules | undefined;
}

/** A URL that was asked for. */
export interface VisitedPage extends Place {
  readonly locator: Locator;
  /** The URL that was asked for; absent: the locator. Of a URL with several readings, the locator is one of them. */
  readonly asked?: Locator | undefined;
  /** The pattern that put it into its collection names a query. */
  readonly namesQuery: boolean;
}

/** An item. */
export interface ContentFacts extends Place {
  readonly no: number;
  readonly id: string;
  readonly externalId: string;
  readonly type: string;
  readonly tags: readonly string[];
  /** null if no rule of the policy reads it. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Its URL; null if no rule of the policy reads it. */
  readonly source: string | null;
  readonly archived: boolean;
  /** Its policy was given to it: its collection does not decide. */
  readonly ownsPolicy: boolean;
}

/** An item in no collection, whose address no rule reads. */
export const UNPLACED = { source: null, collectionId: null, observed: false, ownsPolicy: false } as const;

/** A registered requester. */
export interface RequesterFacts {
  readonly type: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly suspended: boolean;
}

/** The items of a license: every given list must cover the item; without lists, all items. */
export interface LicenseScope {
  readonly contentIds?: readonly string[];
  readonly contentTypes?: readonly string[];
  readonly tags?: readonly string[];
  readonly policyIds?: readonly string[];
  /** Covers what is decided by one of these collections. */
  readonly collectionIds?: readonly string[];
}

/** A license of the requester, valid or not. */
export interface LicenseFacts {
  /** null for a license that the calling server vouches for. */
  readonly id: string | null;
  readonly type: string;
  readonly features: readonly string[];
  readonly startsAt: number | null;
  readonly expiresAt: number | null;
  /** Neither suspended nor revoked. */
  readonly active: boolean;
  readonly scope: LicenseScope | null;
  /** Absent without terms, and for the past: what was used then is not known. */
  readonly quotas?: LicenseQuotas;
}

/** Facts about subject, action and resource that the calling server states, by names such as `subject.role`. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface FactsInput {
  at: number;
  /** null: a URL without a registered item. */
  content: ContentFacts | null;
  /** Absent: the check named an item. */
  page?: VisitedPage | undefined;
  /** Absent: that of the item or the page. */
  place?: Place | undefined;
  requesterId: string | null;
  /** null: anonymous or unregistered. */
  requester: RequesterFacts | null;
  permission: string | null;
  purpose: string | null;
  country: string | null;
  ip: string | null;
  /** A proxy sent an address that cannot be read; `ip` is then null. */
  ipUnreadable?: boolean | undefined;
  userAgent: string | null;
  /** Means by which the visitor was verified; conditions read it only of a requester. */
  verified?: VerifiedKind | undefined;
  /** The crawler that the user agent names was proven. */
  crawlerVerified?: boolean | undefined;
  /** Absent: the check stated none. */
  attributes?: Attributes | undefined;
  licenses: readonly LicenseFacts[];
}

export class Facts {
  readonly at: number;
  readonly content: ContentFacts | null;
  readonly page: VisitedPage | null;
  readonly place: Place;
  readonly requesterId: string | null;
  readonly requester: RequesterFacts | null;
  readonly permission: string | null;
  readonly purpose: string | null;
  readonly country: string | null;
  readonly ip: string | null;
  readonly ipUnreadable: boolean;
  readonly userAgent: string | null;
  readonly verified: VerifiedKind | null;
  readonly crawlerVerified: boolean;
  readonly attributes: Attributes | null;
  readonly licenses: readonly LicenseFacts[];
  // Computed once, and only for policies that read it.
  #address: IpAddress | undefined;
  #lowerAgent: string | undefined;
  #crawler: Crawler | null | undefined;
  #locator: Locator | null | undefined;
  #target: Target | undefined;
  #valid: readonly LicenseFacts[] | undefined;
  #expired: readonly LicenseFacts[] | undefined;

  constructor(input: FactsInput) {
    this.at = input.at;
    this.content = input.content;
    this.page = input.page ?? null;
    // A check has an item or a URL.
    this.place = (input.place ?? input.content ?? input.page) as Place;
    this.requesterId = input.requesterId;
    this.requester = input.requester;
    this.permission = input.permission;
    this.purpose = input.purpose;
    this.country = input.country;
    this.ip = input.ip;
    this.ipUnreadable = input.ipUnreadable === true;
    // An empty one says as much as none.
    this.userAgent = input.userAgent === '' ? null : input.userAgent;
    this.verified = input.verified ?? null;
    this.crawlerVerified = input.crawlerVerified === true;
    this.attributes = input.attributes ?? null;
    this.licenses = input.licenses;
  }

  get address(): IpAddress | null {
    if (this.ip === null) return null;
    this.#address ??= parseAddress(this.ip);
    return this.#address ?? null;
  }

  get lowerAgent(): string | null {
    if (this.userAgent === null) return null;
    this.#lowerAgent ??= toLowerLetters(this.userAgent);
    return this.#lowerAgent;
  }

  /** The crawler that the user agent names; null also without a user agent. */
  get crawler(): Crawler | null {
    if (this.#crawler === undefined) this.#crawler = this.userAgent === null ? null : findCrawler(this.userAgent);
    return this.#crawler;
  }

  /** The URL that was asked for, or the one of the item; null if it has none that all servers read alike. */
  get locator(): Locator | null {
    if (this.#locator === undefined) {
      const source = this.content?.source ?? null;
      this.#locator = this.page?.locator ?? (source === null ? null : (parseLocator(source) ?? null));
    }
    return this.#locator;
  }

  /** The text that patterns of paths match, with all spellings of the same file; null without a locator. */
  get target(): Target | null {
    const { locator } = this;
    if (locator === null) return null;
    this.#target ??= toTarget(locator, this.place.urls ?? USUAL_URLS);
    return this.#target;
  }

  get validLicenses(): readonly LicenseFacts[] {
    this.#valid ??= this.licenses.filter((license) => isValid(license, this.at) && covers(license, this));
    return this.#valid;
  }

  /** Licenses that would count if they had not expired. */
  get expiredLicenses(): readonly LicenseFacts[] {
    this.#expired ??= this.licenses.filter(
      (license) =>
        license.active && license.expiresAt !== null && license.expiresAt <= this.at && covers(license, this),
    );
    return this.#expired;
  }
}

/** Checks whether a license is valid at a time, regardless of its scope. */
export function isValid(license: LicenseFacts, at: number): boolean {
  return (
    license.active &&
    (license.startsAt === null || license.startsAt <= at) &&
    (license.expiresAt === null || at < license.expiresAt)
  );
}

function covers({ scope }: LicenseFacts, { content, place }: Facts): boolean {
  if (scope === null) return true;
  const { policyIds, collectionIds } = scope;
  if (policyIds !== undefined && !policyIds.includes(place.policyId)) return false;
  if (collectionIds !== undefined && !isDecidedBy(collectionIds, content, place)) return false;
  return content === null ? !asksItem(scope) : coversItem(scope, content);
}

/** An item with a policy of its own is in its collection, and decided by itself. */
const isDecidedBy = (ids: readonly string[], content: ContentFacts | null, { collectionId }: Place): boolean =>
  collectionId !== null && content?.ownsPolicy !== true && ids.includes(collectionId);

const asksItem = ({ contentIds, contentTypes, tags }: LicenseScope): boolean =>
  contentIds !== undefined || contentTypes !== undefined || tags !== undefined;

const coversItem = ({ contentIds, contentTypes, tags }: LicenseScope, content: ContentFacts): boolean =>
  (contentIds === undefined || contentIds.includes(content.id) || contentIds.includes(content.externalId)) &&
  (contentTypes === undefined || contentTypes.includes(content.type)) &&
  (tags === undefined || content.tags.some((tag) => tags.includes(tag)));
