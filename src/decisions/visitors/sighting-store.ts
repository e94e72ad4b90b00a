/** The tables `sightings` and `sighting_cursors`; rows never leave this file. */
import type { Db, Row, Step } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { type Sighting, type SightingKind } from '../history/visits.ts';

/** The last decision that was read. Up to `quietSeq` nothing is announced. */
export interface SightingCursor {
  seq: number;
  quietSeq: number;
}

export async function findCursor(db: Db): Promise<SightingCursor> {
  const [row] = await db.read<{ seq: number; quiet_seq: number }>('select seq, quiet_seq from sighting_cursors');
  return { seq: row?.seq ?? 0, quietSeq: row?.quiet_seq ?? 0 };
}

/** Moves the cursor; a Conflict if another node moved it. */
export const moveCursor = (from: number, to: number): Step => ({
  sql: `insert into sighting_cursors (id, seq, quiet_seq) values (1, $2, 0)
        on conflict (id) do update set seq = excluded.seq where sighting_cursors.seq = $1`,
  params: [from, to],
  expect: 1,
});

interface KnownRow extends Row {
  name: string;
  seen_at: number;
  announced_at: number | null;
}

/** Returns when these names were last announced; null for those that never were. Unknown names are missing. */
export async function findAnnounced(
  db: Db,
  kind: SightingKind | 'denials' | 'robots',
  names: readonly string[],
): Promise<Map<string, number | null>> {
  if (names.length === 0) return new Map();
  const rows = await db.read<KnownRow>(
    `select name, seen_at, announced_at from sightings where ${inList(db.engine, 'name', 'text')} and kind = $2`,
    [toList(names), kind],
  );
  return new Map(rows.map((row) => [row.name, row.announced_at]));
}

export const putSighting = ({ kind, name }: Sighting, seenAt: number, announcedAt: number | null): Step => ({
  sql: `insert into sightings (kind, name, seen_at, announced_at, checks) values ($1, $2, $3, $4, 0)
        on conflict (kind, name) do update set announced_at = excluded.announced_at, checks = 0`,
  params: [kind, name, seenAt, announcedAt],
});

/** A Conflict if the jump of this requester's denials was announced within the day before. */
export const announceJump = (name: string, { at, dayBefore }: { at: number; dayBefore: number }): Step => ({
  sql: `insert into sightings (kind, name, seen_at, announced_at, checks) values ('denials', $1, $2, $2, 0)
        on conflict (kind, name) do update set seen_at = excluded.seen_at, announced_at = excluded.announced_at
        where sightings.announced_at <= $3`,
  params: [name, at, dayBefore],
  expect: 1,
});

export const deleteJumps = (upTo: number): Step => ({
  sql: `delete from sightings where kind = 'denials' and announced_at <= $1`,
  params: [upTo],
});

/** Returns the crawlers that were seen for the first time since a time, and were announced; the newest first. */
export async function findFirstSeen(db: Db, since: number, limit: number): Promise<{ name: string; at: number }[]> {
  return db.read<{ name: string; at: number }>(
    `select name, seen_at as at from sightings
     where kind = 'seen' and seen_at >= $1 and announced_at is not null order by seen_at desc, name limit ${limit}`,
    [since],
  );
}

/** Returns the checks under false names that were not announced yet. */
export async function findPending(db: Db, most: number): Promise<Map<string, number>> {
  const rows = await db.read<{ name: string; checks: number }>(
    `select name, checks from sightings where kind = 'spoofed' and checks > 0 order by name limit $1`,
    [most],
  );
  return new Map(rows.map(({ name, checks }) => [name, checks]));
}

export const putPending = (name: string, checks: number): Step => ({
  sql: `update sightings set checks = $2 where kind = 'spoofed' and name = $1`,
  params: [name, checks],
});

const ROBOTS_READERS_MAX = 10_000;

/** Puts programs that read a robots.txt, and drops those that read it longest ago beyond the bound. */
export const putRobotsReads = (names: readonly string[], at: number): Step[] => [
  ...names.map((name) => ({
    sql: `insert into sightings (kind, name, seen_at, announced_at, checks) values ('robots', $1, $2, $2, 0)
          on conflict (kind, name) do update set announced_at = excluded.announced_at`,
    params: [name, at],
  })),
  {
    sql: `delete from sightings where kind = 'robots' and name in (select name from sightings where kind = 'robots'
            order by announced_at desc, name limit 1000000 offset ${ROBOTS_READERS_MAX})`,
  },
];
