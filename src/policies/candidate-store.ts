/** The tables `candidates` and `ended_candidates`; rows never leave this file. */
import type { Db, Row, Step } from '../db/db.ts';
import { columns } from '../db/record.ts';
import type { Candidate } from '../rules/candidate.ts';

const CANDIDATE = columns<Candidate>({
  no: 'generated',
  policyId: 'fixed',
  policyNo: 'fixed',
  rules: 'json',
  defaultAction: 'fixed',
  afterSeq: 'fixed',
  announcedSeq: 'plain',
  announcedAt: 'plain',
  keyId: 'fixed',
  createdAt: 'fixed',
});

export async function findCandidate(db: Db, policyId: string): Promise<Candidate | undefined> {
  const [row] = await db.read(`select ${CANDIDATE.list} from candidates where policy_id = $1`, [policyId]);
  return row && CANDIDATE.toRecord(row);
}

/** Finds the candidates after a number whose divergences were not announced since `cutoff` (epoch ms), ascending. */
export async function findUnannounced(db: Db, after: number, cutoff: number, limit: number): Promise<Candidate[]> {
  const rows = await db.read(
    `select ${CANDIDATE.list} from candidates where no > $1 and coalesce(announced_at, 0) <= $2 order by no limit ${limit}`,
    [after, cutoff],
  );
  return rows.map(CANDIDATE.toRecord);
}

export type NewCandidate = Pick<Candidate, 'policyId' | 'rules' | 'defaultAction' | 'keyId' | 'createdAt'>;

/** Fails when the policy has another candidate than `before`. A Conflict when the policy was deleted. */
export const replaceCandidate = (before: Candidate | undefined, candidate: NewCandidate): Step[] => [
  ...(before === undefined ? [] : endCandidate(before)),
  {
    sql: `insert into candidates
            (policy_id, policy_no, rules, default_action, after_seq, announced_seq, key_id, created_at)
          select id, no, $2, $3, newest.seq, newest.seq, $4, $5
          from policies, (select coalesce(max(seq), 0) as seq from decisions) as newest where id = $1`,
    params: [
      candidate.policyId,
      JSON.stringify(candidate.rules),
      candidate.defaultAction,
      candidate.keyId,
      candidate.createdAt,
    ],
    expect: 1,
  },
];

/** A Conflict when it was replaced or deleted since it was read. */
export const endCandidate = ({ no }: Candidate): Step[] => [
  keepEnded('no', no),
  { sql: 'delete from candidates where no = $1', params: [no], expect: 1 },
];

export const endPolicyCandidate = (policyId: string): Step[] => [
  keepEnded('policy_id', policyId),
  { sql: 'delete from candidates where policy_id = $1', params: [policyId] },
];

/** Its last decisions may not have been looked at, so a divergence in them is announced after its end. */
const keepEnded = (column: 'no' | 'policy_id', value: number | string): Step => ({
  sql: `insert into ended_candidates (${CANDIDATE.list}, newest_seq)
        select ${CANDIDATE.list}, newest.seq
        from candidates, (select coalesce(max(seq), 0) as seq from decisions) as newest where ${column} = $1`,
  params: [value],
});

/** A candidate that was published, replaced or deleted. `newestSeq`: the newest decision at that time. */
export type EndedCandidate = Candidate & { newestSeq: number };

/** Finds ended candidates after a number, ascending, whose last decisions are still to be looked at. */
export async function findEnded(db: Db, after: number, limit: number): Promise<EndedCandidate[]> {
  const rows = await db.read<Row & { newest_seq: number }>(
    `select ${CANDIDATE.list}, newest_seq from ended_candidates where no > $1 order by no limit ${limit}`,
    [after],
  );
  return rows.map((row) => ({ ...CANDIDATE.toRecord(row), newestSeq: row.newest_seq }));
}

/** A Conflict when another node did it first. */
export const forgetEnded = ({ no }: Candidate): Step => ({
  sql: 'delete from ended_candidates where no = $1',
  params: [no],
  expect: 1,
});

/** Keeps what is announced. A Conflict when another node announced first, or the candidate is gone. */
export const announceCandidate = (before: Candidate, seq: number, at: number): Step => ({
  sql: `update candidates set announced_seq = $2, announced_at = $3
        where no = $1 and announced_seq = $4 and coalesce(announced_at, 0) = $5`,
  params: [before.no, seq, at, before.announcedSeq, before.announcedAt ?? 0],
  expect: 1,
});
