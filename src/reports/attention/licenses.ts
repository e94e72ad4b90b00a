/** Licenses that end, quotas that are nearly used up, and requests that wait for an answer. */
import type { Db } from '../../db/db.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import { findCounts, type LicenseCount } from '../../decisions/ledger/quota/store.ts';
import { findEnding } from '../../requesters/licenses/expiry-store.ts';
import { type Contract, findContracts } from '../../requesters/licenses/terms-store.ts';
import { listRequests } from '../../requesters/requests/store.ts';
import { quotaPeriodAt, quotaUnitsAt } from '../../rules/terms/quota.ts';
import type { Terms } from '../../rules/terms/terms.ts';
import { segmentAt } from '../../rules/terms/timeline.ts';
import { ITEMS_MAX, type Item } from './item.ts';

const DAY_MS = 86_400_000;
const ENDING_MS = 30 * DAY_MS;
const URGENT_MS = 7 * DAY_MS;
/** The part of a quota from which on it needs attention. */
const PART = 0.8;

/** New counts whose decisions are counted, the newest; one is new until a check after its first seconds. */
const UNSETTLED_MAX = 20;
const ONE = { before: null, limit: 1 };

/** Reads one more than the answer has, so that it knows of more. */
const LIMIT = ITEMS_MAX + 1;

export async function endingLicenses(db: Db, now: number): Promise<Item[]> {
  const licenses = await findEnding(db, { after: now, upTo: now + ENDING_MS }, LIMIT);
  return licenses.map(({ id, requesterId, type, terms, expiresAt }) => {
    const left = (expiresAt ?? now) - now;
    return {
      kind: 'license_ending',
      severity: left <= URGENT_MS ? 'high' : 'medium',
      subject: { requesterId, licenseId: id },
      message: (name) => `The license ${nameLicense(type, terms)} of ${name} ends ${inDays(left)}.`,
      since: (expiresAt ?? now) - ENDING_MS,
      path: `/v1/licenses/${id}`,
    };
  });
}

/** Names a license by the reference in its terms, such as the number of a contract; without one by its type. */
const nameLicense = (type: string, terms: Terms | null): string => `\`${terms?.reference ?? type}\``;

function inDays(ms: number): string {
  const days = Math.ceil(ms / DAY_MS);
  return days <= 1 ? 'within a day' : `in ${days} days`;
}

export async function usedQuotas({ db, columns }: { db: Db; columns: Columns }, now: number): Promise<Item[]> {
  const counts = await findCounts(db);
  if (counts.length === 0) return [];
  const contracts = await findContracts(db, { licenseIds: counts.map(({ licenseId }) => licenseId) });
  const byLicense = new Map(contracts.map((contract) => [contract.licenseId, contract]));
  const quotas = counts.flatMap((count) => runningQuota(byLicense.get(count.licenseId), count, now) ?? []);
  const unsettled = quotas.filter(
    (one) => one.count.settlesAt > 0 && !isMostUsed(one) && one.terms.unit === 'decision',
  );
  const newest = unsettled.toSorted((a, b) => b.count.settlesAt - a.count.settlesAt).slice(0, UNSETTLED_MAX);
  await Promise.all(newest.map((one) => settle(columns, one)));
  return quotas.filter(isMostUsed).map(quotaItem);
}

interface RunningQuota {
  requesterId: string;
  type: string;
  count: LicenseCount;
  terms: Terms;
  units: number;
  used: number;
}

const isMostUsed = ({ used, units }: RunningQuota): boolean => used >= units * PART;

/** Returns undefined for the count of a period that is over, or of other terms: the next check begins a new one. */
function runningQuota(contract: Contract | undefined, count: LicenseCount, now: number): RunningQuota | undefined {
  const segment = contract && segmentAt(contract.segments, now);
  const period = contract && segment && quotaPeriodAt(segment.terms, contract.bounds, now);
  if (contract === undefined || segment?.terms.quota === undefined || period === undefined) return undefined;
  if (count.version !== segment.version || count.start < Math.max(0, period.start)) return undefined;
  const { requesterId, licenseType: type } = contract;
  const { terms } = segment;
  return {
    requesterId,
    type: type ?? count.licenseId,
    count,
    terms,
    units: quotaUnitsAt(contract.segments, contract.bounds, now),
    used: count.used,
  };
}

/** Adds the decisions that a new count does not include yet. */
async function settle(columns: Columns, quota: RunningQuota): Promise<void> {
  const { licenseId, after, start } = quota.count;
  const filter = { licenseId, after, from: start, allowed: true, enforced: true };
  const purposes = quota.terms.purposes ?? [undefined];
  const found = await Promise.all(purposes.map((purpose) => columns.find({ ...filter, purpose }, ONE)));
  quota.used += found.reduce((sum, { totalCount }) => sum + totalCount, 0);
}

function quotaItem({ requesterId, type, count: { licenseId }, terms, units, used }: RunningQuota): Item {
  const isUsedUp = used >= units;
  const numbers = `${used.toLocaleString('en')} of ${units.toLocaleString('en')} units`;
  const what = isUsedUp ? 'has used up its quota' : 'has used most of its quota';
  return {
    kind: 'quota',
    severity: isUsedUp ? 'high' : 'medium',
    subject: { requesterId, licenseId },
    message: (name) => `The license ${nameLicense(type, terms)} of ${name} ${what}: ${numbers}.`,
    since: null,
    path: `/v1/licenses/${licenseId}/usage`,
  };
}

export async function openRequests(db: Db): Promise<Item[]> {
  const { data } = await listRequests(db, { status: 'open', limit: ITEMS_MAX });
  return data.map(({ id, requesterId, licenseType, createdAt }) => ({
    kind: 'license_request',
    severity: 'medium',
    subject: { requesterId, requestId: id },
    message: (name) => `${name} asks for a license \`${licenseType}\`.`,
    since: createdAt,
    path: `/v1/license-requests/${id}`,
  }));
}
