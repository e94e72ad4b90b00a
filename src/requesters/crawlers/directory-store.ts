/** The table `crawler_directory`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';

/** The last directory that was taken, and the attempts since. */
export interface TakenDirectory {
  /** SHA-256 of its text; null before the first. */
  hash: string | null;
  date: string | null;
  takenAt: number | null;
  attemptedAt: number;
  /** Failed attempts since the last that succeeded. */
  failures: number;
  failingSince: number | null;
  error: string | null;
}

export interface CrawlerDirectoryState {
  /** The day of the directory in force. */
  date: string;
  /** Where it comes from: this version, or the setting. */
  source: 'package' | 'file' | 'url';
  /** When it was taken from there. */
  takenAt: number | null;
  attemptedAt: number | null;
  failures: number;
  failingSince: number | null;
  error: string | null;
}

interface DirectoryRow extends Row {
  hash: string | null;
  date: string | null;
  taken_at: number | null;
  attempted_at: number;
  failures: number;
  failing_since: number | null;
  error: string | null;
}

const NEVER: TakenDirectory = {
  hash: null,
  date: null,
  takenAt: null,
  attemptedAt: 0,
  failures: 0,
  failingSince: null,
  error: null,
};

export async function findTaken(db: Db): Promise<TakenDirectory> {
  const [row] = await db.read<DirectoryRow>(
    'select hash, date, taken_at, attempted_at, failures, failing_since, error from crawler_directory',
  );
  if (row === undefined) return NEVER;
  const { hash, date, taken_at: takenAt, attempted_at: attemptedAt, failures, failing_since: failingSince } = row;
  return { hash, date, takenAt, attemptedAt, failures, failingSince, error: row.error };
}

/** Returns the text with this hash; undefined once it was replaced. */
export async function findTakenText(db: Db, hash: string): Promise<string | undefined> {
  const [row] = await db.read<{ text: string }>('select text from crawler_directory where hash = $1', [hash]);
  return row?.text;
}

/** `text` is absent where it stays as it is. */
export const putTaken = (taken: TakenDirectory, text?: string): Step => ({
  sql: `insert into crawler_directory (id, text, hash, date, taken_at, attempted_at, failures, failing_since, error)
        values ('directory', $1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (id) do update set text = coalesce(excluded.text, crawler_directory.text), hash = excluded.hash,
          date = excluded.date, taken_at = excluded.taken_at, attempted_at = excluded.attempted_at,
          failures = excluded.failures, failing_since = excluded.failing_since, error = excluded.error`,
  params: [
    text ?? null,
    taken.hash,
    taken.date,
    taken.takenAt,
    taken.attemptedAt,
    taken.failures,
    taken.failingSince,
    taken.error,
  ],
});
