/**
 * Finds the requesters with identities that rules are about, for lint. Bounded: names are looked up in memory, and
 * licenses are read of so many requesters.
 */
import type { Db } from '../db/db.ts';
import type { Clock } from '../lib/clock.ts';
import { type FindVerifiable, namedBy } from '../policies/lint/unverified.ts';
import { requesterIdOf } from '../requesters/crawlers.ts';
import { findLicenseTypes } from '../requesters/store.ts';
import type { Identities } from './identities.ts';

const HOLDERS_MAX = 1000;

export interface VerifiableDeps {
  db: Db;
  clock: Clock;
  identities: Pick<Identities, 'hasIdentities' | 'withIdentities'>;
}

export const verifiableIn =
  ({ db, clock, identities }: VerifiableDeps): FindVerifiable =>
  async (rules) => {
    const { requesterIds, crawlers, byLicense } = namedBy(rules);
    const holders = byLicense ? identities.withIdentities(HOLDERS_MAX) : [];
    return {
      requesterIds: new Set(requesterIds.filter((id) => identities.hasIdentities(id))),
      crawlers: new Set(crawlers.filter((crawler) => identities.hasIdentities(requesterIdOf(crawler)))),
      licenseTypes: new Set(await findLicenseTypes(db, holders, clock.now())),
    };
  };
