/** The table `served_signals`: what was served from when on. Rows never leave this file. */
import type { Db, Row, Step } from '../db/db.ts';

export interface ServedFile {
  /** Epoch ms. */
  at: number;
  /** null: none was served. */
  body: string | null;
}

interface ServedRow extends Row {
  at: number;
  body: string | null;
}

/** Returns what was served at a time (epoch ms); undefined: nothing is known of that time. */
export async function findServed(
  db: Db,
  { host, kind, at }: { host: string; kind: string; at: number },
): Promise<ServedFile | undefined> {
  const [row] = await db.read<ServedRow>(
    'select at, body from served_signals where host = $1 and kind = $2 and at <= $3 order by at desc, seq desc limit 1',
    [host, kind, at],
  );
  return row && { at: Number(row.at), body: row.body };
}

/** When a file was served first, without its text. */
export interface ServedTime {
  seq: number;
  /** Epoch ms. */
  at: number;
  /** From then on, none was served. */
  isNone: boolean;
}

/** Further files of the time are not looked at: the oldest ones. */
const TIMES_MAX = 1_000;

/** Returns the files that were served in a time (epoch ms), the newest first, with the one before. */
export async function findServedTimes(
  db: Db,
  { host, kind, from, to }: { host: string; kind: string; from: number; to: number },
): Promise<ServedTime[]> {
  const rows = await db.read<{ seq: number; at: number; none: number }>(
    `select seq, at, case when body is null then 1 else 0 end as none from served_signals
       where host = $1 and kind = $2 and at <= $4 and at >= coalesce(
         (select max(at) from served_signals where host = $1 and kind = $2 and at <= $3), 0)
       order by at desc, seq desc limit ${TIMES_MAX}`,
    [host, kind, from, to],
  );
  return rows.map(({ seq, at, none }) => ({ seq: Number(seq), at: Number(at), isNone: Number(none) === 1 }));
}

export async function findServedBody(db: Db, seq: number): Promise<string | null> {
  const [row] = await db.read<{ body: string | null }>('select body from served_signals where seq = $1', [seq]);
  return row?.body ?? null;
}

/** Written only if it differs from the last one. */
export const insertServed = (host: string, kind: string, { at, body }: ServedFile): Step => ({
  sql: `insert into served_signals (host, kind, at, body)
        select $1, $2, $3, $4 where not exists (
          select 1 from served_signals where seq =
            (select max(seq) from served_signals where host = $1 and kind = $2) and coalesce(body, '') = coalesce($4, ''))`,
  params: [host, kind, at, body],
});
