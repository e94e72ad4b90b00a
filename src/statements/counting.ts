/**
 * Counts decisions for statements: from the records, and from the files of the archive. Promise: every decision that
 * counts is counted once, also while items are deleted or decisions are archived. Memory does not grow with the number
 * of decisions, unless the database's clock was set back.
 */
import type { Db } from '../db/db.ts';
import { inList, toList } from '../db/query.ts';
import { unavailable } from '../errors.ts';
import {
  type CountedDecision,
  type CountedSpan,
  countedSpan,
  countUnlicensed,
  readCounted,
} from '../ledger/counted.ts';
import { countRetiredUnlicensed } from '../ledger/retire.ts';
import type { Parquet } from '../usage/archive-source.ts';
import { type ArchivedFile, SourceFailed } from '../usage/source.ts';

/** Numbers read at once. */
const WINDOW = 50_000;
/** Decisions are recorded out of order by less than this. */
const DISORDER_MS = 60_000;

export interface CountingDeps {
  db: Db;
  parquet: Parquet;
}

export interface CountingQuery {
  /** Epoch ms, inclusive. */
  from: number;
  /** Epoch ms, exclusive. */
  to: number;
  /** null: all licenses. */
  licenseIds: readonly string[] | null;
}

class Disordered extends Error {}

const byId = (a: CountedDecision, b: CountedDecision): number => a.at - b.at || a.seq - b.seq;

/** Calls `take` with every decision that counts, in the order of the ids. `begin` starts the count, or restarts it. */
export async function countInOrder(
  deps: CountingDeps,
  query: CountingQuery,
  { begin, take }: { begin(): void; take(decision: CountedDecision): void },
): Promise<void> {
  begin();
  try {
    await inOrder(deps, query, take);
  } catch (error) {
    if (!(error instanceof Disordered)) throw error;
    begin();
    const all: CountedDecision[] = [];
    for await (const found of windows(deps, query)) all.push(...found);
    for (const one of all.toSorted(byId)) take(one);
  }
}

async function inOrder(
  deps: CountingDeps,
  query: CountingQuery,
  take: (decision: CountedDecision) => void,
): Promise<void> {
  let waiting: CountedDecision[] = [];
  let last: CountedDecision | undefined;
  const release = (some: readonly CountedDecision[]): void => {
    for (const one of some) {
      if (last !== undefined && byId(last, one) > 0) throw new Disordered();
      last = one;
      take(one);
    }
  };
  for await (const found of windows(deps, query)) {
    waiting = [...waiting, ...found].toSorted(byId);
    const newest = waiting.at(-1)?.at ?? 0;
    const ready = waiting.findIndex(({ at }) => at > newest - DISORDER_MS);
    release(waiting.splice(0, Math.max(0, ready)));
  }
  release(waiting);
}

/** Yields the decisions of one span of numbers after another, in no order within it. */
async function* windows({ db, parquet }: CountingDeps, { from, to, licenseIds }: CountingQuery) {
  const span = await wholeSpan({ db, parquet }, from, to);
  const wanted = licenseIds === null ? null : new Set(licenseIds);
  for (let { after } = span; after < span.last; after += WINDOW) {
    const window = { ...span, after, last: Math.min(after + WINDOW, span.last) };
    const found = new Map<number, CountedDecision>();
    // The records first: what is no longer there is in the files by now.
    const stored = await readCounted(db, window, licenseIds);
    for (const one of await archivedWithin({ db, parquet }, window)) {
      if (wanted?.has(one.licenseId) ?? true) found.set(one.seq, one);
    }
    // Numbers in the records are there once.
    if (found.size === 0) yield stored;
    else {
      for (const one of stored) found.set(one.seq, one);
      yield [...found.values()];
    }
  }
}

