/**
 * Brings the columns up to the truth, one bounded step at a time. Promise: after a step that says `caughtUp`, the columns
 * hold exactly the decisions that the truth held, for content that exists, at a moment not earlier than the step's start.
 *
 * Why that holds. A step reads one snapshot of the truth and writes one transaction of the columns, which carries the
 * new position: a crash leaves both or neither, so nothing is taken twice or skipped. Within the snapshot all content
 * changes are taken before any decision, hence the content table equals the truth's when decisions are judged by it.
 * A decision left out because its content is not there will never be wanted: content is created before it is decided
 * on, and its number is not given again. A decision taken for content that is deleted later leaves with that change.
 * The position never passes the place that is settled; what lies beyond it is read again in each step, and what was
 * taken of it before is left out.
 */
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  INTEGER,
  LIST,
  listValue,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import type { ContentRow, DecisionRow, Head, Snapshot, Source } from './source.ts';

/** What one transaction takes at most; a row group of DuckDB is 122,880 rows. */
const PAGE = 16_384;
const PAGES_A_STEP = 8;
const CHANGES_A_STEP = 4_096;
const CONTENT_A_PAGE = 8_192;
const CHUNK = 2_048;
/** Requester ids whose number is kept in memory, all forgotten when there are more: a rebuild spends half on an LRU. */
const REQUESTERS_MAX = 100_000;

/** The columns do not belong to this truth: another ledger's, or the truth went back to an earlier state. */
export class Diverged extends Error {}

export interface Position {
  ledgerNo: string | null;
  /** All decisions up to this place are taken; some beyond it may be as well. */
  decisionsSeq: number;
  /** -1 before the content has been taken for the first time. */
  changesSeq: number;
  changesAt: number;
}

export interface Tail {
  /** Throws Diverged, SourceFailed, or what DuckDB threw; the columns are then as before the step. */
  step(): Promise<{ caughtUp: boolean; behind: number }>;
  position(): Position;
}

export async function openTail(writer: DuckDBConnection, source: Source): Promise<Tail> {
  let position = await readPosition(writer);
  let matched = position.changesSeq < 0;
  let beyond = await takenBeyond(writer, position.decisionsSeq);
  const requesters = new Map<string, number>();

  async function step(): Promise<{ caughtUp: boolean; behind: number }> {
    return source.read(async (truth) => {
      const head = await truth.head();
      const atHead = head.changesSeq === position.changesSeq && head.decisionsSeq <= position.decisionsSeq;
      if (atHead && matched && head.ledgerNo === position.ledgerNo) return { caughtUp: true, behind: 0 };
      await writer.run('begin');
      try {
        const next = { ...position };
        const changesLeft = await takeChanges(writer, truth, head, next);
        if (!changesLeft && !matched) await matchNewest(writer, truth);
        const taken = changesLeft
          ? { to: next.decisionsSeq, beyond }
          : await takeDecisions(writer, truth, head, next, requesters, beyond);
        await writePosition(writer, next);
        await writer.run('commit');
        position = next;
        beyond = taken.beyond;
        matched ||= !changesLeft;
        const behind = Math.max(0, head.decisionsSeq - taken.to);
        return { caughtUp: !changesLeft && behind === 0, behind };
      } catch (error) {
        requesters.clear();
        await writer.run('rollback').catch(() => {});
        throw error;
      }
    });
  }

  return { step, position: () => position };
}

/** True when there are more changes than one step takes. */
async function takeChanges(writer: DuckDBConnection, truth: Snapshot, head: Head, next: Position): Promise<boolean> {
  if (next.changesSeq < 0) next.ledgerNo = head.ledgerNo;
  // The ledger gets its number when it is first opened; until then there are no decisions of it.
  if (next.ledgerNo === null && next.decisionsSeq === 0) next.ledgerNo = head.ledgerNo;
  if (next.ledgerNo !== head.ledgerNo) throw new Diverged('the columns are of another ledger');

  const trimmed = head.changesFromSeq > next.changesSeq + 1 || (head.changesSeq === 0 && next.changesSeq > 0);
  if (next.changesSeq < 0 || trimmed) {
    await takeAllContent(writer, truth);
  } else {
    const changedAt = next.changesSeq === 0 ? 0 : await truth.changedAt(next.changesSeq);
    if (changedAt === undefined && next.changesSeq < head.changesFromSeq) {
      // Only the newest change we know was dropped from the log's start; all after it are there.
    } else if (changedAt !== next.changesAt) {
      throw new Diverged('the newest change in the columns is not in the records');
    }
    const changes = await truth.contentChangesAfter(next.changesSeq, CHANGES_A_STEP);
    if (changes.length > 0) await takeContent(writer, truth, [...new Set(changes.map((change) => change.contentNo))]);
    const last = changes.at(-1);
    if (last !== undefined && changes.length === CHANGES_A_STEP) {
      next.changesSeq = last.seq;
      next.changesAt = last.at;
      return true;
    }
  }
  next.changesSeq = head.changesSeq;
  next.changesAt = (await truth.changedAt(head.changesSeq)) ?? 0;
  return false;
}

