/**
 * Brings the columns up to date with the records, one bounded step at a time. Promise: after a step with `caughtUp`,
 * the columns hold exactly the decisions that the records held, except those on deleted items, at a time not before
 * the step began.
 * Why that holds. A step reads one snapshot of the records and writes one transaction of the columns, which includes
 * the new position: a crash leaves both or neither, so no decision is taken twice or skipped. All content and requester
 * changes of the snapshot are taken before any decision, so these tables equal those of the records when decisions are
 * judged. A decision skipped because its item does not exist is never needed: content is created before its decisions,
 * and its number is not reused. A decision on content that is deleted later is deleted with that change. The position
 * never passes the settled sequence number; decisions beyond it are read again in each step, and known ones are
 * skipped.
 */
import { BIGINT, BOOLEAN, type DuckDBConnection, VARCHAR } from '@duckdb/node-api';
import { toIso } from '../../../lib/clock.ts';
import type { NumberSet } from '../../../lib/number-set.ts';
import { type DecisionRow, withoutInputs } from './decision-row.ts';
import { DecisionsLost, Diverged } from './diverged.ts';
import { erase, skipErased } from './erased.ts';
import { type Inserter, inserter } from './insert.ts';
import { type Copying, copyAllContent, copyAllRequesters, copyContent, copyRequesters, readItems } from './records.ts';
import { copyAllCounts, forget, toRetired } from './retired.ts';
import type { DecisionSource, Head, RecordChange } from './source.ts';

/** Bounds of one transaction; a row group of DuckDB has 122,880 rows. */
const DECISIONS_A_STEP = 131_072;
const CHANGES_A_STEP = 4_096;

interface Position {
  ledgerNo: string | null;
  /** All decisions up to this sequence number are taken, and possibly some beyond it. */
  decisionsSeq: number;
  /** -1 before content is copied for the first time. */
  changesSeq: number;
  changesAt: number;
  /** Decisions up to this number are retired: they count by day. */
  retiredTo: number;
  /** Values were overwritten since the file was last compacted. */
  rewritten: boolean;
  /** The newest erasure that was followed. */
  erasedNo: number;
  /** The inputs of decisions up to this number are erased. */
  inputsErasedTo: number;
}

export interface Tail {
  /** Throws Diverged, SourceFailed or an error of DuckDB; the step then changed nothing. */
  step(): Promise<{ caughtUp: boolean; behind: number }>;
  /** Returns whether the file should be compacted. */
  isRewritten(): boolean;
  /** Counts decisions and changes for the next step, without taking them. Throws SourceFailed. */
  gathered(): Promise<number>;
}

/** The state of a step, which reads `records` and writes `next`. */
interface Step extends Copying {
  decisions: Inserter;
  head: Head;
  next: Position;
}

export async function openTail(writer: DuckDBConnection, source: DecisionSource): Promise<Tail> {
  let position = await readPosition(writer);
  let matched = position.changesSeq < 0;
  let beyond = await readBeyond(writer, position.decisionsSeq);
  const decisions = inserter(writer);
  let items: NumberSet | undefined;
  /** The records are retiring decisions: more is rewritten soon. */
  let retiring = false;

  async function step(): Promise<{ caughtUp: boolean; behind: number }> {
    return source.read(async (records) => {
      const head = await records.head();
      retiring = head.retiring === 1;
      if (matched && isAtHead(position, head)) return { caughtUp: true, behind: 0 };
      await writer.run('begin');
      try {
        const next = { ...position };
        items ??= await readItems(writer);
        const current: Step = { writer, records, items, head, next, decisions };
        const changesLeft = (await takeChanges(current)) || (await forget(current));
        if (!changesLeft) await erase(current);
        if (!changesLeft && !matched) await matchNewest(current);
        const taken = changesLeft ? { to: next.decisionsSeq, beyond } : await takeDecisions(current, beyond);
        await writePosition(writer, next);
        await writer.run('commit');
        position = next;
        beyond = taken.beyond;
        matched ||= !changesLeft;
        const behind = Math.max(0, head.decisionsSeq - taken.to);
        return { caughtUp: !changesLeft && behind === 0, behind };
      } catch (error) {
        items = undefined;
        decisions.abandon();
        await writer.run('rollback').catch(() => {});
        throw error;
      }
    });
  }

  function gathered(): Promise<number> {
    return source.read(async (records) => {
      const { decisionsSeq, changesSeq } = await records.head();
      return decisionsSeq - position.decisionsSeq + (changesSeq - position.changesSeq);
    });
  }

  return { step, gathered, isRewritten: () => position.rewritten && !retiring };
}

