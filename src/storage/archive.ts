/**
 * Moves old decisions from the records into Parquet files, which reports still count. Promise: at any time, even after
 * a crash, readers find each decision either in the files or in the records. A file is complete and on disk before the
 * records refer to it, and nothing is deleted before that. The service may run meanwhile.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBValue,
  INTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import { Conflict, type Db, type Row, type Value } from '../db/db.ts';
import { openPostgres } from '../db/postgres/db.ts';
import { isPostgresUrl } from '../db/postgres/url.ts';
import { openSqlite } from '../db/sqlite/db.ts';
import { archivedTo } from '../ledger/log.ts';
import { reasonOf } from '../ledger/reason.ts';
import { retiredTo } from '../ledger/retire.ts';
import { deleteDecisionsUpTo, type FindUnarchived } from '../ledger/sweep.ts';
import { makeFolder, sync } from '../lib/folder.ts';
import { Parquet } from '../usage/archive-source.ts';

const ROWS_A_FILE = 1_000_000;
const ROWS_AT_ONCE = 2_000;
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

/** The decisions cannot be archived; the message says what to do. */
export class CannotArchive extends Error {}

/** The columns of a file, in order. */
const COLUMNS = {
  seq: BIGINT,
  decided_at: BIGINT,
  content_no: INTEGER,
  content_id: VARCHAR,
  external_id: VARCHAR,
  requester_id: VARCHAR,
  policy_no: INTEGER,
  policy_id: VARCHAR,
  policy_version: INTEGER,
  reason: UTINYINT,
  reason_name: VARCHAR,
  rule_index: INTEGER,
  rule_priority: BIGINT,
  license_id: VARCHAR,
  limit_remaining: BIGINT,
  limit_reset_at: BIGINT,
  inputs: VARCHAR,
  url: VARCHAR,
  collection_id: VARCHAR,
  crawler: VARCHAR,
  verified: UTINYINT,
  claimed: VARCHAR,
  permission: VARCHAR,
  purpose: VARCHAR,
  enforced: UTINYINT,
  candidate: VARCHAR,
  wanted: VARCHAR,
  quota: VARCHAR,
};
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Decisions on deleted content are in no answer, and are not archived. */
const SELECT = `select d.seq, d.at as decided_at, d.content_no, c.id as content_id, c.external_id, d.requester_id, d.policy_no,
    v.policy_id, d.policy_version, d.reason, d.rule_index, d.rule_priority, d.license_id, d.limit_remaining,
    d.limit_reset_at, d.inputs, d.url, d.collection_id, d.crawler, d.verified, d.claimed, d.permission, d.purpose, d.enforced,
    d.candidate, d.wanted, d.quota
  from decisions as d left join content as c on c.no = d.content_no
  join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version
  where d.seq > $1 and d.seq <= $2 and (d.content_no = 0 or c.no is not null) order by d.seq limit ${ROWS_AT_ONCE}`;

