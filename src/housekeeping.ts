/** What is done now and then, by one node of all: what has run out leaves the records, and who subscribed is told. */
import { sweepAudit } from './changes/audit.ts';
import type { Changes } from './changes/changes.ts';
import { sweepSessions } from './console/store.ts';
import type { Db } from './db/db.ts';
import { sweepEvents } from './events/store.ts';
import { sweep } from './ledger/sweep.ts';
import type { Clock } from './lib/clock.ts';
import { every } from './lib/every.ts';
import { announceExpired } from './requesters/expiry.ts';
import { sweepDeliveries } from './webhooks/store.ts';

const SWEEP_EVERY_MS = 10_000;
const EXPIRY_EVERY_MS = 500;
const DAY_MS = 86_400_000;

export interface HousekeepingDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  /** How long the audit log is kept. */
  auditDays: number;
  /** Whether this node is the one. */
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

/** Returns what ends it, when what is under way is done. */
export function startHousekeeping({ db, changes, clock, auditDays, isOurs, onProblem }: HousekeepingDeps) {
  const sweeps = [
    () => sweepSessions(db, clock.now()),
    () => sweep(db, clock.now()),
    () => sweepEvents(db, clock.now()),
    () => sweepDeliveries(db, clock.now()),
    () => sweepAudit(db, clock.now() - auditDays * DAY_MS),
  ];
  const ours = (work: () => Promise<void>) => async (): Promise<void> => {
    if (isOurs()) await work();
  };
  const ends = [
    ...sweeps.map((work) => every(SWEEP_EVERY_MS, ours(work), onProblem)),
    every(
      EXPIRY_EVERY_MS,
      ours(() => announceExpired(db, changes, clock)),
      onProblem,
    ),
  ];
  return async (): Promise<void> => void (await Promise.all(ends.map((end) => end())));
}
