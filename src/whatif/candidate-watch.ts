/**
 * Announces that a candidate decides otherwise than its policy: at the first divergence, and then at most once an hour.
 * Reads the recorded decisions behind the checks, so no check waits for it and a restart misses none. Several nodes may
 * look at once; only one announces.
 */
import { type Edit, SYSTEM } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { decisionId } from '../ledger/decision.ts';
import { openHeads } from '../ledger/settled.ts';
import type { Clock } from '../lib/clock.ts';
import type { Candidate } from '../policies/candidate.ts';
import { candidateAnswer } from '../policies/candidate-schema.ts';
import { announceCandidate, findCandidate, findUnannounced } from '../policies/candidate-store.ts';
import { findDivergence } from './candidate-sql.ts';

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

  return async () => {
    for (let after = 0; ; ) {
      const candidates = await findUnannounced(db, after, clock.now() - EVERY_MS, CANDIDATES_AT_ONCE);
      if (candidates.length === 0) return;
      const { newest: upTo, settled } = await readHeads();
      for (const candidate of candidates) {
        const from = Math.max(candidate.announcedSeq, cursors.get(candidate.no) ?? 0);
        const found = await findDivergence((sql, params) => db.read(sql, params) as never, candidate, {
          after: from,
          upTo,
        });
        if (found !== undefined) await announce(deps, candidate, found, upTo);
        else if (settled > from) keep(cursors, candidate.no, settled);
        after = candidate.no;
      }
    }
  };
}

/** Forgetting a cursor only means reading the same decisions again. */
function keep(cursors: Map<number, number>, no: number, seq: number): void {
  if (cursors.size >= CURSORS_MAX && !cursors.has(no)) cursors.clear();
  cursors.set(no, seq);
}

/** Divergences up to `upTo` are announced with this one. */
async function announce(
  { db, changes, clock, ledgerNo }: CandidateWatchDeps,
  { no, policyId }: Candidate,
  { seq, at }: { seq: number; at: number },
  upTo: number,
): Promise<void> {
  await changes.commit(SYSTEM, policyId, async (): Promise<Edit> => {
    const now = clock.now();
    const candidate = await findCandidate(db, policyId);
    const isDue = candidate?.no === no && (candidate.announcedAt ?? -Infinity) <= now - EVERY_MS;
    if (candidate === undefined || !isDue) return { steps: [], changes: [], status: 200, body: null };
    const object = { ...candidateAnswer(candidate), decisionId: decisionId(ledgerNo, at, seq) };
    return {
      steps: [announceCandidate(candidate, upTo, now)],
      changes: [{ kind: 'policy.candidate_diverged', id: policyId, object }],
      status: 200,
      body: null,
    };
  });
}
