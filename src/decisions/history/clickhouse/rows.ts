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

/** Sums over the decisions of a block, in an order; in SQL and of a row. */
const SUMS: readonly (readonly [sql: string, of: (row: Numbered) => number])[] = [
  [`seq % ${PRIME}`, ({ row }) => row[0] % PRIME],
  [`decided_at % ${PRIME}`, ({ row }) => row[1] % PRIME],
  ['content', ({ row }) => row[2]],
  ['policy', ({ row }) => row[4]],
  ['reason', ({ row }) => row[5]],
  ['requester', ({ numbers }) => numbers.get('requesters') ?? 0],
  ['license', ({ numbers }) => numbers.get('licenses') ?? 0],
  ['page', ({ numbers }) => numbers.get('pages') ?? 0],
  [`program % ${PRIME}`, ({ program }) => program % PRIME],
  [`CRC32(coalesce(url, ''))`, ({ row }) => crc32(row[18] ?? '')],
];
/** Counts decisions, and each once, and adds up their values. */
export const CHECK_SQL = `count(), uniqExact(seq), ${SUMS.map(([sql]) => `sum(${sql})`).join(', ')}`;

/** A decision with the numbers of its texts. */
interface Numbered {
  row: DecisionRow;
  numbers: ReadonlyMap<DictionaryName, number>;
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
  for (const row of rows) {
    const numbers = writeValues(writer, row, numberings);
    const program = programOf(row);
    writer.int64(program);
    if (tail !== undefined) writer.int64(tail);
    const numbered = { row, numbers, program };
    for (const [i, [, of]] of SUMS.entries()) sums[i] = (sums[i] as number) + of(numbered);
  }
  return { bytes: writer.end(), sums };
}

type Numberings = ReadonlyMap<DictionaryName, ReadonlyMap<string, number>>;

async function numberTexts(rows: readonly DecisionRow[], names: Encoding['names']): Promise<Numberings> {
  const numberings = new Map<DictionaryName, ReadonlyMap<string, number>>();
  for (const [, read, , table] of COLUMNS) {
    if (table === null) continue;
    const ids = new Set<string>();
    for (const row of rows) {
      const id = read(row) as string | null;
      if (id !== null) ids.add(id);
    }
    numberings.set(table, await names.number(table, ids));
  }
  return numberings;
}

/** Returns the numbers of its texts. */
function writeValues(writer: Bytes, row: DecisionRow, numberings: Numberings): Numbered['numbers'] {
  const numbers = new Map<DictionaryName, number>();
  for (const [type, read, , table] of COLUMNS) {
    const value = read(row);
    if (table !== null) {
      const number = value === null ? 0 : (numberings.get(table)?.get(value as string) as number);
      numbers.set(table, number);
      writer.int32(number);
    } else if (type === DOUBLE) writer.int64(value as number);
    else if (type === UTINYINT) writer.uint8(value as number);
    else if (type === VARCHAR) writer.textOrNull(value as string | null);
    else writer.int32(value as number);
  }
  return numbers;
}

const USUAL_BYTES = 160;
