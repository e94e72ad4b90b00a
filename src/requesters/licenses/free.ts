/**
 * The free license of license.xml: what everybody may do, granted to one requester, so that the log knows its
 * terms. Promise: it opens nothing that was closed before. It covers nothing, so no rule takes it for a license.
 */
import type { Edit } from '../../api/changes/change.ts';
import type { Db } from '../../db/db.ts';
import type { LicenseFacts } from '../../rules/facts.ts';
import { expectLicenses, findRequesterLicenses } from '../store.ts';
import { newLicense, planCreate } from './edits.ts';
import type { License } from './license.ts';

const TYPE = 'free';
const SOURCE = 'license.xml';

export interface FreeTerms {
  host: string;
  /** The permitted uses in words of RSL. */
  permits: string;
}

/** Plans the license, or returns the one that there is, valid or not; `took` receives it. */
export async function planFree(
  db: Db,
  { requesterId, host, permits }: FreeTerms & { requesterId: string },
  at: number,
  took: (license: License) => void,
): Promise<Edit> {
  const held = await findRequesterLicenses(db, requesterId);
  const before = held.find(({ type, metadata: { source, ...terms } }) => {
    return type === TYPE && source === SOURCE && terms.host === host && terms.permits === permits;
  });
  if (before !== undefined) {
    took(before);
    return { steps: [], changes: [], status: 200, body: {} };
  }
  const metadata = { source: SOURCE, host, permits };
  const license = newLicense({ requesterId, type: TYPE, scope: { collectionIds: [] }, metadata }, at);
  const planned = await planCreate(db, license, at);
  took(license);
  return { ...planned, steps: [expectLicenses(requesterId, held.length), ...planned.steps] };
}

/** Returns whether a license covers nothing and has no quota: then it may stand beside an allowed decision. */
export const standsBeside = ({ scope, quotas }: LicenseFacts): boolean =>
  scope?.collectionIds?.length === 0 && quotas === undefined;