/** Throws CannotArchive, Unavailable. */
export async function archive({ records, before, to, now, say }: ArchiveOptions): Promise<Archived> {
  if (before > now - YOUNGEST_DAYS * DAY_MS) {
    throw new CannotArchive(`Decisions of the last ${YOUNGEST_DAYS} days stay in the records: events refer to them.`);
  }
  const file = join(records, 'postern.db');
  if (!isPostgresUrl(records) && !existsSync(file)) throw new CannotArchive(`There is no installation in ${records}.`);
  const db = isPostgresUrl(records) ? await openPostgres(records) : await openSqlite(file);
  const parquet = new Parquet(to, READER_MIB);
  try {
    makeFolder(to);
    const findUnarchived = (found: Parameters<FindUnarchived>[0]) => notIn(db, parquet, found);
    const [ledger] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
    if (ledger === undefined) throw new CannotArchive('There are no decisions there.');
    const archivedBefore = await archivedTo(db);
    // The rest of an interrupted run.
    await deleteDecisionsUpTo(db, archivedBefore, findUnarchived);
    let after = Math.max(archivedBefore, await retiredTo(db));
    const last = await findLastBefore(db, before);
    const archived: Archived = { decisions: 0, files: [] };
    while (after < last) {
      const erasures = await countErasures(db);
      const end = await findEnd(db, after, last);
      const name = `decisions-${ledger.value}-${String(after + 1).padStart(15, '0')}-${String(end).padStart(15, '0')}.parquet`;
      const rows = await writeFile(db, join(to, name), after, end);
      await record(db, { after, end, name, rows, now, erasures, to });
      await deleteDecisionsUpTo(db, end, findUnarchived);
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

/** Returns those of some decisions that are in no file: their items were deleted before it was written. */
async function notIn(db: Db, parquet: Parquet, found: readonly { seq: number; at: number }[]) {
  const [first, last] = [found[0]?.seq ?? 0, found.at(-1)?.seq ?? 0];
  if (found.length === 0) return [];
  const files = await db.read<{ toSeq: number; file: string }>(
    'select to_seq as "toSeq", file from archives where to_seq >= $1 order by to_seq',
    [first],
  );
  const archived = new Set<number>();
  for (const file of files) {
    const where = `where seq >= ${first} and seq <= ${last} and content_no > 0`;
    for (const [seq] of await parquet.select<[seq: number]>(file, 'seq::double', where)) archived.add(seq);
    if (file.toSeq >= last) break;
  }
  return found.filter(({ seq }) => !archived.has(seq));
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

async function writeFile(db: Db, path: string, after: number, end: number): Promise<number> {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '512MB', threads: '2' });
  const connection = await instance.connect();
  try {
    const columns = NAMES.map((name) => `${name} ${COLUMNS[name].toString()}`).join(', ');
    await connection.run(`create table decisions (${columns})`);
    let rows = 0;
    for (let last = after; ; ) {
      const page = await db.read(SELECT, [last, end]);
      append(await connection.createAppender('decisions'), page);
      rows += page.length;
      if (page.length < ROWS_AT_ONCE) break;
      last = page.at(-1)?.seq as number;
    }
    await connection.run(
      `copy (select * from decisions order by seq) to '${part.replaceAll("'", "''")}' (format parquet, compression zstd)`,
    );
    const file = `read_parquet('${part.replaceAll("'", "''")}')`;
    const reader = await connection.runAndReadAll(`select count(*)::double from ${file}`);
    const counted = reader.getRows()[0]?.[0];
    if (counted !== rows) throw new Error(`the file holds ${String(counted)} decisions instead of ${rows}`);
    sync(part);
    renameSync(part, path);
    sync(dirname(path));
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

type Appender = Awaited<ReturnType<DuckDBConnection['createAppender']>>;

function append(appender: Appender, rows: readonly Row[]): void {
  if (rows.length > 0) {
    const chunk = DuckDBDataChunk.create(Object.values(COLUMNS), rows.length);
    chunk.setColumns(NAMES.map((name) => rows.map((row) => toValue(name, row))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function toValue(name: keyof typeof COLUMNS, row: Row): DuckDBValue {
  if (name === 'reason_name') return reasonOf(row.reason as number);
  const value = row[name] as Value;
  return COLUMNS[name] === BIGINT && value !== null ? BigInt(value) : value;
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

interface Recording {
  after: number;
  end: number;
  name: string;
  rows: number;
  now: number;
  /** Erasures when the file was begun. */
  erasures: number;
  to: string;
}

/** Readers use the file from now on. */
async function record(db: Db, { after, end, name, rows, now, erasures, to }: Recording): Promise<void> {
  try {
    await db.atomic([
      {
        sql: `insert into archives (to_seq, file, decisions, created_at)
              select $1, $2, $3, $4 where (select coalesce(max(to_seq), 0) from archives) <= $5
                and coalesce((select cast(value as bigint) from settings where name = 'decisions_retired_to'), 0) <= $5
                and (select count(*) from erasures) = $6 and not exists (select 1 from erasures where ${IS_WALKING})`,
        params: [end, name, rows, now, after, erasures],
        expect: 1,
      },
    ]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    // Another run of the same span has recorded the file.
    const [mine] = await db.read('select 1 as one from archives where file = $1', [name]);
    if (mine === undefined) rmSync(join(to, name), { force: true });
    throw new CannotArchive(
      'Decisions left the records meanwhile, or changed: another run archives, or retention, or an erasure. Let it finish.',
    );
  }
}
