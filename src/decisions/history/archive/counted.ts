/** Counts archived decisions for statements. */

import { unavailable } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { type ArchivedFile, SourceFailed } from '../columns/source.ts';
import type { CountedDecision, CountedSpan } from '../counted.ts';
import type { DeletedCount } from '../deleted-counts.ts';
import type { Parquet } from './parquet.ts';

export interface ArchiveDeps {
  db: Db;
  parquet: Parquet;
}

const readArchivedFiles = (db: Db): Promise<(ArchivedFile & { toSeq: number })[]> =>
  db.read<{ toSeq: number; file: string }>('select to_seq as "toSeq", file from archives order by to_seq');

/** Returns the span of the numbers of archived decisions that were made in a time. */
export async function archivedEnds(
  { db, parquet }: ArchiveDeps,
  from: number,
  to: number,
): Promise<{ after: number; last: number }> {
  let [after, last] = [Number.MAX_SAFE_INTEGER, 0];
  for (const file of await readArchivedFiles(db)) {
    const [ends] = await read<{ first: number | null; last: number | null }>(
      parquet,
      file,
      'min(seq)::double as first, max(seq)::double as last',
      `where decided_at >= ${from} and decided_at < ${to}`,
    );
    after = Math.min(after, (ends?.first ?? Number.MAX_SAFE_INTEGER) - 1);
    last = Math.max(last, ends?.last ?? 0);
  }
  return { after, last };
}

interface ArchivedRow {
  seq: number;
  decided_at: number;
  license_id: string;
  content_no: number | null;
  inputs: string | null;
  /** Files of earlier versions lack these columns. */
  url?: string | null;
  file?: string | null;
  purpose?: string | null;
  enforced?: number | null;
}

const ALLOWED = 'reason = 0';

/** Reads the licensed decisions of a span of numbers and time, in no order. */
export async function archivedWithin({ db, parquet }: ArchiveDeps, span: CountedSpan): Promise<CountedDecision[]> {
  const files = (await readArchivedFiles(db)).filter(({ toSeq }) => toSeq > span.after);
  const rows: ArchivedRow[] = [];
  for (const one of files) {
    rows.push(...(await readRows(parquet, one, span, `seq > ${span.after} and seq <= ${span.last}`)));
    if (one.toSeq >= span.last) break;
  }
  const present = await existing(
    db,
    rows.flatMap(({ content_no }) => content_no ?? []),
  );
  return rows.map((row) => toCounted(row, present));
}

/** Reads the licensed decisions of a time whose items were deleted since they were archived, in no order. */
export async function archivedGone({ db, parquet }: ArchiveDeps, span: TimeSpan): Promise<CountedDecision[]> {
  const found: CountedDecision[] = [];
  for (const file of await readArchivedFiles(db)) {
    const items = await read<{ no: number }>(
      parquet,
      file,
      'distinct content_no::double as no',
      `where ${within(span)} and content_no > 0 and ${ALLOWED} and license_id is not null`,
    );
    const nos = items.map(({ no }) => no);
    const present = await existing(db, nos);
    const gone = nos.filter((no) => !present.has(no));
    if (gone.length === 0) continue;
    const rows = await readRows(parquet, file, span, `content_no in (${gone.join(', ')})`);
    for (const row of rows) found.push(toCounted(row, present));
  }
  return found;
}

type TimeSpan = Pick<CountedSpan, 'from' | 'to'>;
const within = ({ from, to }: TimeSpan): string => `decided_at >= ${from} and decided_at < ${to}`;

async function readRows(parquet: Parquet, file: ArchivedFile, span: TimeSpan, where: string): Promise<ArchivedRow[]> {
  const rows = await read<ArchivedRow>(
    parquet,
    file,
    '* replace (seq::double as seq, decided_at::double as decided_at)',
    `where ${where} and ${within(span)} and ${ALLOWED} and license_id is not null`,
  );
  return rows.filter(({ enforced }) => (enforced ?? 1) === 1);
}

const contentOf = ({ content_no, url, file }: ArchivedRow): Pick<CountedDecision, 'content' | 'url'> => {
  if ((content_no ?? 0) > 0) return { content: content_no as number };
  return { content: file ?? url ?? '', ...(url == null ? {} : { url }) };
};

const toCounted = (row: ArchivedRow, present: ReadonlySet<number>): CountedDecision => ({
  seq: row.seq,
  at: row.decided_at,
  licenseId: row.license_id,
  purpose: toPurpose(row),
  ...contentOf(row),
  deleted: (row.content_no ?? 0) > 0 && !present.has(row.content_no as number),
});

const whereAllowed = async (parquet: Parquet, file: ArchivedFile, span: TimeSpan): Promise<string> =>
  `where ${within(span)} and ${ALLOWED} and ${(await hasEnforced(parquet, file)) ? 'enforced = 1' : 'true'}`;

/** Counts the allowed, enforced decisions of a time that no license allowed. */
export async function countArchivedOutside({ db, parquet }: ArchiveDeps, span: TimeSpan): Promise<number> {
  let count = 0;
  for (const file of await readArchivedFiles(db)) {
    const where = await whereAllowed(parquet, file, span);
    const [row] = await read<{ n: number }>(parquet, file, 'count(*)::double as n', `${where} and license_id is null`);
    count += row?.n ?? 0;
  }
  return count;
}

/** Counts the decisions of a time whose items were deleted since they were archived. */
export async function countArchivedDeleted({ db, parquet }: ArchiveDeps, span: TimeSpan): Promise<DeletedCount> {
  const count = { licensed: 0, unlicensed: 0 };
  for (const file of await readArchivedFiles(db)) {
    const where = await whereAllowed(parquet, file, span);
    const rows = await read<{ no: number } & DeletedCount>(
      parquet,
      file,
      `content_no::double as no, count(license_id)::double as licensed,
       (count(*) - count(license_id))::double as unlicensed`,
      `${where} and content_no > 0 group by content_no`,
    );
    const present = await existing(
      db,
      rows.map(({ no }) => no),
    );
    for (const { no, licensed, unlicensed } of rows) {
      if (present.has(no)) continue;
      count.licensed += licensed;
      count.unlicensed += unlicensed;
    }
  }
  return count;
}

/** Files of earlier versions hold enforced decisions alone. */
async function hasEnforced(parquet: Parquet, file: ArchivedFile): Promise<boolean> {
  const [row] = await read<object>(parquet, file, '*', 'limit 1');
  return row !== undefined && 'enforced' in row;
}

const NOS_AT_ONCE = 1_000;

async function existing(db: Db, nos: readonly number[]): Promise<Set<number>> {
  const unique = [...new Set(nos)];
  const found = new Set<number>();
  for (let i = 0; i < unique.length; i += NOS_AT_ONCE) {
    const list = toList(unique.slice(i, i + NOS_AT_ONCE));
    const sql = `select no from content where ${inList(db.engine, 'no', 'bigint')}`;
    for (const { no } of await db.read<{ no: number }>(sql, [list])) found.add(no);
  }
  return found;
}

async function read<T>(parquet: Parquet, file: ArchivedFile, columns: string, rest: string): Promise<T[]> {
  try {
    return await parquet.selectObjects<T>(file, columns, rest);
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error;
    throw unavailable(`The archived decisions cannot be counted: ${error.message}.`, error);
  }
}

/** Older decisions have their purpose among the inputs. */
export const toPurpose = ({ purpose, inputs }: Pick<ArchivedRow, 'purpose' | 'inputs'>): string | null =>
  purpose ?? (inputs === null ? null : ((JSON.parse(inputs) as { purpose?: string }).purpose ?? null));
