/** The body of a refusal, and the remedies in it. */
import type { Offered } from './offers.ts';

/** A remedy: a license, another permission, or waiting. */
export type Remedy =
  | {
      kind: 'license';
      licenseType: readonly string[] | null;
      licenseFeatures: readonly string[];
      /** When the license must end; absent: at any time. */
      licenseExpiry?: { after?: string; before?: string };
      /** Offers of such licenses; absent: none. */
      offers?: readonly Offered[];
    }
  | { kind: 'permission'; permissions: readonly string[] }
  | { kind: 'verification'; verified: readonly ('token' | 'signature' | 'ip' | 'dns' | 'license')[] }
  | { kind: 'wait'; until: string }
  /** The license includes no more units. */
  | { kind: 'amend' };

/** The body of a refusal: problem details (RFC 9457) with members of ours. */
export interface Problem {
  /** The problem type of a 429, by draft-ietf-httpapi-ratelimit-headers-11. */
  type?: string;
  /** Without a type, the phrase of the status. */
  title: string;
  status: number;
  detail: string;
  /** The reason of the decision, or `content_unknown` or `no_decision`. */
  reason: string;
  remedies: readonly Remedy[];
  /** The page about licenses, if the site or an offer names one. */
  licensingUrl?: string;
  /** Quote it when you contact the publisher. */
  decisionId?: string;
  /** The policies of RateLimit-Policy that a 429 is due to. */
  'violated-policies'?: readonly string[];
}
