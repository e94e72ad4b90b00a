/**
 * Periodic work of one node: deletes expired records, announces licenses that expire, diverging candidates, new
 * crawlers, false names and denials that jumped, places items in collections.
 */

import { sweepAudit } from '../api/changes/audit.ts';
import type { Changes } from '../api/changes/changes.ts';
import { sweepEvents } from '../api/events/store.ts';
import { sweepSessions } from '../api/users/session-store.ts';
import { sweepSignIns } from '../api/users/store.ts';
import { sweepDeliveries } from '../api/webhooks/store.ts';
import type { KnownCollections } from '../content/collections/known.ts';
import { openPlacing } from '../content/place.ts';
import { sweepUnregistered } from '../content/unregistered/store.ts';
import type { Db } from '../db/db.ts';
import type { Columns } from '../decisions/history/columns/columns.ts';
import { sweep } from '../decisions/history/retention/sweep.ts';
import { sweepTests } from '../decisions/history/retention/test-sweep.ts';
import type { NamedInDecisions } from '../decisions/ledger/ledger.ts';
import { watchSightings } from '../decisions/visitors/sightings.ts';
import type { Clock } from '../lib/clock.ts';
import { every } from '../lib/every.ts';
import { watchJumps } from '../reports/attention/jumps.ts';
import { watchCandidates } from '../reports/whatif/candidate-watch.ts';
import { announceAhead, announceExpired } from '../requesters/licenses/expiry.ts';

const SWEEP_EVERY_MS = 10_000;
const EXPIRY_EVERY_MS = 500;
const PLACE_EVERY_MS = 200;
const CANDIDATES_EVERY_MS = 1_000;
const SIGHTINGS_EVERY_MS = 1_000;
const JUMPS_EVERY_MS = 1_000;
const DAY_MS = 86_400_000;

export interface HousekeepingDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  collections: KnownCollections;
  columns: Pick<Columns, 'alarms'>;
  /** See reports/attention/jumps. */
  hasDecisions(): boolean;
  ledgerNo: number;
  /** Where this process records all decisions. */
  takeNames: (() => NamedInDecisions) | undefined;
  /** Retention of the audit log. */
  auditDays: number;
  /** Retention of the decisions of tests. */
  testDays: number;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  /** Returns whether the clock can be trusted with deletions. */
  isTimeSure(): boolean;
  onProblem(error: unknown): void;
}

/** Returns a function that stops the work and waits for a running sweep. */
export function startHousekeeping(deps: HousekeepingDeps) {
  const { db, changes, clock, collections, ledgerNo, takeNames, auditDays, testDays } = deps;
  const { isOurs, isTimeSure, onProblem } = deps;
  const ending = new AbortController();
  const sweeps = [
    () => sweepSessions(db, clock.now()),
    () => sweepSignIns(db, clock.now()),
    () => sweep(db, clock.now()),
    () => sweepTests(db, clock.now(), clock.now() - testDays * DAY_MS),
    () => sweepEvents(db, clock.now()),
    () => sweepDeliveries(db, clock.now()),
    () => sweepUnregistered(db, clock.now()),
    () => sweepAudit(db, clock.now() - auditDays * DAY_MS),
  ];
  const ours = (work: () => Promise<void>) => async (): Promise<void> => {
    if (isOurs()) await work();
  };
  const ends = [
    ...sweeps.map((work) =>
      every(
        SWEEP_EVERY_MS,
        ours(async () => (isTimeSure() ? work() : undefined)),
        onProblem,
      ),
    ),
    every(
      EXPIRY_EVERY_MS,
      ours(() => announceExpired(db, changes, clock)),
      onProblem,
    ),
    every(
      EXPIRY_EVERY_MS,
      ours(() => announceAhead(db, changes, clock)),
      onProblem,
    ),
    every(CANDIDATES_EVERY_MS, ours(watchCandidates({ db, changes, clock, ledgerNo })), onProblem),
    every(SIGHTINGS_EVERY_MS, ours(watchSightings({ db, changes, clock, ledgerNo, takeNames })), onProblem),
    every(JUMPS_EVERY_MS, ours(watchJumps({ ...deps, ending: ending.signal })), onProblem),
    every(PLACE_EVERY_MS, ours(openPlacing(db, collections)), onProblem),
  ];
  return async (): Promise<void> => {
    ending.abort();
    await Promise.all(ends.map((end) => end()));
  };
}
