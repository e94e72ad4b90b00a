/** Filters by what decisions were based on, as the log and usage share them. */
import { verifiedFilter } from '../ledger/codes.ts';

export interface GroundsFilter {
  collectionId?: string | undefined;
  crawler?: string | undefined;
  /** A code of decisions/ledger/codes, or whether there is one. */
  verified?: number | boolean | undefined;
  licenseId?: string | undefined;
  purpose?: string | undefined;
  permission?: string | undefined;
  enforced?: boolean | undefined;
}

export type GroundsQuery = Omit<GroundsFilter, 'verified'> & {
  verified?: Parameters<typeof verifiedFilter>[0] | undefined;
};

export const toGroundsFilter = (query: GroundsQuery): GroundsFilter => ({
  collectionId: query.collectionId,
  crawler: query.crawler,
  verified: query.verified === undefined ? undefined : verifiedFilter(query.verified),
  licenseId: query.licenseId,
  purpose: query.purpose,
  permission: query.permission,
  enforced: query.enforced,
});

/** Returns host and path in the form of the ledger: without a scheme, and the host in lowercase. */
export function toUrlPrefix(url: string): string {
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?([^/?]*)(.*)$/i.exec(url) ?? [];
  return host.toLowerCase() + rest;
}
