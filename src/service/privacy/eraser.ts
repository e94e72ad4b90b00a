/**
 * Erases requesters: one after the other in the records, those that are done there together in the columns. Promise:
 * once an erasure is done, no record and no column of this installation has the id, the names or the texts of the
 * requester; decisions, statements and changes have the pseudonym. What is decided after the walk is of a new
 * requester. One node works at a time; a crash loses at most a piece of work, which is repeated.
 */
import type { Change } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { openPace, PATIENT, type Pace } from '../../db/pace.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';
import type { SqliteDb } from '../../db/sqlite/db.ts';
import { archiveWork } from '../../decisions/history/archive/erase.ts';
import { countMovedOf, movedWork } from '../../decisions/history/moved/erase.ts';
import { eraseName } from '../../decisions/history/moved/names.ts';
import {
  betweenSeqs,
  findDecisions,
  findEnd,
  type Replacement,
  replaceInDecisions,
  withSeqs,
} from '../../decisions/history/retention/erase.ts';
import { eraseLateTests } from '../../decisions/history/retention/test-sweep.ts';
import { forgetTree } from '../../decisions/history/sealed/forget.ts';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import { recordWork, unregisteredSteps } from './records.ts';
import { type Erasure, findNext, findWaiting, updateErasure } from './store.ts';
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

const LOOK_EVERY_MS = 500;
/** Decisions are mostly looked at, which is quicker than writing rows. */
const DECISIONS_PER_ROW = 10;
/** Decisions that may have been written, on PostgreSQL, after a walk that passed their numbers: again. */
const LATE = 10_000;
/** Other nodes read the records every five seconds; a node that comes back later counts its columns again. */
const COLUMNS_WAIT_MS = { sqlite: 0, postgres: 15_000 };
/**
 * The columns are copied once for all erasures that wait for them. Those wait for others, but not for long; more of
 * them would keep reports waiting.
 */
const TOGETHER_MAX = 20;
const TOGETHER_MS = 60_000;

