/** Writes decisions into the columns, in chunks. */
import {
  DOUBLE,
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import type { DecisionRow } from './decision-row.ts';
import { DICTIONARIES, type Dictionary, type DictionaryName, dictionary } from './dictionary.ts';
import { duckDbPrograms } from './duckdb-programs.ts';
import { openPrograms } from './programs.ts';
import { quarterAt } from './sql.ts';

const CHUNK = 2_048;
/** Rows that the appender gathers in memory before it writes them. */
const GATHERED_MAX = 16_384;

export interface Inserter {
  insert(rows: readonly DecisionRow[]): Promise<void>;
  /** Writes what is gathered, and names the programs; call it before the commit. */
  finish(): Promise<void>;
  /** Drops cached numbers: the dictionaries have changed. Gathered rows keep theirs. */
  forgetNumbers(): void;
  /** Drops gathered rows and cached numbers at a rollback, which takes back new numbers. */
  abandon(): void;
}

export function inserter(writer: DuckDBConnection): Inserter {
  const numbers = new Map<DictionaryName, Dictionary>(DICTIONARIES.map((table) => [table, dictionary(writer, table)]));
  const programs = openPrograms(duckDbPrograms(writer));
  let appender: DuckDBAppender | undefined;
  let gathered = 0;

  async function toColumns(rows: readonly DecisionRow[]): Promise<readonly Column[]> {
    const columns: Column[] = [];
    for (const [type, read, usual, table] of COLUMNS) {
      if (table === null) {
        columns.push({ type, usual, valueAt: (i) => read(rows[i] as DecisionRow) });
        continue;
      }
      const textAt = (i: number) => read(rows[i] as DecisionRow) as string | null;
      const numbered = await (numbers.get(table) as Dictionary).of(rows.length, textAt);
      columns.push({ type, usual, valueAt: (i) => numbered[i] as number });
    }
    const numbered = Float64Array.from(rows, (row) => programs.numberOf(row));
    columns.push({ type: DOUBLE, usual: undefined, valueAt: (i) => numbered[i] as number });
    return columns;
  }

  function flush(): void {
    const open = appender;
    appender = undefined;
    gathered = 0;
    open?.closeSync();
  }

  function forgetNumbers(): void {
    for (const one of numbers.values()) one.forget();
  }

  return {
    async insert(rows) {
      const columns = await toColumns(rows);
      appender ??= await writer.createAppender('decisions');
      const writing: Writing = { columns, isUsual: columns.map(() => false) };
      for (let from = 0; from < rows.length; from += CHUNK) {
        appender.appendDataChunk(fill(writing, from, Math.min(CHUNK, rows.length - from)));
      }
      gathered += rows.length;
      if (gathered >= GATHERED_MAX) flush();
    },
    async finish() {
      flush();
      await programs.name();
    },
    forgetNumbers,
    abandon() {
      appender?.clear();
      appender = undefined;
      gathered = 0;
      programs.abandon();
      forgetNumbers();
    },
  };
}

interface Column {
  type: DuckDBType;
  /** The value of most decisions; undefined: values differ. */
  usual: DuckDBValue | undefined;
  valueAt(i: number): DuckDBValue;
}

/**
 * In the order of the table, before the program. The appender makes the doubles big integers, faster than it would be
 * here.
 */
export const COLUMNS: readonly (readonly [
  type: DuckDBType,
  read: (row: DecisionRow) => DuckDBValue,
  usual: DuckDBValue | undefined,
  table: DictionaryName | null,
])[] = [
  [DOUBLE, (row) => row[0], undefined, null],
  [DOUBLE, (row) => row[1], undefined, null],
  [INTEGER, (row) => quarterAt(row[1]), undefined, null],
  [INTEGER, (row) => row[2], undefined, null],
  [INTEGER, (row) => row[3], undefined, 'requesters'],
  [INTEGER, (row) => row[4], undefined, null],
  [UTINYINT, (row) => row[5], undefined, null],
  [INTEGER, (row) => row[6], 0, 'purposes'],
  [INTEGER, (row) => row[7], 0, 'permissions'],
  [INTEGER, (row) => row[8], 0, 'collections'],
  [INTEGER, (row) => row[9], 0, 'crawlers'],
  [INTEGER, (row) => row[10], 0, 'licenses'],
  [INTEGER, (row) => row[11], 0, 'claims'],
  [UTINYINT, (row) => row[12], 0, null],
  [UTINYINT, (row) => row[13], 1, null],
  [INTEGER, (row) => row[14], 1, null],
  [INTEGER, (row) => row[15], undefined, null],
  [INTEGER, (row) => row[16], 0, 'wanted'],
  [INTEGER, (row) => row[17], 0, 'candidates'],
  [VARCHAR, (row) => row[18], null, null],
  [VARCHAR, (row) => row[19], null, null],
  [INTEGER, toPage, 0, 'pages'],
];

/** Returns host and path of the URL that stands for all spellings. */
function toPage(row: DecisionRow): string | null {
  const url = row[19] ?? row[18];
  if (url === null) return null;
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Reuses its chunk for as long as possible: a column that is usual throughout is written once. */
interface Writing {
  columns: readonly Column[];
  chunk?: DuckDBDataChunk;
  isUsual: boolean[];
}

function fill(writing: Writing, from: number, count: number): DuckDBDataChunk {
  const { columns, isUsual } = writing;
  if (writing.chunk?.rowCount !== count) {
    writing.chunk = DuckDBDataChunk.create(
      columns.map(({ type }) => type),
      count,
    );
    isUsual.fill(false);
  }
  const { chunk } = writing;
  for (const [at, column] of columns.entries()) {
    const wasUsual = isUsual[at] === true;
    isUsual[at] = isUsualFor(column, from, count);
    if (wasUsual && isUsual[at]) continue;
    const vector = chunk.getColumnVector(at);
    for (let i = 0; i < count; i++) vector.setItem(i, column.valueAt(from + i));
    vector.flush();
    // The vector keeps its texts until it is dropped.
    if (column.type === VARCHAR && !isUsual[at]) delete writing.chunk;
  }
  return chunk;
}

function isUsualFor({ usual, valueAt }: Column, from: number, count: number): boolean {
  if (usual === undefined) return false;
  for (let i = from; i < from + count; i++) if (valueAt(i) !== usual) return false;
  return true;
}
