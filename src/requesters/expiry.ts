/**
 * Announces expired licenses: each expiry once, including those while the service was down. Decisions do not wait for
 * the announcement; a check judges a license by its own dates.
 */

import { type Edit, SYSTEM } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { licenseAnswer } from './schema.ts';
import { announceExpiry, findExpired } from './store.ts';

const LICENSES_AT_ONCE = 200;

/** Announces all that are due. Several nodes may do so at once; only one announces each license. */
export async function announceExpired(db: Db, changes: Changes, clock: Clock): Promise<void> {
  for (;;) {
    let found = 0;
    const plan = async (): Promise<Edit> => {
      const now = clock.now();
      const licenses = await findExpired(db, now, LICENSES_AT_ONCE);
      found = licenses.length;
      return {
        steps: licenses.map(announceExpiry),
        changes: licenses.map((license) => ({
          kind: 'license.expired',
          id: license.id,
          ownerId: license.requesterId,
          object: licenseAnswer(license, now),
        })),
        status: 200,
        body: null,
      };
    };
    if ((await findExpired(db, clock.now(), 1)).length > 0) await changes.commit(SYSTEM, 'expiry', plan);
    if (found < LICENSES_AT_ONCE) return;
  }
}
