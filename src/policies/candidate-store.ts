/** The tables `candidates` and `ended_candidates`; rows never leave this file. */
import type { Db, Row, Step } from '../db/db.ts';
import type { Candidate } from '../rules/candidate.ts';
import type { Action, Rule } from '../rules/policy.ts';

interface CandidateRow extends Row {
  no: number;
  policy_id: string;
  policy_no: number;
  rules: string;
  default_action: string;
  after_seq: number;
  announced_seq: number;
  announced_at: number | null;
  key_id: string | null;
  created_at: number;
}

const COLUMNS =
  'no, policy_id, policy_no, rules, default_action, after_seq, announced_seq, announced_at, key_id, created_at';

const toCandidate = (row: CandidateRow): Candidate => ({
  no: row.no,
  policyId: row.policy_id,
  policyNo: row.policy_no,
  rules: JSON.parse(row.rules) as Rule[],
  defaultAction: row.default_action as Action,
  afterSeq: row.after_seq,
  announcedSeq: row.announced_seq,
  announcedAt: row.announced_at,
  keyId: row.key_id,
  createdAt: row.created_at,
});

export async function findCandidate(db: Db, policyId: string): Promise<Candidate | undefined> {
  const [row] = await db.read<CandidateRow>(`select ${COLUMNS} from candidates where policy_id = $1`, [policyId]);
  return row && toCandidate(row);
}

/** Finds the candidates after a number whose divergences were not announced since `cutoff` (epoch ms), ascending. */
export async function findUnannounced(db: Db, after: number, cutoff: number, limit: number): Promise<Candidate[]> {
  const rows = await db.read<CandidateRow>(
    `select ${COLUMNS} from candidates where no > $1 and coalesce(announced_at, 0) <= $2 order by no limit ${limit}`,
    [after, cutoff],
  );
  return rows.map(toCandidate);
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
  sql: `insert into ended_candidates
          (no, policy_id, policy_no, rules, default_action, after_seq, announced_seq, announced_at, key_id, created_at,
           newest_seq)
        select ${COLUMNS}, newest.seq
        from candidates, (select coalesce(max(seq), 0) as seq from decisions) as newest where ${column} = $1`,
  params: [value],
});

/** A candidate that was published, replaced or deleted. `newestSeq`: the newest decision at that time. */
export type EndedCandidate = Candidate & { newestSeq: number };

/** Finds ended candidates after a number, ascending, whose last decisions are still to be looked at. */
export async function findEnded(db: Db, after: number, limit: number): Promise<EndedCandidate[]> {
  const rows = await db.read<CandidateRow & { newest_seq: number }>(
    `select ${COLUMNS}, newest_seq from ended_candidates where no > $1 order by no limit ${limit}`,
    [after],
  );
  return rows.map((row) => ({ ...toCandidate(row), newestSeq: row.newest_seq }));
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
