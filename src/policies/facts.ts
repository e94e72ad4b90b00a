/** The facts of one check, which are all that conditions read. null: unknown to the check. */
import { type Address, parseAddress } from '../lib/ip-range.ts';
import { toLowerLetters } from '../lib/text.ts';

export interface ContentFacts {
  readonly no: number;
  readonly id: string;
  readonly externalId: string;
  readonly type: string;
  readonly tags: readonly string[];
  /** null if no rule of the policy reads it. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly policyId: string;
  readonly archived: boolean;
}

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
}

export interface FactsInput {
  at: number;
  content: ContentFacts;
  requesterId: string | null;
  /** null: anonymous or unregistered. */
  requester: RequesterFacts | null;
  permission: string | null;
  purpose: string | null;
  country: string | null;
  ip: string | null;
  userAgent: string | null;
  licenses: readonly LicenseFacts[];
}

export class Facts {
  readonly at: number;
  readonly content: ContentFacts;
  readonly requesterId: string | null;
  readonly requester: RequesterFacts | null;
  readonly permission: string | null;
  readonly purpose: string | null;
  readonly country: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly licenses: readonly LicenseFacts[];
  // Computed once, and only for policies that read it.
  #address: Address | undefined;
  #lowerAgent: string | undefined;
  #valid: readonly LicenseFacts[] | undefined;
  #expired: readonly LicenseFacts[] | undefined;

  constructor(input: FactsInput) {
    this.at = input.at;
    this.content = input.content;
    this.requesterId = input.requesterId;
    this.requester = input.requester;
    this.permission = input.permission;
    this.purpose = input.purpose;
    this.country = input.country;
    this.ip = input.ip;
    this.userAgent = input.userAgent;
    this.licenses = input.licenses;
  }

  get address(): Address | null {
    if (this.ip === null) return null;
    this.#address ??= parseAddress(this.ip);
    return this.#address ?? null;
  }

  get lowerAgent(): string | null {
    if (this.userAgent === null) return null;
    this.#lowerAgent ??= toLowerLetters(this.userAgent);
    return this.#lowerAgent;
  }

  get validLicenses(): readonly LicenseFacts[] {
    this.#valid ??= this.licenses.filter((license) => isValid(license, this.at) && covers(license, this.content));
    return this.#valid;
  }

  /** Licenses that would count if they had not expired. */
  get expiredLicenses(): readonly LicenseFacts[] {
    this.#expired ??= this.licenses.filter(
      (license) =>
        license.active && license.expiresAt !== null && license.expiresAt <= this.at && covers(license, this.content),
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

function covers({ scope }: LicenseFacts, content: ContentFacts): boolean {
  if (scope === null) return true;
  const { contentIds, contentTypes, tags, policyIds } = scope;
  return (
    (contentIds === undefined || contentIds.includes(content.id) || contentIds.includes(content.externalId)) &&
    (contentTypes === undefined || contentTypes.includes(content.type)) &&
    (tags === undefined || content.tags.some((tag) => tags.includes(tag))) &&
    (policyIds === undefined || policyIds.includes(content.policyId))
  );
}
