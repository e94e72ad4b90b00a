/** The table `sessions`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';

export interface Session {
  /** Id of the key or the user that signed in. */
  holderId: string;
  expiresAt: number;
}

interface SessionRow extends Row {
  key_id: string;
  expires_at: number;
}

/** Finds a session that has not expired. */
export async function findSession(db: Db, tokenHash: string, now: number): Promise<Session | undefined> {
  const [row] = await db.read<SessionRow>(
    'select key_id, expires_at from sessions where token_hash = $1 and expires_at > $2',
    [tokenHash, now],
  );
  return row && { holderId: row.key_id, expiresAt: row.expires_at };
}

/** Keeps the holder's newest `max` sessions, this one included. */
export const insertSession = (tokenHash: string, session: Session, now: number, max: number): Step[] => [
  {
    sql: 'insert into sessions (token_hash, key_id, created_at, expires_at) values ($1, $2, $3, $4)',
    params: [tokenHash, session.holderId, now, session.expiresAt],
  },
  {
    sql: `delete from sessions where key_id = $1 and token_hash not in (
            select token_hash from sessions where key_id = $1 order by created_at desc, token_hash limit ${max})
          and token_hash <> $2`,
    params: [session.holderId, tokenHash],
  },
];

export const deleteSession = (tokenHash: string): Step => ({
  sql: 'delete from sessions where token_hash = $1',
  params: [tokenHash],
});

/** Ends all sessions of a key or a user. */
export const deleteSessions = (holderId: string): Step => ({
  sql: 'delete from sessions where key_id = $1',
  params: [holderId],
});

export const sweepSessions = (db: Db, now: number): Promise<void> =>
  db.atomic([{ sql: 'delete from sessions where expires_at <= $1', params: [now] }]);
