/**
 * Moves an embedded installation to PostgreSQL. Promise: the folder is only read. The service accepts the database only
 * after every table has been compared, row by row. An interrupted move resumes where it stopped.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Row, Step, Value } from '../../db/db.ts';
import { migrate, UNFINISHED } from '../../db/migrate.ts';
import { openPostgres, type PostgresDb, toArray } from '../../db/postgres/db.ts';
import { openSqlite, type SqliteDb } from '../../db/sqlite/db.ts';
import { holdFolder } from '../../db/sqlite/hold.ts';
import { toStoredKey } from '../../decisions/ledger/postgres/limit-key.ts';
import { TABLES } from '../../decisions/ledger/test-tables.ts';
import { makeFolder } from '../../lib/folder.ts';

const ROWS_AT_ONCE = 2_000;
/** Tables that belong to the store, not to the installation. */
const OWN_TABLES = ['schema_migrations', 'leases'];

export interface MoveOptions {
  dataDir: string;
  url: string;
  /** Receives a line for each table. */
  say(line: string): void;
}

export interface Moved {
  /** Rows by table, equal on both sides. */
  tables: Record<string, number>;
  /** Rows that an earlier run had copied. */
  found: number;
}

/** The installation cannot be moved; the message says what to do. */
export class CannotMove extends Error {}

interface Column {
  name: string;
  type: string;
  /** Position in the primary key, from 1; 0: not part of it. */
  pk: number;
}

interface Table {
  name: string;
  columns: Column[];
  key: Column[];
}

/** Throws CannotMove, Unavailable. */
export async function moveStore({ dataDir, url, say }: MoveOptions): Promise<Moved> {
  makeFolder(dataDir);
  const hold = holdFolder(dataDir, { records: true });
  if (hold === undefined) throw new CannotMove(`A service uses ${dataDir}. Stop it first; nothing was moved.`);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => hold.release());
  const from = await openSqlite(join(dataDir, 'postern.db'));
  opened.defer(() => from.close());
  const to = await openPostgres(url);
  opened.defer(() => to.close());
  const now = Date.now();
  await migrate(from, now);
  await migrate(to, now, { unfinished: true });

  const tables = await readTables(from);
  await begin(from, to, tables);
  const moved: Moved = { tables: {}, found: 0 };
  for (const table of tables) {
    const found = await copy(from, to, table, say);
    moved.found += found;
  }
  await setSequences(from, to, tables);
  for (const table of tables) {
    const [there, here] = [await digestRows(to, table, false), await digestRows(from, table, true)];
    if (there.rows !== here.rows || there.sum !== here.sum) {
      throw new CannotMove(
        `${table.name} is not the same on both sides (${here.rows} rows here, ${there.rows} there). The folder was probably used since an earlier attempt. Empty the database and move again.`,
      );
    }
    moved.tables[table.name] = here.rows;
    say(`${table.name}: ${here.rows} rows, the same on both sides`);
  }
  await to.atomic([{ sql: 'delete from settings where name = $1', params: [UNFINISHED], expect: 1 }]);
  return moved;
}

async function readTables(from: SqliteDb): Promise<Table[]> {
  const names = await from.read<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
  );
  const tables: Table[] = [];
  for (const { name } of names) {
    if (OWN_TABLES.includes(name)) continue;
    const columns = (await from.read('select name, type, pk from pragma_table_info($1)', [
      name,
    ])) as unknown as Column[];
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    tables.push({ name, columns, key });
  }
  return tables;
}

/** Marks the database as being filled from this folder. It must be empty or already marked. */
async function begin(from: SqliteDb, to: PostgresDb, tables: readonly Table[]): Promise<void> {
  const [ledger] = await from.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
  if (ledger === undefined) throw new CannotMove('This folder holds no installation that was ever started.');
  const [mark] = await to.read<{ value: string }>('select value from settings where name = $1', [UNFINISHED]);
  if (mark?.value === ledger.value) return;
  if (mark !== undefined) throw new CannotMove('Another installation is being moved to this database. Empty it first.');
  for (const { name } of tables) {
    const [row] = await to.read(`select 1 as there from ${name} limit 1`);
    if (row !== undefined) throw new CannotMove(`The database holds data already (${name}). Use an empty one.`);
  }
  await to.atomic([{ sql: 'insert into settings (name, value) values ($1, $2)', params: [UNFINISHED, ledger.value] }]);
}

const list = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ');

