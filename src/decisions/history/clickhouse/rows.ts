/** Decisions in ClickHouse's binary format, and what a block of them adds up to. */
import { crc32 } from 'node:zlib';
import { DOUBLE, UTINYINT, VARCHAR } from '@duckdb/node-api';
import type { DecisionRow } from '../columns/decision-row.ts';
import type { DictionaryName } from '../columns/dictionary.ts';
import { COLUMNS } from '../columns/insert.ts';
import { Bytes } from './bytes.ts';
import type { ClickHouseNames } from './names.ts';

/** Keeps sums of large numbers within what a double holds. */
const PRIME = 1_048_573;

/** Places of texts in `COLUMNS`. */
const placeOf = (name: DictionaryName): number => COLUMNS.findIndex(([, , , table]) => table === name);
const [REQUESTER, LICENSE, PAGE] = [placeOf('requesters'), placeOf('licenses'), placeOf('pages')];

/** Sums over the decisions of a block, in an order; in SQL and of a row. */
const SUMS: readonly (readonly [sql: string, of: (row: Numbered) => number])[] = [
  [`seq % ${PRIME}`, ({ row }) => row[0] % PRIME],
  [`decided_at % ${PRIME}`, ({ row }) => row[1] % PRIME],
  ['content', ({ row }) => row[2]],
  ['policy', ({ row }) => row[4]],
  ['reason', ({ row }) => row[5]],
  ['requester', ({ numbers }) => numbers[REQUESTER] as number],
  ['license', ({ numbers }) => numbers[LICENSE] as number],
  ['page', ({ numbers }) => numbers[PAGE] as number],
  [`program % ${PRIME}`, ({ program }) => program % PRIME],
  [`CRC32(coalesce(url, ''))`, ({ row }) => (row[18] === null ? 0 : crc32(row[18]))],
];
/** Counts decisions, and each once, and adds up their values. */
export const CHECK_SQL = `count(), uniqExact(seq), ${SUMS.map(([sql]) => `sum(${sql})`).join(', ')}`;

/** A decision with the numbers of its texts, by their places in `COLUMNS`. */
interface Numbered {
  row: DecisionRow;
  numbers: Int32Array;
  program: number;
}

export interface Encoding {
  names: Pick<ClickHouseNames, 'number'>;
  programOf(row: DecisionRow): number;
  /** The number of the tail; absent in blocks. */
  tail?: number;
}

export async function encode(
  rows: readonly DecisionRow[],
  { names, programOf, tail }: Encoding,
): Promise<{ bytes: Buffer; sums: number[] }> {
  const numberings = await numberTexts(rows, names);
  const writer = new Bytes(rows.length * USUAL_BYTES);
  const sums = SUMS.map(() => 0);
  // One for all rows: garbage of many would take longer than the work.
  const numbers = new Int32Array(COLUMNS.length);
  for (const row of rows) {
    writeValues(writer, row, { numberings, numbers });
    const program = programOf(row);
    writer.int64(program);
    if (tail !== undefined) writer.int64(tail);
    const numbered = { row, numbers, program };
    for (let i = 0; i < SUMS.length; i++) {
      sums[i] = (sums[i] as number) + (SUMS[i] as (typeof SUMS)[number])[1](numbered);
    }
  }
  return { bytes: writer.end(), sums };
}

/** The numbers of texts by their places in `COLUMNS`. */
type Numberings = readonly (ReadonlyMap<string, number> | undefined)[];

async function numberTexts(rows: readonly DecisionRow[], names: Encoding['names']): Promise<Numberings> {
  const numberings: Numberings[number][] = [];
  for (const [, read, , table] of COLUMNS) {
    const ids = new Set<string>();
    let last: string | null = null;
    if (table !== null) {
      for (const row of rows) {
        const id = read(row) as string | null;
        // Neighbors often have the same.
        if (id !== null && id !== last) ids.add(id);
        last = id;
      }
    }
    numberings.push(table === null || ids.size === 0 ? undefined : await names.number(table, ids));
  }
  return numberings;
}

type Write = (writer: Bytes, value: never) => unknown;

/** Writes a value of each column; undefined: the number of its text. */
const WRITES: readonly (Write | undefined)[] = COLUMNS.map(([type, , , table]) => {
  if (table !== null) return undefined;
  if (type === DOUBLE) return (writer: Bytes, value: number) => writer.int64(value);
  if (type === UTINYINT) return (writer: Bytes, value: number) => writer.uint8(value);
  if (type === VARCHAR) return (writer: Bytes, value: string | null) => writer.textOrNull(value);
  return (writer: Bytes, value: number) => writer.int32(value);
});
const READS = COLUMNS.map(([, read]) => read);

function writeValues(
  writer: Bytes,
  row: DecisionRow,
  { numberings, numbers }: { numberings: Numberings; numbers: Int32Array },
): void {
  for (let i = 0; i < READS.length; i++) {
    const value = (READS[i] as (typeof READS)[number])(row);
    const write = WRITES[i];
    if (write === undefined) {
      const number = value === null ? 0 : (numberings[i]?.get(value as string) as number);
      numbers[i] = number;
      writer.int32(number);
    } else write(writer, value as never);
  }
}

const USUAL_BYTES = 160;
