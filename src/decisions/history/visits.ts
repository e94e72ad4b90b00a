/** Finds visitors among decisions. */
import type { Db } from '../../db/db.ts';
import type { VerifiedKind } from '../../rules/facts.ts';
import { toVerified } from '../ledger/codes.ts';

export type SightingKind = 'seen' | 'spoofed';

/** The visits of one crawler, or under one false name, within a span of decisions. */
export interface Sighting {
  kind: SightingKind;
  name: string;
  /** Number of the first decision. */
  seq: number;
  checks: number;
}

/** Returns the crawlers and the false names among these decisions. A false name is no visit of its crawler. */
export async function findSightings(db: Db, after: number, upTo: number): Promise<Sighting[]> {
  const rows = await db.read<{ crawler: string | null; claimed: string | null; seq: number; checks: number }>(
    `select case when claimed is null then crawler end as crawler, claimed, min(seq) as seq, count(*) as checks
     from decisions where seq > $1 and seq <= $2 and (crawler is not null or claimed is not null)
     group by case when claimed is null then crawler end, claimed`,
    [after, upTo],
  );
  return rows.map(({ crawler, claimed, seq, checks }) =>
    claimed === null
      ? { kind: 'seen', name: crawler as string, seq, checks }
      : { kind: 'spoofed', name: claimed, seq, checks },
  );
}

/** Returns the number of the `nth` decision after a number; undefined: there are fewer. */
export async function findNth(db: Db, after: number, nth: number): Promise<number | undefined> {
  const [row] = await db.read<{ seq: number }>(
    `select seq from decisions where seq > $1 order by seq limit 1 offset ${nth - 1}`,
    [after],
  );
  return row?.seq;
}

/** The first decision of a sighting, unless it was deleted meanwhile. */
export interface FirstDecision {
  at: number;
  verified: VerifiedKind | null;
}

export async function findFirst(db: Db, seq: number): Promise<FirstDecision | undefined> {
  const [row] = await db.read<{ at: number; verified: number | null }>(
    'select at, verified from decisions where seq = $1',
    [seq],
  );
  return row && { at: row.at, verified: toVerified(row.verified) };
}
