/** ClickHouse as the place of moved decisions. Promise: what cannot be read is refused with a sentence. */
import { unavailable } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import type { ClickHouse } from '../clickhouse/store.ts';

/** Opened by the first query, and again after a failure. Every method may throw service_unavailable. */
export interface MovedStore {
  /** False: this node does not know where ClickHouse is. */
  readonly isKnown: boolean;
  query(sql: string): Promise<unknown[][]>;
  run(sql: string): Promise<void>;
  insert(table: string, rows: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** `url`: as the settings have it; null: this node knows no ClickHouse, and can read nothing that moved. */
export function openMovedStore(url: string | null): MovedStore {
  let opened: Promise<ClickHouse> | undefined;
  let isClosed = false;
  const use = async <T>(work: (store: ClickHouse) => Promise<T>): Promise<T> => {
    if (url === null) throw unavailable(UNKNOWN);
    if (isClosed) throw unavailable('The service is stopping.');
    try {
      const { openClickHouse } = await import('../clickhouse/store.ts');
      opened ??= openClickHouse(url);
      return await work(await opened);
    } catch (cause) {
      const failed = opened;
      opened = undefined;
      await (await failed?.catch(() => undefined))?.close().catch(() => undefined);
      throw unavailable(`Decisions that moved to ClickHouse cannot be read now: ${(cause as Error).message}.`, cause);
    }
  };
  return {
    isKnown: url !== null,
    query: (sql) => use(async (store) => (await store.query(sql)).rows),
    run: (sql) => use((store) => store.run(sql)),
    insert: (table, rows) => use((store) => store.insert(table, rows)),
    async close() {
      isClosed = true;
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

export const UNKNOWN = 'Decisions of this installation moved to ClickHouse: set POSTERN_COLUMNS on this node, too.';

const NOWHERE = openMovedStore(null);
const STORES = new WeakMap<Db, MovedStore>();

/** From now on, reads of the decisions of `db` find those that moved in `store`. */
export function keepStore(db: Db, store: MovedStore): void {
  STORES.set(db, store);
}

export const storeOf = (db: Db): MovedStore => STORES.get(db) ?? NOWHERE;
