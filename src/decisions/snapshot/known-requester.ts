/** Requesters in memory, with all their licenses and the terms of these. */
import type { Db } from '../../db/db.ts';
import { ENTRY_BYTES, estimateBytes } from '../../lib/bytes.ts';
import { inServingOrder, toLicenseFacts } from '../../requesters/licenses/license.ts';
import { findContracts } from '../../requesters/licenses/terms-store.ts';
import { toRequesterFacts } from '../../requesters/requester.ts';
import { findRequester, findRequesterLicenses } from '../../requesters/store.ts';
import type { KnownRequester } from './subject.ts';

export const weightOfRequester = (requester: KnownRequester): number => ENTRY_BYTES + estimateBytes(requester);

/** Reads a requester, also for an id that is not registered. */
export async function readRequester(db: Db, id: string): Promise<KnownRequester> {
  const requester = await findRequester(db, id);
  const licenses = requester === undefined ? [] : await findRequesterLicenses(db, id);
  const facts = requester === undefined ? null : toRequesterFacts(requester);
  const hasTerms = licenses.some(({ termsVersion }) => termsVersion > 0);
  const contracts = hasTerms ? await findContracts(db, { requesterId: id }) : [];
  const segments = new Map(contracts.map((contract) => [contract.licenseId, contract.segments]));
  return {
    facts,
    licenses: inServingOrder(licenses).map((license) => toLicenseFacts(license, segments.get(license.id))),
  };
}
