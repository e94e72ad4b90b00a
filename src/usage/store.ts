/**
 * The columns' file: its tables, and the way from whatever is at that path to an open store. Promise: the file may be
 * missing, damaged, of another version or the cause of a crash, and opening still ends with a store that can be filled.
 * What is open is not yet known to match the truth: see tail.
 */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** Raised with every change of the tables or of what their values mean; another version's file is not read. */
const VERSION = 1;

/**
 * `requester` 0 is an anonymous check, `reason` 0 an allowed one. No indexes: DuckDB keeps them in memory, and scanning
 * ten million small integers takes ten milliseconds.
 */
const TABLES = `
  create table decisions (seq bigint, decided_at bigint, content integer, requester integer, policy integer, reason utinyint);
  create table requesters (number integer, id varchar);
  create table content (number integer, id varchar, type varchar);
  create table position (version integer, ledger_no varchar, decisions_seq bigint, changes_seq bigint, changes_at bigint);
  insert into position values (${VERSION}, null, 0, -1, 0);
`;

const SETTINGS = {
  memory_limit: '256MB',
  threads: '2',
  // Order costs memory, and every question states its own.
  preserve_insertion_order: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

export interface Store {
  /** For the tail, which alone writes. */
  writer: DuckDBConnection;
  connect(): Promise<DuckDBConnection>;
  /** On disk, bytes. */
  size(): number;
  close(): void;
}

/** Exists while the file is being opened: who finds it knows that the last one did not survive the attempt. */
const openingMark = (file: string): string => `${file}.opening`;

/** Throws when the disk does not let us have a file at all, or another process has it. */
export async function openStore(file: string): Promise<{ store: Store; fresh: boolean }> {
  if (existsSync(openingMark(file))) removeStore(file);
  writeFileSync(openingMark(file), '');
  try {
    return await open(file);
  } catch (error) {
    if (error instanceof Error && error.message.includes('Could not set lock')) throw error;
    removeStore(file);
    writeFileSync(openingMark(file), '');
    return await open(file);
  } finally {
    rmSync(openingMark(file), { force: true });
  }
}

export function removeStore(file: string): void {
  for (const path of [file, `${file}.wal`, `${file}.tmp`, openingMark(file)]) {
    rmSync(path, { force: true, recursive: true });
  }
}

async function open(file: string): Promise<{ store: Store; fresh: boolean }> {
  const fresh = !existsSync(file);
  const instance = await DuckDBInstance.create(file, SETTINGS);
  try {
    const writer = await instance.connect();
    if (fresh) await writer.run(`begin; ${TABLES} commit;`);
    const [version] = await (await writer.run('select version from position')).getColumns();
    if (version?.length !== 1 || version[0] !== VERSION) throw new Error('the columns are of another version');
    const connections = [writer];
    const store: Store = {
      writer,
      async connect() {
        const connection = await instance.connect();
        connections.push(connection);
        return connection;
      },
      size: () => sizeOf(file) + sizeOf(`${file}.wal`),
      close() {
        for (const connection of connections) connection.closeSync();
        instance.closeSync();
      },
    };
    return { store, fresh };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