const isAtHead = (position: Position, head: Head): boolean =>
  head.changesSeq === position.changesSeq &&
  head.decisionsSeq <= position.decisionsSeq &&
  head.retiredTo === position.retiredTo &&
  head.erasedNo === position.erasedNo &&
  head.inputsErasedTo === position.inputsErasedTo &&
  head.ledgerNo === position.ledgerNo;

/** Returns true if changes are left for another step. */
async function takeChanges(step: Step): Promise<boolean> {
  const { records, head, next } = step;
  matchLedger(step);
  const trimmed = head.changesFromSeq > next.changesSeq + 1 || (head.changesSeq === 0 && next.changesSeq > 0);
  if (next.changesSeq < 0 || trimmed) {
    const isNew = next.changesSeq < 0;
    await copyAllContent(step);
    await copyAllRequesters(step);
    if (isNew) await copyAllCounts(step);
    if (isNew) await skipErased(step);
  } else {
    await matchNewestChange(step);
    const changes = await records.changesAfter(next.changesSeq, CHANGES_A_STEP);
    await copyChanged(step, changes);
    const last = changes.at(-1);
    if (last !== undefined && changes.length === CHANGES_A_STEP) {
      next.changesSeq = last.seq;
      next.changesAt = last.at;
      return true;
    }
  }
  next.changesSeq = head.changesSeq;
  next.changesAt = (await records.changedAt(head.changesSeq)) ?? 0;
  return false;
}

/** The ledger gets its number when it is first opened; before that it has no decisions. */
function matchLedger({ head, next }: Step): void {
  if (next.changesSeq < 0 || (next.ledgerNo === null && next.decisionsSeq === 0)) next.ledgerNo = head.ledgerNo;
  if (next.ledgerNo !== head.ledgerNo) throw new Diverged('the columns are of another ledger');
}

async function matchNewestChange(step: Step): Promise<void> {
  const { records, head, next } = step;
  const changedAt = next.changesSeq === 0 ? 0 : await records.changedAt(next.changesSeq);
  // The log was trimmed up to the newest known change; all later ones are still there.
  if (changedAt === undefined && next.changesSeq < head.changesFromSeq) return;
  if (changedAt !== next.changesAt) {
    throw await divergence(step, 'the newest change in the columns is not in the records');
  }
}

async function copyChanged(step: Step, changes: readonly RecordChange[]): Promise<void> {
  const nos = new Set(changes.flatMap(({ contentNo }) => contentNo ?? []));
  if (nos.size > 0) await copyContent(step, [...nos]);
  const ids = new Set(changes.flatMap(({ contentNo, objectId }) => (contentNo === null ? objectId : [])));
  if (ids.size > 0) await copyRequesters(step, [...ids]);
}

/**
 * Checks that the records have the newest decision of the columns, now that those of deleted content are gone. It is
 * missing only if the records were restored to an earlier state: decisions on existing content are never removed.
 */
async function matchNewest(step: Step): Promise<void> {
  const [seqs, times] = await (
    await step.writer.run('select max(seq)::double, arg_max(decided_at, seq)::double from decisions where seq > 0')
  ).getColumns();
  const seq = seqs?.[0] as number | null;
  if (seq === null) return;
  if ((await step.records.decidedAt(seq)) !== times?.[0]) {
    throw await divergence(step, 'the newest decision in the columns is not in the records');
  }
}