/** Content that was touched: as it is now, whatever happened to it in between. */
async function takeContent(writer: DuckDBConnection, truth: Snapshot, nos: readonly number[]): Promise<void> {
  const present = await truth.contentOf(nos);
  const ids = new Set(present.map((row) => row.no));
  const [numbers, types] = await (
    await writer.run(
      'select number, type from content where number in (select unnest($1))',
      [integers(nos)],
      [LIST(INTEGER)],
    )
  ).getColumns();
  const known = new Map(numbers?.map((number, i) => [number as number, types?.[i] as string]));
  const gone = nos.filter((no) => !ids.has(no) && known.has(no));
  // Most edits touch nothing that is kept here.
  const changed = present.filter((row) => known.get(row.no) !== row.type);
  await dropContent(writer, [...gone, ...changed.map((row) => row.no).filter((no) => known.has(no))]);
  await insertContent(writer, changed);
  if (gone.length > 0) {
    await writer.run('delete from decisions where content in (select unnest($1))', [integers(gone)], [LIST(INTEGER)]);
  }
}

/** All content anew, and away with the decisions of what is no longer there. */
async function takeAllContent(writer: DuckDBConnection, truth: Snapshot): Promise<void> {
  await writer.run('delete from content');
  let after = 0;
  for (;;) {
    const rows = await truth.contentAfter(after, CONTENT_A_PAGE);
    await insertContent(writer, rows);
    if (rows.length < CONTENT_A_PAGE) break;
    after = rows.at(-1)?.no ?? after;
  }
  await writer.run('delete from decisions where content not in (select number from content)');
}

async function dropContent(writer: DuckDBConnection, nos: readonly number[]): Promise<void> {
  if (nos.length === 0) return;
  await writer.run('delete from content where number in (select unnest($1))', [integers(nos)], [LIST(INTEGER)]);
}

async function insertContent(writer: DuckDBConnection, rows: readonly ContentRow[]): Promise<void> {
  if (rows.length === 0) return;
  await writer.run(
    'insert into content select unnest($1), unnest($2), unnest($3)',
    [integers(rows.map((row) => row.no)), listValue(rows.map((row) => row.id)), listValue(rows.map((row) => row.type))],
    [LIST(INTEGER), LIST(VARCHAR), LIST(VARCHAR)],
  );
}

/**
 * The newest decision kept must be in the truth, now that those of deleted content have left. It is not when the truth
 * was put back to an earlier state; a decision of existing content is never removed otherwise.
 */
async function matchNewest(writer: DuckDBConnection, truth: Snapshot): Promise<void> {
  const [seqs, moments] = await (
    await writer.run('select max(seq)::double, arg_max(decided_at, seq)::double from decisions')
  ).getColumns();
  const seq = seqs?.[0] as number | null;
  if (seq === null) return;
  if ((await truth.decidedAt(seq)) !== moments?.[0]) {
    throw new Diverged('the newest decision in the columns is not in the records');
  }
}

