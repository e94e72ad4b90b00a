/** Answers questions on a connection to DuckDB. */
import type { DuckDBConnection, DuckDBListVector, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import { newRows } from './licensed-rows.ts';
import type { LicensedLists, SqlReader } from './reader.ts';
import { text } from './sql.ts';

/** The names that ClickHouse has for them. */
const MACROS = `
  create temp macro intDiv(a, b) as a // b;
  create temp macro arrayJoin(list) as unnest(list);
  create temp macro lowerUTF8(t) as lower(t);
  create temp macro toUInt8(flag) as flag::utinyint;
  create temp macro startsWith(t, prefix) as starts_with(t, prefix);
  create temp macro endsWith(t, suffix) as ends_with(t, suffix);
  create temp macro base64Decode(t) as decode(from_base64(t));
`;

export async function readColumns(
  connection: DuckDBConnection,
  sql: string,
  params: string[] = [],
): Promise<DuckDBValue[][]> {
  return (await connection.run(sql, params)).getColumns();
}

export async function openDuckDbReader(connection: DuckDBConnection): Promise<SqlReader> {
  await connection.run(MACROS);
  const columns: SqlReader['columns'] = (sql) => readColumns(connection, sql);
  return {
    columns,
    rows: async <Row>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjects() as Row[],
    async keep(name, sql) {
      await connection.run(`create or replace temp table ${name} as ${sql}`);
    },
    // It reads a column of ten million decisions in ten milliseconds.
    narrow: async () => null,
    // The rollback drops what was kept.
    async inSnapshot(work) {
      await connection.run('begin');
      try {
        return await work();
      } finally {
        await connection.run('rollback').catch(() => {});
      }
    },
    async findNumber(table, id) {
      const [numbers] = await readColumns(connection, `select number::double from ${table} where id = $1`, [id]);
      return numbers?.[0] as number | undefined;
    },
    give: async (value) => text(value),
    licensed: readLicensed.bind(null, connection),
  };
}

/** The columns of a chunk. */
const [LICENSE, PURPOSE, SEQS, TIMES, CONTENTS] = [0, 1, 2, 3, 4];

async function readLicensed(connection: DuckDBConnection, from: string, contents: boolean): Promise<LicensedLists> {
  // As lists: rows of their own take several times as long to read.
  const result = await connection.run(
    `select license, purpose, list(seq::double), list(decided_at::double)${contents ? ', list(content)' : ''}
     ${from} group by license, purpose`,
  );
  const chunks = await result.fetchAllChunks();
  const groups = chunks.flatMap((chunk) => {
    const [licenses, purposes, seqs] = [LICENSE, PURPOSE, SEQS].map((column) => chunk.getColumnVector(column));
    return Array.from({ length: chunk.rowCount }, (_, i) => ({
      license: licenses?.getItem(i) as number,
      purpose: purposes?.getItem(i) as number,
      count: (seqs as DuckDBListVector).getEntryLength(i),
    }));
  });
  const { seq, at, content } = room(
    groups.reduce((sum, { count }) => sum + count, 0),
    contents,
  );
  const copyLists = (column: number, target: Float64Array | Int32Array): void => {
    let to = 0;
    for (const chunk of chunks)
      to = copyList(chunk.getColumnVector(column) as DuckDBListVector, chunk.rowCount, { target, to });
  };
  copyLists(SEQS, seq);
  copyLists(TIMES, at);
  if (contents) copyLists(CONTENTS, content);
  return { groups, seq, at, content: contents ? content : new Int32Array() };
}

/** Reused, because large arrays make the thread collect garbage often. Nothing waits while it is filled and copied. */
let kept = newRows(0, false);

function room(count: number, contents: boolean): typeof kept {
  const { seq, content } = kept;
  if (seq.length < count || (contents && content.length < count)) kept = newRows(count, contents || content.length > 0);
  return kept;
}

/** Copies the lists of a vector, one after the other. Returns the place after the last. */
function copyList(
  lists: DuckDBListVector,
  count: number,
  { target, to: start }: { target: Float64Array | Int32Array; to: number },
): number {
  const items = vectorItems(lists.childVector);
  let to = start;
  for (let i = 0; i < count; i++) {
    const offset = lists.getEntryOffset(i);
    const end = offset + lists.getEntryLength(i);
    for (let from = offset; from < end; from++) target[to++] = items[from] as number;
  }
  return to;
}

/** Returns the values of a vector without nulls: its own array, which takes a tenth of the time of reading each. */
function vectorItems(vector: DuckDBVector): ArrayLike<number> {
  const items: unknown = Reflect.get(vector, 'items');
  if (items instanceof Float64Array || items instanceof Int32Array) return items;
  return Array.from({ length: vector.itemCount }, (_, i) => vector.getItem(i) as number);
}
