/**
 * Decisions that left the log, in the columns. Each is a row with `seq` 0, at noon of its day, without a URL, a
 * program and a candidate: the daily counts of the records know no more of it. So every query counts it like any other.
 */
import { BIGINT } from '@duckdb/node-api';
import { type DecisionRow, NO_INPUTS } from './decision-row.ts';
import { Diverged } from './diverged.ts';
import { dropUnusedPrograms } from './duckdb-programs.ts';
import type { Inserter } from './insert.ts';
import { NOT_KEPT } from './programs.ts';
import type { Copying } from './records.ts';
import type { Head } from './source.ts';

interface Retiring extends Copying {
  decisions: Inserter;
  head: Head;
  next: { decisionsSeq: number; retiredTo: number; inputsErasedTo: number; rewritten: boolean };
}

/** Rows written at once. */
const PAGE = 16_384;

/** Numbers of decisions that are retired in one step: an update keeps the old rows in memory until the commit. */
const RETIRED_A_STEP = 250_000;

/** Follows what the records forgot, a bounded number of decisions at once. Returns true if more are to follow. */
export const forget = async (step: Retiring): Promise<boolean> => (await retire(step)) || (await eraseInputs(step));

/** Reduces decisions that left the log to what the daily counts know of them. */
async function retire({ writer, head, next, decisions }: Retiring): Promise<boolean> {
  if (head.retiredTo === next.retiredTo) return false;
  if (head.retiredTo < next.retiredTo) throw new Diverged('the records were restored to an earlier state');
  if (next.decisionsSeq < head.retiredTo) throw new Diverged('decisions left the log before they were counted');
  const to = Math.min(head.retiredTo, next.retiredTo + RETIRED_A_STEP);
  await writer.run(
    `update decisions set seq = 0, decided_at = decided_at // ${DAY_MS} * ${DAY_MS} + ${DAY_MS / 2},
       quarter = (decided_at // ${DAY_MS}) * 96 + 48, candidate = 0, url = null,
       file = null, page = 0, program = ${NOT_KEPT} where seq > $1 and seq <= $2`,
    [BigInt(next.retiredTo), BigInt(to)],
    [BIGINT, BIGINT],
  );
  if (to === head.retiredTo) {
    await dropUnusedPrograms(writer);
    await dropUnusedPages({ writer, decisions });
  }
  next.retiredTo = to;
  next.rewritten = true;
  return to < head.retiredTo;
}

/** Drops the programs of decisions whose inputs were erased. */
async function eraseInputs({ writer, head, next }: Retiring): Promise<boolean> {
  if (head.inputsErasedTo === next.inputsErasedTo) return false;
  if (head.inputsErasedTo < next.inputsErasedTo) throw new Diverged('the records were restored to an earlier state');
  const to = Math.min(head.inputsErasedTo, next.inputsErasedTo + RETIRED_A_STEP);
  await writer.run(
    `update decisions set program = ${NOT_KEPT} where seq > $1 and seq <= $2`,
    [BigInt(next.inputsErasedTo), BigInt(to)],
    [BIGINT, BIGINT],
  );
  next.inputsErasedTo = to;
  const isLast = to === head.inputsErasedTo;
  if (isLast && (await dropUnusedPrograms(writer))) next.rewritten = true;
  return !isLast;
}

/** Deletes the texts of pages that no decision has any more: they may say what is to be forgotten. */
async function dropUnusedPages({ writer, decisions }: Pick<Retiring, 'writer' | 'decisions'>): Promise<void> {
  await writer.run('delete from pages where number not in (select page from decisions)');
  decisions.forgetNumbers();
}

const DAY_MS = 86_400_000;

/** Archived decisions may be retired too. */
export function toRetired([, at, ...rest]: DecisionRow): DecisionRow {
  const row = [0, at - (at % DAY_MS) + DAY_MS / 2, ...rest] as DecisionRow;
  // The candidate, the URL and its file, and the inputs.
  row.splice(-4, 4, null, null, null, NO_INPUTS);
  return row;
}

/** Writes as many decisions for each daily count as it counts. */
export async function copyAllCounts({ records, items, head, next, decisions }: Retiring): Promise<void> {
  next.retiredTo = head.retiredTo;
  next.inputsErasedTo = head.inputsErasedTo;
  let page: DecisionRow[] = [];
  for (let after = 0; ; ) {
    const counts = await records.countsAfter(after, PAGE);
    for (const { requests, row } of counts) {
      if (row[2] !== 0 && !items.has(row[2])) continue;
      for (let n = 0; n < requests; n++) {
        page.push(row);
        if (page.length < PAGE) continue;
        await decisions.insert(page);
        page = [];
      }
    }
    if (counts.length < PAGE) break;
    after = counts.at(-1)?.no ?? after;
  }
  if (page.length > 0) await decisions.insert(page);
}
