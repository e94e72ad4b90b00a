/**
 * The columns' DuckDB file: its tables and how it is opened. Promise: opening returns a usable store, even if the file
 * is missing, damaged, of another version or the cause of a crash. The tail checks whether it matches the records.
 */
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DICTIONARIES } from './dictionary.ts';
import { openDuckDbReader } from './duckdb-reader.ts';
import { FIXED_NAMES } from './programs.ts';
import type { SqlReader } from './reader.ts';

/** Increases with every change of the tables or the meaning of their values. Files of other versions are discarded. */
const VERSION = 11;

/**
 * `quarter`: of an hour, since 1970; `reason` 0: allowed; `content` 0: a URL without an item; `verified` 0: not; `rule`
 * -1: the default action; `seq` 0: retired, so the time is noon of its day and the URL is gone. `rewritten`: the file
 * may hold bytes of former values until it is compacted. Texts have numbers (see dictionary), 0: none; only `url` and
 * `file` are texts. `page`: the canonical URL without its query. Numbers of programs follow from their names (see
 * programs), 0: not kept. `registered` holds the requesters of the records, `requesters` all ids that were seen. No
 * indexes: DuckDB keeps them in memory, and scanning ten million small integers takes ten milliseconds.
 */
const TABLES = `
  create table decisions (seq bigint, decided_at bigint, quarter integer, content integer, requester integer, policy integer,
    reason utinyint, purpose integer, permission integer, collection integer, crawler integer, license integer,
    claimed integer, verified utinyint, enforced utinyint, version integer, rule integer, wanted integer,
    candidate integer, url varchar, file varchar, page integer, program bigint);
  ${DICTIONARIES.map((table) => `create table ${table} (number integer, id varchar);`).join('\n  ')}
  create table programs (number bigint, id varchar, day integer);
  insert into programs values ${FIXED_NAMES};
  create table program_addresses (number bigint, day integer, life integer, sketch varchar);
  create table registered (id varchar, name varchar, type varchar, status varchar, tags varchar);
  create table content (number integer, id varchar, type varchar);
  create table position (version integer, ledger_no varchar, decisions_seq bigint, changes_seq bigint, changes_at bigint,
    retired_to bigint, rewritten boolean, erased_no bigint, inputs_erased_to bigint);
  insert into position values (${VERSION}, null, 0, -1, 0, 0, false, 0, 0);
`;

export const engineSettings = (engineMiB: number) => ({
  memory_limit: `${engineMiB}MiB`,
  threads: '2',
  // Order costs memory, and every query states its own.
  preserve_insertion_order: 'false',
  // Up to a million groups of small numbers are counted in an array: a fifth of the time of a hash table.
  perfect_ht_threshold: '20',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
});

export interface Store {
  /** Used by the tail only. */
  writer: DuckDBConnection;
  connect(): Promise<SqlReader>;
  /**
   * Gives the system back what queries no longer use. DuckDB's allocator keeps it for the next ones, and gives it back
   * only when the limit of memory is set.
   */
  rest(): Promise<void>;
  /** Fails the running queries. */
  interrupt(): void;
  /** On disk, bytes. */
  size(): number;
  close(): void;
}

/** Exists while the file is being opened: if it is found, the last attempt crashed. */
const openingMark = (file: string): string => `${file}.opening`;

/** Throws if no file can be created, or another process has it open. */
export async function openStore(file: string, engineMiB: number): Promise<{ store: Store; fresh: boolean }> {
  if (existsSync(openingMark(file))) removeStore(file);
  writeFileSync(openingMark(file), '');
  try {
    return await open(file, engineMiB);
  } catch (error) {
    if (error instanceof Error && error.message.includes('Could not set lock')) throw error;
    removeStore(file);
    writeFileSync(openingMark(file), '');
    return await open(file, engineMiB);
  } finally {
    rmSync(openingMark(file), { force: true });
  }
}

/** Opens an empty store without a file, for a full disk. */
export function openMemoryStore(engineMiB: number): Promise<Store> {
  return storeIn(':memory:', engineMiB, true);
}

/** Space for a step of the tail and its write-ahead log. */
const ROOM_BYTES = 16 * 1024 * 1024;

export function hasRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

/** The file that takes the place of another one, while it is written. */
export const compactFile = (file: string): string => `${file}.compact`;

export function removeStore(file: string): void {
  for (const path of [file, `${file}.wal`, `${file}.tmp`, compactFile(file), openingMark(file)]) {
    rmSync(path, { force: true, recursive: true });
  }
}

async function open(file: string, engineMiB: number): Promise<{ store: Store; fresh: boolean }> {
  const fresh = !existsSync(file);
  return { store: await storeIn(file, engineMiB, fresh), fresh };
}

async function storeIn(file: string, engineMiB: number, fresh: boolean): Promise<Store> {
  const settings = engineSettings(engineMiB);
  const instance = await DuckDBInstance.create(file, settings);
  try {
    const writer = await instance.connect();
    if (fresh) await writer.run(`begin; ${TABLES} commit;`);
    const [version] = await (await writer.run('select version from position')).getColumns();
    if (version?.length !== 1 || version[0] !== VERSION) throw new Error('the columns are of another version');
    const connections = [writer];
    return {
      writer,
      async connect() {
        const connection = await instance.connect();
        connections.push(connection);
        return openDuckDbReader(connection);
      },
      async rest() {
        await writer.run('checkpoint').catch(() => undefined);
        await writer.run(`set memory_limit = '${settings.memory_limit}'`);
      },
      interrupt() {
        for (const connection of connections) connection.interrupt();
      },
      size: () => fileSize(file) + fileSize(`${file}.wal`),
      close() {
        for (const connection of connections) connection.closeSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

const fileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Checks for faults that a new file repairs. DuckDB distinguishes them only by how the message begins. */
export const isDamage = (error: unknown): boolean =>
  /^(IO|INTERNAL|FATAL|Serialization|TransactionContext) Error|[Cc]orrupt|invalidated/.test(errorMessage(error)) &&
  !isFull(error);

export const isFull = (error: unknown): boolean => /no space left|quota exceeded/i.test(errorMessage(error));

export const errorMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};
