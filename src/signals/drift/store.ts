/** The table `signal_checks`: the last comparison of each site with its live files. Rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { columns } from '../../db/record.ts';
import type { CheckedFile, State } from './drift.ts';

export interface SignalCheck {
  host: string;
  state: State;
  checkedAt: number;
  /** Since when it differs in this way; null: it does not. */
  since: number | null;
  /** A hash of the last differences: an event announces them once. */
  digest: string | null;
  files: CheckedFile[];
}

const CHECK = columns<SignalCheck>({
  host: 'fixed',
  state: 'plain',
  checkedAt: 'plain',
  since: 'plain',
  digest: 'plain',
  files: 'json',
});

/** Returns the last check of a site as it is now; a site that was made again has none. */
export async function findCheck(db: Db, host: string): Promise<SignalCheck | undefined> {
  const [row] = await db.read(
    `select ${CHECK.list} from signal_checks as c where host = $1 and checked_at >=
       (select created_at from sites where sites.host = c.host)`,
    [host],
  );
  return row && CHECK.toRecord(row);
}

export const putCheck: (check: SignalCheck) => Step = CHECK.step(
  'insert into signal_checks ({columns}) values ({values}) on conflict (host) do update set {changes}',
);

/**
 * Returns the sites that differed when they were last compared, the longest first; those that could not be looked at
 * since then are among them.
 */
export async function findDrifted(db: Db, limit: number): Promise<{ host: string; since: number }[]> {
  return db.read<{ host: string; since: number }>(
    `select c.host, c.since from signal_checks as c join sites as s on s.host = c.host and c.checked_at >= s.created_at
       where c.since is not null order by c.since, c.host limit $1`,
    [limit],
  );
}

/** Returns hosts whose last check, or whose first day, is long enough ago; the longest first. */
export async function findDue(db: Db, { before, limit }: { before: number; limit: number }): Promise<string[]> {
  const rows = await db.read<{ host: string }>(
    `select s.host from sites as s left join signal_checks as c on c.host = s.host and c.checked_at >= s.created_at
       where coalesce(c.checked_at, s.created_at) <= $1 order by coalesce(c.checked_at, s.created_at), s.host limit $2`,
    [before, limit],
  );
  return rows.map(({ host }) => host);
}

export const deleteStrayChecks: Step = {
  sql: 'delete from signal_checks where host not in (select host from sites)',
  params: [],
};