/** Takes a bounded number of settled decisions, and all there are beyond. Answers how far it came. */
async function takeDecisions(
  writer: DuckDBConnection,
  truth: Snapshot,
  head: Head,
  next: Position,
  requesters: Map<string, number>,
  before: ReadonlySet<number>,
): Promise<{ to: number; beyond: ReadonlySet<number> }> {
  const beyond = new Set(before);
  let to = next.decisionsSeq;
  for (let page = 0; to < head.decisionsSeq && (page < PAGES_A_STEP || to >= head.settledSeq); page++) {
    const rows = await truth.decisionsAfter(to, PAGE);
    const fresh = before.size === 0 ? rows : rows.filter(({ seq }) => !before.has(seq));
    if (fresh.length > 0) await insertDecisions(writer, fresh, await numbersOf(writer, fresh, requesters));
    for (const { seq } of fresh) if (seq > head.settledSeq) beyond.add(seq);
    // The newest may be of content that is gone; it is passed by all the same.
    to = rows.length < PAGE ? head.decisionsSeq : (rows.at(-1)?.seq ?? head.decisionsSeq);
    next.decisionsSeq = Math.max(next.decisionsSeq, Math.min(to, head.settledSeq));
  }
  for (const seq of beyond) if (seq <= next.decisionsSeq) beyond.delete(seq);
  return { to, beyond };
}

async function takenBeyond(writer: DuckDBConnection, place: number): Promise<ReadonlySet<number>> {
  const result = await writer.run('select seq::double from decisions where seq > $1', [BigInt(place)], [BIGINT]);
  const [seqs = []] = await result.getColumns();
  return new Set(seqs as number[]);
}

/** The numbers of all requesters in `rows`, given to those that have none yet. */
async function numbersOf(
  writer: DuckDBConnection,
  rows: readonly DecisionRow[],
  cache: Map<string, number>,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  const asked = new Set<string>();
  for (const { requesterId } of rows) {
    if (requesterId === null || numbers.has(requesterId)) continue;
    const number = cache.get(requesterId);
    if (number === undefined) asked.add(requesterId);
    else numbers.set(requesterId, number);
  }
  if (asked.size === 0) return numbers;
  if (cache.size + asked.size > REQUESTERS_MAX) cache.clear();
  const ids = listValue([...asked]);
  await writer.run(
    `insert into requesters
     select (select coalesce(max(number), 0) from requesters) + row_number() over (), id
     from (select unnest($1) as id) anti join requesters using (id)`,
    [ids],
    [LIST(VARCHAR)],
  );
  const [given, names] = await (
    await writer.run('select number, id from requesters where id in (select unnest($1))', [ids], [LIST(VARCHAR)])
  ).getColumns();
  for (const [i, number] of (given ?? []).entries()) {
    numbers.set(names?.[i] as string, number as number);
    cache.set(names?.[i] as string, number as number);
  }
  return numbers;
}

const COLUMN_TYPES = [BIGINT, BIGINT, INTEGER, INTEGER, INTEGER, UTINYINT];

async function insertDecisions(
  writer: DuckDBConnection,
  rows: readonly DecisionRow[],
  requesters: Map<string, number>,
): Promise<void> {
  const appender = await writer.createAppender('decisions');
  for (let from = 0; from < rows.length; from += CHUNK) {
    const part = rows.slice(from, from + CHUNK);
    const chunk = DuckDBDataChunk.create(COLUMN_TYPES, part.length);
    chunk.setColumnValues(
      0,
      part.map((row) => BigInt(row.seq)),
    );
    chunk.setColumnValues(
      1,
      part.map((row) => BigInt(row.at)),
    );
    chunk.setColumnValues(
      2,
      part.map((row) => row.contentNo),
    );
    chunk.setColumnValues(
      3,
      part.map((row) => (row.requesterId === null ? 0 : (requesters.get(row.requesterId) as number))),
    );
    chunk.setColumnValues(
      4,
      part.map((row) => row.policyNo),
    );
    chunk.setColumnValues(
      5,
      part.map((row) => row.reason),
    );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

const integers = (numbers: readonly number[]) => listValue(numbers);

async function readPosition(writer: DuckDBConnection): Promise<Position> {
  const result = await writer.run(
    'select ledger_no, decisions_seq::double, changes_seq::double, changes_at::double from position',
  );
  const [row] = await result.getRows();
  const [ledgerNo, decisionsSeq, changesSeq, changesAt] = row as [string | null, number, number, number];
  return { ledgerNo, decisionsSeq, changesSeq, changesAt };
}

async function writePosition(writer: DuckDBConnection, position: Position): Promise<void> {
  const { ledgerNo, decisionsSeq, changesSeq, changesAt } = position;
  await writer.run(
    'update position set ledger_no = $1, decisions_seq = $2, changes_seq = $3, changes_at = $4',
    [ledgerNo, BigInt(decisionsSeq), BigInt(changesSeq), BigInt(changesAt)],
    [VARCHAR, BIGINT, BIGINT, BIGINT],
  );
}