/** Counts the allowed, enforced decisions of a time that no license allowed. */
export async function countOutside(deps: CountingDeps, from: number, to: number): Promise<number> {
  const span = await countedSpan(deps.db, from, to);
  let count = 0;
  for (let { after } = span; after < span.last; after += WINDOW) {
    count += await countUnlicensed(deps.db, { ...span, after, last: Math.min(after + WINDOW, span.last) });
  }
  return count + (await countArchivedOutside(deps, from, to)) + (await countRetiredUnlicensed(deps.db, from, to));
}

// ---------------------------------------------------------------------------------------------------------------------
// The archive

const filesOf = (db: Db): Promise<(ArchivedFile & { toSeq: number })[]> =>
  db.read<{ toSeq: number; file: string }>('select to_seq as "toSeq", file from archives order by to_seq');

async function wholeSpan({ db, parquet }: CountingDeps, from: number, to: number): Promise<CountedSpan> {
  const span = await countedSpan(db, from, to);
  let { after, last } = span;
  for (const file of await filesOf(db)) {
    const [ends] = await read<{ first: number | null; last: number | null }>(
      parquet,
      file,
      'min(seq)::double as first, max(seq)::double as last',
      `where decided_at >= ${from} and decided_at < ${to}`,
    );
    after = Math.min(after, (ends?.first ?? Number.MAX_SAFE_INTEGER) - 1);
    last = Math.max(last, ends?.last ?? 0);
  }
  return { ...span, after, last };
}

interface ArchivedRow {
  seq: number;
  decided_at: number;
  license_id: string;
  content_no: number | null;
  inputs: string | null;
  /** Files of earlier versions lack these columns. */
  url?: string | null;
  purpose?: string | null;
  enforced?: number | null;
}

const ALLOWED = 'reason = 0';

async function archivedWithin({ db, parquet }: CountingDeps, span: CountedSpan): Promise<CountedDecision[]> {
  const file = (await filesOf(db)).filter(({ toSeq }) => toSeq > span.after);
  const rows: ArchivedRow[] = [];
  for (const one of file) {
    rows.push(
      ...(await read<ArchivedRow>(
        parquet,
        one,
        '* replace (seq::double as seq, decided_at::double as decided_at)',
        `where seq > ${span.after} and seq <= ${span.last} and decided_at >= ${span.from} and decided_at < ${span.to}
           and ${ALLOWED} and license_id is not null`,
      )),
    );
    if (one.toSeq >= span.last) break;
  }
  const counted = rows.filter(({ enforced }) => (enforced ?? 1) === 1);
  const present = await existing(
    db,
    counted.flatMap(({ content_no }) => content_no ?? []),
  );
  return counted.map((row) => ({
    seq: row.seq,
    at: row.decided_at,
    licenseId: row.license_id,
    purpose: row.purpose ?? toPurpose(row.inputs),
    content: (row.content_no ?? 0) > 0 ? (row.content_no as number) : (row.url ?? ''),
    deleted: (row.content_no ?? 0) > 0 && !present.has(row.content_no as number),
  }));
}

async function countArchivedOutside({ db, parquet }: CountingDeps, from: number, to: number): Promise<number> {
  let count = 0;
  for (const file of await filesOf(db)) {
    const rows = await read<{ content_no: number | null; n: number } & Pick<ArchivedRow, 'enforced'>>(
      parquet,
      file,
      'content_no, count(*)::double as n',
      `where decided_at >= ${from} and decided_at < ${to} and ${ALLOWED} and license_id is null
         and ${(await hasEnforced(parquet, file)) ? 'enforced = 1' : 'true'} group by content_no`,
    );
    const present = await existing(
      db,
      rows.flatMap(({ content_no }) => content_no ?? []),
    );
    for (const { content_no: no, n } of rows) if ((no ?? 0) === 0 || present.has(no as number)) count += n;
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

const toPurpose = (inputs: string | null): string | null =>
  inputs === null ? null : ((JSON.parse(inputs) as { purpose?: string }).purpose ?? null);
