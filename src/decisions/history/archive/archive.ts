/**
 * Moves old decisions from the records into Parquet files, which reports still count. Promise: at any time, even after
 * a crash, readers find each decision either in the files or in the records. A file is complete and on disk before the
 * records refer to it, and nothing is deleted before that. The service may run meanwhile.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Conflict, type Db } from '../../../db/db.ts';
import { openPostgres } from '../../../db/postgres/db.ts';
import { isPostgresUrl } from '../../../db/postgres/url.ts';
import { openSqlite } from '../../../db/sqlite/db.ts';
import { toIso } from '../../../lib/clock.ts';
import { makeFolder } from '../../../lib/folder.ts';
import { countDeletedAt, DELETED_SUM, findDeleted } from '../deleted-counts.ts';
import { archivedTo } from '../ends.ts';
import { movedTo } from '../moved/blocks.ts';
import { retiredTo } from '../retention/retire.ts';
import { deleteDecisionsUpTo } from '../retention/sweep.ts';
import { fence, SEALED_TO, sealedTo } from '../sealed/forget.ts';
import { writeFile } from './file.ts';
import { Parquet } from './parquet.ts';

const ROWS_A_FILE = 1_000_000;
const READER_MIB = 128;
/** Events of decisions are kept for 30 days and need the records. */
export const YOUNGEST_DAYS = 31;
const DAY_MS = 86_400_000;

export interface ArchiveOptions {
  /** The folder of an installation, or a PostgreSQL URL. */
  records: string;
  /** Archives decisions before this time, epoch ms. */
  before: number;
  /** The folder of the archive, as in POSTERN_ARCHIVE_DIR. */
  to: string;
  now: number;
  say(line: string): void;
}

export interface Archived {
  decisions: number;
  files: string[];
}

const MOVED = 'Decisions moved to ClickHouse (POSTERN_RECORD_DAYS): they are kept there, and none is archived.';

/** The decisions cannot be archived; the message says what to do. */
export class CannotArchive extends Error {}

/** Throws CannotArchive, Unavailable. */
export async function archive({ records, before, to, now, say }: ArchiveOptions): Promise<Archived> {
  const youngest = now - YOUNGEST_DAYS * DAY_MS;
  if (before > youngest) {
    throw new CannotArchive(
      `Decisions of the last ${YOUNGEST_DAYS} days stay in the records: events refer to them. ` +
        `The latest day for --before is ${toIso(youngest).slice(0, 10)}.`,
    );
  }
  const file = join(records, 'postern.db');
  if (!isPostgresUrl(records) && !existsSync(file)) {
    throw new CannotArchive(`There is no installation in ${records}. Name its folder with --data-dir.`);
  }
  const db = isPostgresUrl(records) ? await openPostgres(records) : await openSqlite(file);
  const parquet = new Parquet(to, READER_MIB);
  try {
    makeFolder(to);
    const [ledger] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
    if (ledger === undefined) throw new CannotArchive('There are no decisions there.');
    if ((await movedTo(db)) > 0) throw new CannotArchive(MOVED);
    const archivedBefore = await archivedTo(db);
    // The rest of an interrupted run.
    await deleteDecisionsUpTo(db, archivedBefore);
    let after = Math.max(archivedBefore, await retiredTo(db));
    const last = await findLastBefore(db, before);
    const archived: Archived = { decisions: 0, files: [] };
    while (after < last) {
      const end = await findEnd(db, after, last);
      const name = `decisions-${ledger.value}-${String(after + 1).padStart(15, '0')}-${String(end).padStart(15, '0')}.parquet`;
      const rows = await addFile({ db, parquet }, { after, end, name, now, to });
      await deleteDecisionsUpTo(db, end);
      say(`${name}: ${rows} decisions`);
      archived.decisions += rows;
      archived.files.push(name);
      after = end;
    }
    return archived;
  } finally {
    parquet.close();
    await db.close();
  }
}

interface ArchiveDeps {
  db: Db;
  parquet: Parquet;
}

interface NewFile {
  after: number;
  end: number;
  name: string;
  now: number;
  to: string;
}

/** Files are begun again where items are deleted meanwhile: rarely more than once. */
const TRIES = 10;

/**
 * Writes and records a file. Promise: unlicensed decisions of deleted items are in the file, or are counted as deleted:
 * those that are in neither are counted in the transaction that records the file. Returns how many it has.
 */
async function addFile({ db, parquet }: ArchiveDeps, file: NewFile): Promise<number> {
  for (let tries = 1; ; tries++) {
    const erasures = await countErasures(db);
    const deleted = await countDeletedEver(db);
    const sealed = await sealedTo(db);
    const rows = await writeFile(db, join(file.to, file.name), file.after, file.end);
    const lost = await findLost({ db, parquet }, file);
    const isRecorded = await recordFile(db, { ...file, rows, erasures, deleted, sealed, lost });
    if (isRecorded) return rows;
    if (tries === TRIES) {
      throw new CannotArchive(
        'Items are deleted all the time, or receipts are being prepared. Run it again after that.',
      );
    }
  }
}