export interface EraserDeps {
  db: Db | SqliteDb | PostgresDb;
  changes: Changes;
  clock: Clock;
  /** Settles when the columns have read the records as they are now, and again when they have been compacted. */
  columns: { bounds(): Promise<unknown> };
  /** Writes what this node has counted of unregistered requests. */
  unregistered: { flush(): Promise<void> };
  /** The folder of the archive; null: none is configured. */
  archiveDir: string | null;
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

/** Returns a function that stops the work and waits for the piece that runs. */
export function startEraser(deps: EraserDeps): () => Promise<void> {
  let isOver = false;
  const mayGoOn = () => !isOver && deps.isOurs();
  const log = openWriteAheadLog(deps.db);
  const work = async (): Promise<void> => {
    await eraseAll(deps, log, mayGoOn);
    await log.tryEmpty();
  };
  const stop = every(LOOK_EVERY_MS, work, deps.onProblem);
  return async () => {
    isOver = true;
    await stop();
  };
}

async function eraseAll(deps: EraserDeps, log: WriteAheadLog, mayGoOn: () => boolean): Promise<void> {
  const pace = openPace(deps.db.engine, PATIENT);
  while (mayGoOn()) {
    const waiting = await findWaiting(deps.db, TOGETHER_MAX);
    const [oldest] = waiting;
    const isFollowed = oldest !== undefined && hasWaited(deps, oldest, COLUMNS_WAIT_MS[deps.db.engine]);
    const isTime = isFollowed && (waiting.length === TOGETHER_MAX || hasWaited(deps, oldest, TOGETHER_MS));
    const next = isTime ? undefined : await findNext(deps.db);
    if (next === undefined && oldest === undefined) return;
    log.markStale();
    const goesOn = next === undefined ? finish(deps, waiting, mayGoOn) : goOn(deps, next, { pace, mayGoOn });
    if (!(await goesOn)) return;
  }
}

const hasWaited = ({ clock }: EraserDeps, { updatedAt }: Erasure, ms: number): boolean => clock.now() - updatedAt >= ms;

interface Terms {
  pace: Pace;
  mayGoOn(): boolean;
}

const toReplacement = ({ requesterId, pseudonym }: Erasure): Replacement => ({
  requesterId: requesterId as string,
  pseudonym,
});

/** Does the next piece of an erasure in the records. Returns whether there is more to do now. */
async function goOn(deps: EraserDeps, one: Erasure, { pace, mayGoOn }: Terms): Promise<boolean> {
  const { db, clock } = deps;
  const by = toReplacement(one);
  if (one.status === 'decisions') return pace((rows) => walkOn(deps, one, by, rows * DECISIONS_PER_ROW));
  for await (const work of recordWork(db, by)) {
    if (!mayGoOn()) return false;
    await pace(work);
  }
  for await (const work of archiveWork(db, deps.archiveDir, by)) {
    if (!mayGoOn()) return false;
    await pace(work);
  }
  for await (const work of movedWork(db, by)) {
    if (!mayGoOn()) return false;
    await pace(work);
  }
  const decisions = one.decisions + (await countMovedOf(db, by));
  await db.atomic([
    ...replaceInDecisions(db, betweenSeqs(one.walkedSeq - LATE, one.walkedSeq), by),
    forgetTree(by.requesterId),
    eraseLateTests(LATE, by.requesterId),
    updateErasure({ ...one, decisions, status: 'columns', updatedAt: clock.now() }, one),
  ]);
  return true;
}

/** Ends erasures that the columns of all nodes have followed, oldest first. Returns whether there is more to do. */
async function finish(deps: EraserDeps, waiting: readonly Erasure[], mayGoOn: () => boolean): Promise<boolean> {
  // The answer to a question includes all that was written before it; the second one comes after the compaction.
  await deps.columns.bounds();
  await deps.columns.bounds();
  const tooYoung = waiting.findIndex((one) => !hasWaited(deps, one, COLUMNS_WAIT_MS[deps.db.engine]));
  if (tooYoung === 0) return false;
  await deps.unregistered.flush();
  for (const one of waiting.slice(0, tooYoung < 0 ? waiting.length : tooYoung)) {
    if (!mayGoOn()) return false;
    await forget(deps, one);
  }
  return tooYoung < 0;
}

/** The reader finds the decisions, so that the writer, for which checks wait, only changes them. */
async function walkOn({ db, clock }: EraserDeps, one: Erasure, by: Replacement, limit: number): Promise<boolean> {
  const { upTo: walkedSeq, isLast } = await findEnd(db, one.walkedSeq, limit);
  const found = await findDecisions(db, { after: one.walkedSeq, upTo: walkedSeq }, by.requesterId);
  const decisions = one.decisions + found.filter((row) => row.requester_id === by.requesterId).length;
  const status = isLast ? 'records' : 'decisions';
  const next: Erasure = { ...one, decisions, status, walkedSeq, updatedAt: clock.now() };
  const seqs = found.map(({ seq }) => seq);
  const steps = seqs.length === 0 ? [] : replaceInDecisions(db, withSeqs(db, seqs), by);
  await db.atomicLater([...eraseName(db, by), ...steps, updateErasure(next, one)]);
  return true;
}

/** Forgets the id itself. Caches of all nodes drop what they compiled from rules that named it. */
async function forget({ changes, clock }: EraserDeps, one: Erasure): Promise<void> {
  const done: Erasure = { ...one, status: 'done', requesterId: null, updatedAt: clock.now() };
  const change: Change = {
    kind: 'requester.erased',
    id: one.pseudonym,
    object: { id: one.pseudonym, object: 'requester', erased: true },
  };
  const author = { caller: { keyId: one.keyId }, id: null, idempotency: null, source: () => null };
  await changes.commit(author, one.id, async () => ({
    steps: [...unregisteredSteps(toReplacement(one)), updateErasure(done, one)],
    changes: [change],
    status: 200,
    body: null,
  }));
}