/** Reads the next rows in the order of the primary key. */
function pageAfter(table: Table, last: Row | undefined): Step {
  const after =
    last === undefined ? '' : `where (${list(table.key)}) > (${table.key.map((_, i) => `$${i + 1}`).join(', ')})`;
  return {
    sql: `select ${list(table.columns)} from ${table.name} ${after} order by ${list(table.key)} limit ${ROWS_AT_ONCE}`,
    params: last === undefined ? [] : table.key.map(({ name }) => last[name] as Value),
  };
}

/** Returns the number of rows that were already there. */
async function copy(from: SqliteDb, to: PostgresDb, table: Table, say: MoveOptions['say']): Promise<number> {
  const ours = table.name === 'settings' ? ` where name <> '${UNFINISHED}'` : '';
  const [counted] = await to.read<{ rows: number }>(`select count(*) as rows from ${table.name}${ours}`);
  let found = counted?.rows ?? 0;
  let last: Row | undefined;
  if (hasLimitKeys(table) || table.name === 'settings') {
    // Few rows, and sorted differently there: copied again.
    await to.atomic([{ sql: `delete from ${table.name}${ours}` }]);
    found = 0;
  } else if (found > 0) {
    // Rows are written in the order of the key, so the last one shows where the earlier run stopped.
    const order = table.key.map(({ name }) => `${name} desc`).join(', ');
    [last] = await to.read(`select ${list(table.key)} from ${table.name} order by ${order} limit 1`);
  }
  const types = table.columns.map(({ type }) => (type.toLowerCase() === 'integer' ? 'bigint' : type.toLowerCase()));
  const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  const sql = `insert into ${table.name} (${list(table.columns)}) select * from unnest(${arrays})`;
  let copied = found;
  for (;;) {
    const page = pageAfter(table, last);
    const rows = await from.read(page.sql, page.params);
    if (rows.length > 0) {
      const params = table.columns.map(({ name }) =>
        toArray(rows.map((row) => toStored(table, name, row[name] as Value))),
      );
      await to.atomic([{ sql, params }]);
      copied += rows.length;
      if (copied % (ROWS_AT_ONCE * 50) < ROWS_AT_ONCE) say(`${table.name}: ${copied} rows`);
    }
    if (rows.length < ROWS_AT_ONCE) return found;
    last = rows.at(-1);
  }
}

/** Returns a value as PostgreSQL stores it: without NUL, which only keys of limits contain. */
const toStored = (table: Table, column: string, value: Value): Value =>
  hasLimitKeys(table) && column === 'key' ? toStoredKey(value as string) : value;

const hasLimitKeys = ({ name }: Table): boolean => name === 'limits' || name === 'test_limits';

/** Continues the sequences: the number of a deleted item is not reused. */
async function setSequences(from: SqliteDb, to: PostgresDb, tables: readonly Table[]): Promise<void> {
  const given = await from.read<{ name: string; seq: number }>('select name, seq from sqlite_sequence');
  const lastNumbers = new Map(given.map(({ name, seq }) => [name, seq]));
  // The ledgers reserve sequence numbers in blocks.
  const reserved = await from.read<{ name: string; value: string }>(
    `select name, value from settings where name in ('ledger_reserved', 'test_ledger_reserved')`,
  );
  for (const { name, value } of reserved) {
    lastNumbers.set(name === 'ledger_reserved' ? TABLES.live : TABLES.test, Number(value));
  }
  for (const { name, key } of tables) {
    const last = lastNumbers.get(name) ?? 0;
    if (last === 0) continue;
    // By its name: that of decisions may belong to no column.
    await to.write([{ sql: `select setval('${name}_${key[0]?.name}_seq', $1::bigint)`, params: [last] }]);
  }
}

/** Sums the digests of the rows, which does not depend on their order. */
async function digestRows(
  db: SqliteDb | PostgresDb,
  table: Table,
  asStored: boolean,
): Promise<{ rows: number; sum: string }> {
  let sum = 0n;
  let count = 0;
  let last: Row | undefined;
  for (;;) {
    const page = pageAfter(table, last);
    const rows = await db.read(page.sql, page.params);
    for (const row of rows) {
      if (table.name === 'settings' && row.name === UNFINISHED) continue;
      const values = table.columns.map(({ name }) =>
        asStored ? toStored(table, name, row[name] as Value) : (row[name] as Value),
      );
      const digest = createHash('sha256').update(JSON.stringify(values)).digest();
      sum = (sum + digest.readBigUInt64LE(0)) & 0xffff_ffff_ffff_ffffn;
      count++;
    }
    if (rows.length < ROWS_AT_ONCE) return { rows: count, sum: sum.toString(16) };
    last = rows.at(-1);
  }
}