async function countDeletedEver(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(`select ${DELETED_SUM} as n`);
  return Number(row?.n);
}

/** Returns the times of unlicensed decisions that are not in a file: their items were deleted before it was written. */
async function findLost({ db, parquet }: ArchiveDeps, { name, after, end }: NewFile): Promise<number[]> {
  const lost: number[] = [];
  for (let last = after; ; ) {
    const found = await findDeleted(db, last, end);
    const [first, final] = [found[0], found.at(-1)];
    if (first === undefined || final === undefined) return lost;
    const where = `where seq >= ${first.seq} and seq <= ${final.seq} and content_no > 0`;
    const rows = await parquet.select<[seq: number]>({ file: name, toSeq: end }, 'seq::double', where);
    const archived = new Set(rows.map(([seq]) => seq));
    for (const { seq, at } of found) if (!archived.has(seq)) lost.push(at);
    last = final.seq;
  }
}

/** Finds the last decision before the first that is too young: sequence numbers are nearly in order of time. */
async function findLastBefore(db: Db, before: number): Promise<number> {
  const [young] = await db.read<{ seq: number | null }>('select min(seq) as seq from decisions where at >= $1', [
    before,
  ]);
  if (typeof young?.seq === 'number') return young.seq - 1;
  const [newest] = await db.read<{ seq: number }>('select coalesce(max(seq), 0) as seq from decisions');
  return newest?.seq ?? 0;
}

async function findEnd(db: Db, after: number, last: number): Promise<number> {
  const [row] = await db.read<{ seq: number }>(
    `select seq from decisions where seq > $1 and seq <= $2 order by seq limit 1 offset ${ROWS_A_FILE - 1}`,
    [after, last],
  );
  return row?.seq ?? last;
}

/** An erasure rewrites the files that are there, and the decisions in the records: none may pass between the two. */
async function countErasures(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number; running: number }>(
    `select count(*) as n, count(case when ${IS_WALKING} then 1 end) as running from erasures`,
  );
  if (Number(row?.running) > 0) throw new CannotArchive('A requester is being erased. Run it again after that.');
  return Number(row?.n);
}

const IS_WALKING = `status in ('decisions', 'records')`;

interface Recording extends NewFile {
  rows: number;
  /** Erasures when the file was begun. */
  erasures: number;
  /** Decisions that had been counted as deleted then. */
  deleted: number;
  /** Decisions up to this number had been sealed then: the file has their leaves. */
  sealed: number;
  /** Times of decisions to count as deleted. */
  lost: readonly number[];
}

/**
 * Readers use the file from now on. Returns false where some of its decisions were counted as deleted, or sealed, since
 * it was begun.
 */
export async function recordFile(
  db: Db,
  { after, end, name, rows, now, erasures, to, deleted, sealed, lost }: Recording,
): Promise<boolean> {
  try {
    await db.atomic([
      fence(end),
      {
        sql: `insert into archives (to_seq, file, decisions, created_at)
              select $1, $2, $3, $4 where (select coalesce(max(to_seq), 0) from archives) <= $5
                and coalesce((select cast(value as bigint) from settings where name = 'decisions_retired_to'), 0) <= $5
                and (select count(*) from erasures) = $6 and not exists (select 1 from erasures where ${IS_WALKING})
                and ${DELETED_SUM} = $7
                and coalesce((select cast(value as bigint) from settings where name = '${SEALED_TO}'), 0) between $8 and $9
                ${db.engine === 'sqlite' ? '' : `and not exists (select 1 from record_blocks where state = 'moved')`}`,
        params: [
          end,
          name,
          rows,
          now,
          after,
          erasures,
          deleted,
          sealed,
          sealed < end ? sealed : Number.MAX_SAFE_INTEGER,
        ],
        expect: 1,
      },
      ...countDeletedAt(lost),
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const isChanged = deleted !== (await countDeletedEver(db)) || (sealed < end && sealed !== (await sealedTo(db)));
    if (isChanged && (await archivedTo(db)) <= after) return false;
    // Another run of the same span has recorded the file.
    const [mine] = await db.read('select 1 as one from archives where file = $1', [name]);
    if (mine === undefined) rmSync(join(to, name), { force: true });
    if ((await movedTo(db)) > 0) throw new CannotArchive(MOVED);
    throw new CannotArchive(
      'Decisions left the records meanwhile, or changed: another run archives, or retention, or an erasure. Let it finish.',
    );
  }
}
