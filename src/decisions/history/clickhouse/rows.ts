/** Decisions in ClickHouse's binary format, and what a block of them adds up to. */
import { crc32 } from 'node:zlib';
import { DOUBLE, UTINYINT, VARCHAR } from '@duckdb/node-api';
import type { DecisionRow } from '../columns/decision-row.ts';
import type { DictionaryName } from '../columns/dictionary.ts';
import { COLUMNS } from '../columns/insert.ts';
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
  const writer = new Bytes(rows.length * USUAL_BYTES);
  const sums = SUMS.map(() => 0);
  const numbers = new Map<DictionaryName, number>();
  for (const row of rows) {
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
    const program = programOf(row);
    writer.int64(program);
    if (tail !== undefined) writer.int64(tail);
    const numbered = { row, numbers, program };
    for (const [i, [, of]] of SUMS.entries()) sums[i] = (sums[i] as number) + of(numbered);
  }
  return { bytes: writer.end(), sums };
}

const USUAL_BYTES = 160;
const LOW_BITS = 4_294_967_296;

/** Writes values one after the other. */
export class Bytes {
  #buffer: Buffer;
  #at = 0;

  constructor(bytes = 1_024) {
    this.#buffer = Buffer.allocUnsafe(Math.max(bytes, 64));
  }

  int64(value: number): this {
    this.#reserve(8);
    const high = Math.floor(value / LOW_BITS);
    this.#at = this.#buffer.writeUInt32LE(value - high * LOW_BITS, this.#at);
    this.#at = this.#buffer.writeInt32LE(high, this.#at);
    return this;
  }

  int32(value: number): this {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32LE(value, this.#at);
    return this;
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#at = this.#buffer.writeUInt8(value, this.#at);
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.#reserve(length + 5);
    let rest = length;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#at = this.#buffer.writeUInt8((rest % 128) + 128, this.#at);
    this.#at = this.#buffer.writeUInt8(rest, this.#at);
    this.#at += this.#buffer.write(value, this.#at);
    return this;
  }

  textOrNull(value: string | null): this {
    return value === null ? this.uint8(1) : this.uint8(0).text(value);
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(grown);
    this.#buffer = grown;
  }
}
