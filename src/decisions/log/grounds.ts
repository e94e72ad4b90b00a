/** Filters by what decisions were based on, as queries of the log and of usage have them. */
import type { GroundsFilter } from '../history/filter.ts';
import { verifiedFilter } from '../ledger/codes.ts';

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
