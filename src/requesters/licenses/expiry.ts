/**
 * Announces licenses that expire soon, and expired ones: each expiry once, including those while the service was down.
 * Decisions do not wait for the announcement; a check judges a license by its own dates.
 */

import { type Change, type Edit, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { ChangeKind } from '../../api/changes/kinds.ts';
import type { Db, Step } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { licenseAnswer } from '../schema.ts';
import { announceExpiring, announceExpiry, findExpired, findExpiring } from './expiry-store.ts';
import type { License } from './license.ts';
import { dueNotice } from './notices.ts';

const LICENSES_AT_ONCE = 200;

/** Announces all that are due. Several nodes may do so at once; only one announces each license. */
export const announceExpired = (db: Db, changes: Changes, clock: Clock): Promise<void> =>
  inPortions(async (limit) => {
    let found = 0;
    const plan = async (): Promise<Edit> => {
      const now = clock.now();
      const licenses = await findExpired(db, now, limit);
      found = licenses.length;
      return toEdit(
        licenses.map(announceExpiry),
        licenses.map((license) => ({
          ...toChange('license.expired', license, licenseAnswer(license, now)),
          before: licenseAnswer(license, (license.expiresAt ?? now) - 1),
        })),
      );
    };
    if ((await findExpired(db, clock.now(), 1)).length > 0) await changes.commit(SYSTEM, 'expiry', plan);
    return found;
  });

/** Announces licenses that end in NOTICE_DAYS. Of notices that are late only the last is given. */
export const announceAhead = (db: Db, changes: Changes, clock: Clock): Promise<void> =>
  inPortions(async (limit) => {
    let found = 0;
    const plan = async (): Promise<Edit> => {
      const now = clock.now();
      const expiring = await findExpiring(db, now, limit);
      found = expiring.length;
      return toEdit(
        expiring.map((one) => announceExpiring(one, now)),
        expiring.flatMap(({ license, due }) => {
          const days = license.status === 'revoked' ? undefined : dueNotice(license, due, now);
          if (days === undefined) return [];
          return [toChange('license.expiring', license, { ...licenseAnswer(license, now), expiresInDays: days })];
        }),
      );
    };
    if ((await findExpiring(db, clock.now(), 1)).length > 0) await changes.commit(SYSTEM, 'expiring', plan);
    return found;
  });

async function inPortions(work: (limit: number) => Promise<number>): Promise<void> {
  while ((await work(LICENSES_AT_ONCE)) === LICENSES_AT_ONCE);
}

const toEdit = (steps: readonly Step[], changes: readonly Change[]): Edit => ({
  steps,
  changes,
  status: 200,
  body: null,
});

const toChange = (kind: ChangeKind, { id, requesterId }: License, object: object): Change => ({
  kind,
  id,
  ownerId: requesterId,
  object,
});
