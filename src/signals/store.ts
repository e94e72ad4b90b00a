/** The table `served_signals`: what was served from when on. Rows never leave this file. */
import type { Db, Row, Step } from '../db/db.ts';

export interface Served {
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
): Promise<Served | undefined> {
  const [row] = await db.read<ServedRow>(
    'select at, body from served_signals where host = $1 and kind = $2 and at <= $3 order by at desc, seq desc limit 1',
    [host, kind, at],
  );
  return row && { at: Number(row.at), body: row.body };
}

/** Written only if it differs from the last one. */
export const insertServed = (host: string, kind: string, { at, body }: Served): Step => ({
  sql: `insert into served_signals (host, kind, at, body)
        select $1, $2, $3, $4 where not exists (
          select 1 from served_signals where seq =
            (select max(seq) from served_signals where host = $1 and kind = $2) and coalesce(body, '') = coalesce($4, ''))`,
  params: [host, kind, at, body],
});
