/**
 * Erases the inputs of old decisions and takes older ones out of the log, day by day. Promise: no check waits for it.
 * One node does the work, in small transactions with pauses; a crash loses nothing but the place of the pause. Days are
 * those of UTC: a decision leaves at the end of the day on which it reaches its age.
 */

import { replacePayload } from '../../api/changes/rows.ts';
import type { Db } from '../../db/db.ts';
import { CAREFUL, openPace, STEADY } from '../../db/pace.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';
import type { SqliteDb } from '../../db/sqlite/db.ts';
import type { LoggedDecision } from '../../decisions/history/logged.ts';
import { DAY_MS, endRetiring, eraseInputsBatch, retireBatch } from '../../decisions/history/retention/retire.ts';
import type { PrivacyConfig } from '../../decisions/precision.ts';
import { every } from '../../lib/every.ts';
import { eraseAnswers } from './deliveries.ts';
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

const LOOK_EVERY_MS = 10_000;

export interface RetentionDeps {
  db: Db | SqliteDb | PostgresDb;
  now(): number;
  privacy: Pick<PrivacyConfig, 'inputDays' | 'decisionDays'>;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  /** Returns whether the clock can be trusted with deletions. */
  isTimeSure(): boolean;
  onProblem(error: unknown): void;
}

/** Returns the start of the day before which everything is older than so many days. */
export const retentionCutoff = (now: number, days: number): number => Math.floor(now / DAY_MS) * DAY_MS - days * DAY_MS;

/** Returns a function that stops the work and waits for the batch that runs. */
export function startRetention(deps: RetentionDeps): () => Promise<void> {
  const { privacy, onProblem } = deps;
  if (privacy.inputDays === null && privacy.decisionDays === null) return async () => {};
  let isOver = false;
  const mayGoOn = () => !isOver && deps.isOurs() && deps.isTimeSure();
  const log = openWriteAheadLog(deps.db);
  const work = async (): Promise<void> => {
    await retain(deps, log, mayGoOn);
    await log.tryEmpty();
  };
  const stop = every(LOOK_EVERY_MS, work, onProblem);
  return async () => {
    isOver = true;
    await stop();
  };
}

/**
 * Does everything that is due, unless it may no longer go on. Each day, a day of decisions is due: a walk that takes
 * longer would fall behind.
 */
async function retain({ db, now, privacy }: RetentionDeps, log: WriteAheadLog, mayGoOn: () => boolean): Promise<void> {
  const { inputDays, decisionDays } = privacy;
  const walk = async (batch: (rows: number) => Promise<boolean>): Promise<void> => {
    // On PostgreSQL, checks do not queue behind it.
    const careful = openPace(db.engine, db.engine === 'sqlite' ? CAREFUL : STEADY);
    const steady = openPace(db.engine, STEADY);
    const began = now();
    const pace = () => (now() - began < DAY_MS ? careful : steady);
    while (mayGoOn() && (await pace()(batch))) log.markStale();
  };
  const retire = async (days: number): Promise<void> => {
    await walk((rows) => retireBatch(db, retentionCutoff(now(), days), rows));
    if (mayGoOn()) await endRetiring(db);
  };
  const eraseInputs = async (days: number): Promise<void> => {
    await walk(() => eraseKeptBodies(db, retentionCutoff(now(), days)));
    await walk(() => eraseAnswers(db, retentionCutoff(now(), days)));
    await walk((rows) => eraseInputsBatch(db, retentionCutoff(now(), days), rows));
  };
  try {
    if (decisionDays !== null) await retire(decisionDays);
  } finally {
    // Also where moved decisions cannot leave, since ClickHouse is away.
    if (inputDays !== null) await eraseInputs(inputDays);
  }
}

const BODIES_AT_ONCE = 100;

/**
 * Erases the inputs in some bodies that are kept for the events of deleted decisions, before a time. Returns whether
 * there were any.
 */
async function eraseKeptBodies(db: Db, before: number): Promise<boolean> {
  const rows = await db.read<{ id: string; object: string }>(
    `select d.id, d.object from events as e join change_data as d on d.id = e.id
     where e.kind like 'access.%' and e.at < $1
       and (replace(d.object, '"context":{', '') <> d.object or replace(d.object, '"license":{', '') <> d.object)
     limit ${BODIES_AT_ONCE}`,
    [before],
  );
  if (rows.length === 0) return false;
  await db.atomic(
    rows.map(({ id, object }) => replacePayload(id, withoutInputs(JSON.parse(object) as LoggedDecision))),
  );
  return true;
}

function withoutInputs(decision: LoggedDecision): LoggedDecision {
  const reduced = (['context', 'license'] as const).filter((field) => decision[field] != null);
  return reduced.length === 0 ? decision : { ...decision, context: null, license: null, reduced };
}
