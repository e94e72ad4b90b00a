/**
 * Finds the requesters with identities that rules are about, for lint. Bounded: ids are looked up in memory, and
 * licenses, types, tags and metadata are read of so many requesters.
 */
import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { type FindVerifiable, namedBy, type RequesterKind } from '../../rules/lint/unverified.ts';
import type { Identities } from './identities.ts';
import { findLicenseTypes, findVerifiable, type VerifiableRequester } from './verifiable-store.ts';

const HOLDERS_MAX = 1000;

export interface VerifiableDeps {
  db: Db;
  clock: Clock;
  identities: Pick<Identities, 'hasIdentities' | 'withIdentities'>;
}

export const verifiableIn =
  ({ db, clock, identities }: VerifiableDeps): FindVerifiable =>
  async (rules) => {
    const { requesterIds, byKind, byLicense, metadataKeys } = namedBy(rules);
    const holders = byLicense ? identities.withIdentities(HOLDERS_MAX) : [];
    const requesters = byKind ? await findVerifiable(db, HOLDERS_MAX, metadataKeys) : [];
    return {
      requesterIds: new Set(requesterIds.filter((id) => identities.hasIdentities(id))),
      kinds: distinctKinds(requesters),
      licenseTypes: new Set(await findLicenseTypes(db, holders, clock.now())),
    };
  };

function distinctKinds(requesters: readonly VerifiableRequester[]): RequesterKind[] {
  const kinds = requesters.map(({ type, tags, metadata }): RequesterKind => ({ type, tags, metadata }));
  return [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
}
