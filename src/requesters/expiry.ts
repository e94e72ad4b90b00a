/**
 * Announces licenses that have run out: each expiry once, also those of the time the service was down. Deciding does not
 * wait for it; a license is judged by its own dates.
 */
import { type Changes, type Edit, SYSTEM } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { licenseAnswer } from './schema.ts';
import { announceExpiry, findExpired } from './store.ts';

const LICENSES_AT_ONCE = 200;

/** All that are due. Safe on several nodes at once: who comes second finds nothing to announce. */
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