/** Returns the error, with what the columns know of the loss before they are emptied. */
async function divergence({ writer, head }: Step, message: string): Promise<Diverged> {
  const [counts, times] = await (
    await writer.run('select count(*)::double, max(decided_at)::double from decisions where seq > $1', [
      BigInt(head.decisionsSeq),
    ])
  ).getColumns();
  const count = (counts?.[0] ?? 0) as number;
  if (count === 0) return new Diverged(message);
  return new DecisionsLost(
    `${count} decisions that were counted are not in the records, the last of ${toIso(times?.[0] as number)}: the records were ` +
      'restored to an earlier state, or are damaged. Reports now count what the records hold.',
  );
}

/** Takes a bounded number of settled decisions, and all beyond. Returns the last one taken. */
async function takeDecisions(
  { records, items, head, next, decisions }: Step,
  before: ReadonlySet<number>,
): Promise<{ to: number; beyond: ReadonlySet<number> }> {
  const beyond = new Set(before);
  let to = next.decisionsSeq;
  const { page } = records;
  for (let read = 0; to < head.decisionsSeq && (read < DECISIONS_A_STEP || to >= head.settledSeq); read += page) {
    const rows = await records.decisionsAfter(to, page);
    const fresh = rows.filter(([seq, , contentNo]) => (contentNo === 0 || items.has(contentNo)) && !before.has(seq));
    if (fresh.length > 0) await decisions.insert(fresh.map((row) => toKept(row, next)));
    for (const [seq] of fresh) if (seq > head.settledSeq) beyond.add(seq);
    // The newest decisions may have been removed from the records.
    to = rows.length < page ? head.decisionsSeq : (rows.at(-1)?.[0] ?? head.decisionsSeq);
    next.decisionsSeq = Math.max(next.decisionsSeq, Math.min(to, head.settledSeq));
  }
  await decisions.finish();
  return { to, beyond: new Set([...beyond].filter((seq) => seq > next.decisionsSeq)) };
}

/** Archived decisions have more than the records keep. */
function toKept(row: DecisionRow, { retiredTo, inputsErasedTo }: Position): DecisionRow {
  if (row[0] <= retiredTo) return toRetired(row);
  return row[0] <= inputsErasedTo ? withoutInputs(row) : row;
}

async function readBeyond(writer: DuckDBConnection, position: number): Promise<ReadonlySet<number>> {
  const result = await writer.run('select seq::double from decisions where seq > $1', [BigInt(position)], [BIGINT]);
  const [seqs = []] = await result.getColumns();
  return new Set(seqs as number[]);
}

async function readPosition(writer: DuckDBConnection): Promise<Position> {
  const result = await writer.run(
    `select ledger_no, decisions_seq::double, changes_seq::double, changes_at::double, retired_to::double, rewritten,
       erased_no::double, inputs_erased_to::double
     from position`,
  );
  const [row] = await result.getRows();
  const [ledgerNo, decisionsSeq, changesSeq, changesAt, retiredTo, rewritten, erasedNo, inputsErasedTo] = row as [
    string | null,
    number,
    number,
    number,
    number,
    boolean,
    number,
    number,
  ];
  return { ledgerNo, decisionsSeq, changesSeq, changesAt, retiredTo, rewritten, erasedNo, inputsErasedTo };
}

async function writePosition(writer: DuckDBConnection, position: Position): Promise<void> {
  const { ledgerNo, decisionsSeq, changesSeq, changesAt, retiredTo, rewritten, erasedNo, inputsErasedTo } = position;
  await writer.run(
    `update position set ledger_no = $1, decisions_seq = $2, changes_seq = $3, changes_at = $4, retired_to = $5,
       rewritten = $6, erased_no = $7, inputs_erased_to = $8`,
    [
      ledgerNo,
      BigInt(decisionsSeq),
      BigInt(changesSeq),
      BigInt(changesAt),
      BigInt(retiredTo),
      rewritten,
      BigInt(erasedNo),
      BigInt(inputsErasedTo),
    ],
    [VARCHAR, BIGINT, BIGINT, BIGINT, BIGINT, BOOLEAN, BIGINT, BIGINT],
  );
}
