/** Decisions in ClickHouse's format of columns, and what a block of them adds up to. */
import { crc32 } from 'node:zlib';
import { quarterAt } from '../columns/sql.ts';
import { type Batch, NAMED_FIELDS, type TextColumn } from './batch.ts';
import type { KnownNumbers } from './known-numbers.ts';
import { int32, int64, type NativeColumn, textOrNull, toNative, uint8 } from './native.ts';

/** Keeps sums of large numbers within what a double holds. */
const PRIME = 1_048_573;

/** The columns of decisions that are fields of theirs, after the times. */
const FIELDS: readonly (readonly [name: string, field: number])[] = [
  ['content', 2],
  ['requester', 3],
  ['policy', 4],
  ['reason', 5],
  ['purpose', 6],
  ['permission', 7],
  ['collection', 8],
  ['crawler', 9],
  ['license', 10],
  ['claimed', 11],
  ['verified', 12],
  ['enforced', 13],
  ['version', 14],
  ['rule', 15],
  ['wanted', 16],
  ['candidate', 17],
];
const SMALL = new Set(['reason', 'verified', 'enforced']);

/** The values of decisions by column; texts as numbers. */
interface Numbered {
  seqs: Float64Array;
  times: Float64Array;
  numbers: ReadonlyMap<string, Int32Array>;
  programs: Float64Array;
  urls: TextColumn;
}

/** Sums over the decisions of a block, in an order; in SQL and of a block. */
const SUMS: readonly (readonly [sql: string, of: (block: Numbered) => number])[] = [
  [`seq % ${PRIME}`, ({ seqs }) => sumOfRests(seqs)],
  [`decided_at % ${PRIME}`, ({ times }) => sumOfRests(times)],
  ...['content', 'policy', 'reason', 'requester', 'license', 'page'].map((name) => {
    return [name, ({ numbers }: Numbered) => sumOf(numbers.get(name) as Int32Array)] as const;
  }),
  [`program % ${PRIME}`, ({ programs }) => sumOfRests(programs)],
  [`CRC32(coalesce(url, ''))`, ({ seqs, urls }) => sumOfTexts(seqs.length, urls)],
];
/** Counts decisions, and each once, and adds up their values. */
export const CHECK_SQL = `count(), uniqExact(seq), ${SUMS.map(([sql]) => `sum(${sql})`).join(', ')}`;

function sumOf(values: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}

/** Adds up remainders. The operator takes ten times as long for large numbers. */
function sumOfRests(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const rest = value - Math.floor(value / PRIME) * PRIME;
    // A quotient that is nearly an integer may be rounded to it; negative numbers have negative rests.
    sum += Math.abs(rest) >= PRIME || rest < 0 || value < 0 ? value % PRIME : rest;
  }
  return sum;
}

function sumOfTexts(rows: number, column: TextColumn): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    const from = column.startOf(i);
    const to = column.ends[i] as number;
    if (to > from) sum += crc32(column.bytes.subarray(from, to));
  }
  return sum;
}

interface Encoding {
  names: KnownNumbers;
  programs: Float64Array;
  /** The number of the tail; absent in blocks. */
  tail?: number;
}

/** Returns the first rows of a batch in the format `Native`: one for each program. Numbers new texts. */
export async function encode(
  batch: Batch,
  { names, programs, tail }: Encoding,
): Promise<{ bytes: Buffer; sums: number[] }> {
  const rows = programs.length;
  const seqs = batch.seqs.subarray(0, rows);
  const times = batch.times.subarray(0, rows);
  const numbers = new Map<string, Int32Array>([['quarter', Int32Array.from(times, quarterAt)]]);
  for (const [name, field] of FIELDS) {
    const values = (batch.fields[field] as Int32Array).subarray(0, rows);
    const dictionary = NAMED_FIELDS.get(field);
    numbers.set(name, dictionary === undefined ? values : await names.toNumbers(batch.texts, dictionary, values));
  }
  numbers.set('page', await names.toNumbers(batch.texts, 'pages', batch.pages.subarray(0, rows)));
  const columns: NativeColumn[] = [int64('seq', seqs), int64('decided_at', times)];
  for (const [name, values] of numbers) columns.push((SMALL.has(name) ? uint8 : int32)(name, values));
  columns.push(textOrNull('url', rows, batch.urls), textOrNull('file', rows, batch.files), int64('program', programs));
  if (tail !== undefined) columns.push(int64('tail', new Float64Array(rows).fill(tail)));
  const block: Numbered = { seqs, times, numbers, programs, urls: batch.urls };
  return { bytes: toNative(rows, columns), sums: SUMS.map(([, of]) => of(block)) };
}
