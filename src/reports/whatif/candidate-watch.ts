/**
 * Announces that a candidate decides otherwise than its policy: at the first divergence, and then at most once an hour.
 * Reads the recorded decisions behind the checks, so no check waits for it and a restart misses none: a candidate that
 * has ended is kept until its last decisions were read. Several nodes may look at once; only one announces.
 */
import { type Change, type Edit, SYSTEM } from '../../api/changes/change.ts';
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { findDivergence } from '../../decisions/history/divergence.ts';
import { type Heads, openHeads } from '../../decisions/history/ends.ts';
import { decisionId } from '../../decisions/ledger/decision.ts';
import type { Clock } from '../../lib/clock.ts';
import { candidateAnswer } from '../../policies/candidate-schema.ts';
import {
  announceCandidate,
  type EndedCandidate,
  findCandidate,
  findEnded,
  findUnannounced,
  forgetEnded,
} from '../../policies/candidate-store.ts';
import type { Candidate } from '../../rules/candidate.ts';

const EVERY_MS = 3_600_000;
const CANDIDATES_AT_ONCE = 100;
const CURSORS_MAX = 10_000;

export interface CandidateWatchDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  ledgerNo: number;
}

/** Returns the work of one round. */
export function watchCandidates(deps: CandidateWatchDeps): () => Promise<void> {
  const { db, clock } = deps;
  /** By the number of a candidate: the decision up to which there is nothing to announce. */
  const cursors = new Map<number, number>();
  const readHeads = openHeads(db);

  const find = (candidate: Candidate, { newest }: Heads) =>
    findDivergence(db, candidate, {
      after: Math.max(candidate.announcedSeq, cursors.get(candidate.no) ?? 0),
      upTo: newest,
    });
  const watch = async (candidate: Candidate, heads: Heads): Promise<void> => {
    const found = await find(candidate, heads);
    if (found !== undefined) await announce(deps, candidate, found, heads.newest);
    else keep(cursors, candidate.no, heads.settled);
  };
  const watchEnded = async (candidate: EndedCandidate, heads: Heads): Promise<void> => {
    const due = isDue(candidate, clock.now());
    const found = due ? await find(candidate, heads) : undefined;
    if (found === undefined && heads.settled < candidate.newestSeq) {
      if (due) keep(cursors, candidate.no, heads.settled);
      return;
    }
    await announceEnded(deps, candidate, found);
    cursors.delete(candidate.no);
  };

  return async () => {
    const dueSince = clock.now() - EVERY_MS;
    await forEach((after) => findUnannounced(db, after, dueSince, CANDIDATES_AT_ONCE), readHeads, watch);
    await forEach((after) => findEnded(db, after, CANDIDATES_AT_ONCE), readHeads, watchEnded);
  };
}

async function forEach<C extends Candidate>(
  findAfter: (no: number) => Promise<C[]>,
  readHeads: () => Promise<Heads>,
  work: (candidate: C, heads: Heads) => Promise<void>,
): Promise<void> {
  for (let after = 0; ; ) {
    const candidates = await findAfter(after);
    if (candidates.length === 0) return;
    const heads = await readHeads();
    for (const candidate of candidates) {
      await work(candidate, heads);
      after = candidate.no;
    }
  }
}

const isDue = ({ announcedAt }: Candidate, now: number): boolean => (announcedAt ?? -Infinity) <= now - EVERY_MS;

/** Forgetting a cursor only means reading the same decisions again. */
function keep(cursors: Map<number, number>, no: number, seq: number): void {
  if (seq <= (cursors.get(no) ?? 0)) return;
  if (cursors.size >= CURSORS_MAX && !cursors.has(no)) cursors.clear();
  cursors.set(no, seq);
}

const NOTHING: Edit = { steps: [], changes: [], status: 200, body: null };

type Divergence = { seq: number; at: number };

/** Divergences up to `upTo` are announced with this one. */
async function announce(deps: CandidateWatchDeps, seen: Candidate, found: Divergence, upTo: number): Promise<void> {
  const { db, changes, clock, ledgerNo } = deps;
  await changes.commit(SYSTEM, seen.policyId, async (): Promise<Edit> => {
    const now = clock.now();
    const candidate = await findCandidate(db, seen.policyId);
    if (candidate?.no !== seen.no || !isDue(candidate, now)) return NOTHING;
    return {
      steps: [announceCandidate(candidate, upTo, now)],
      changes: [diverged(candidate, found, ledgerNo)],
      status: 200,
      body: null,
    };
  });
}

/** Nothing of it is read any more. */
async function announceEnded(deps: CandidateWatchDeps, { no, policyId }: Candidate, found?: Divergence): Promise<void> {
  await deps.changes.commit(SYSTEM, policyId, async (): Promise<Edit> => {
    const [candidate] = await findEnded(deps.db, no - 1, 1);
    if (candidate?.no !== no) return NOTHING;
    return {
      steps: [forgetEnded(candidate)],
      changes: found === undefined ? [] : [diverged(candidate, found, deps.ledgerNo)],
      status: 200,
      body: null,
    };
  });
}

const diverged = (candidate: Candidate, { seq, at }: Divergence, ledgerNo: number): Change => ({
  kind: 'policy.candidate_diverged',
  id: candidate.policyId,
  object: { ...candidateAnswer(candidate), decisionId: decisionId(ledgerNo, at, seq) },
});
