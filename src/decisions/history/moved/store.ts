/** ClickHouse as the place of moved decisions. Promise: what cannot be read is refused with a sentence. */
import { unavailable } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import { clusterOf } from '../clickhouse/settings.ts';
import type { ClickHouse } from '../clickhouse/store.ts';
import { createSql, type MovedPlace, placeOn, syncSql, unlessOther } from './place.ts';
import { RECORDS } from './row.ts';

/** Opened by the first query, and again after a failure. Every method may throw service_unavailable. */
export interface MovedStore {
  /** False: this node does not know where ClickHouse is. */
  readonly isKnown: boolean;
  readonly place: MovedPlace;
  query(sql: string): Promise<unknown[][]>;
  /** Returns undefined where the query itself found that a block is not there as it was: see place.ts. */
  queryWhole(sql: string): Promise<unknown[][] | undefined>;
  run(sql: string): Promise<void>;
  /** `shard`: see shardFor. */
  insert(rows: Buffer, shard: number): Promise<void>;
  /** Creates the tables where they are missing. */
  create(): Promise<void>;
  /** Waits until all replicas have what was written. Returns false where there are none. */
  sync(): Promise<boolean>;
  /** Returns the shard for a block of so many decisions from a number on; 0: there is one server. */
  shardFor(first: number, rows: number): Promise<number>;
  close(): Promise<void>;
}

interface Opened {
  store: Promise<ClickHouse>;
  /** Requests that run. */
  users: number;
}

const open = async (url: string): Promise<ClickHouse> => (await import('../clickhouse/store.ts')).openClickHouse(url);

const close = async (opened: Opened | undefined): Promise<void> => {
  await (await opened?.store.catch(() => undefined))?.close().catch(() => undefined);
};

/** `url`: as the settings have it; null: this node knows no ClickHouse, and can read nothing that moved. */
export function openMovedStore(url: string | null): MovedStore {
  const place = placeOn(url === null ? null : clusterOf(url));
  let opened: Opened | undefined;
  let isClosed = false;
  const use = async <T>(work: (store: ClickHouse) => Promise<T>): Promise<T> => {
    if (url === null) throw unavailable(UNKNOWN);
    if (isClosed) throw unavailable('The service is stopping.');
    const own = (opened ??= { store: open(url), users: 0 });
    own.users += 1;
    try {
      return await work(await own.store);
    } catch (cause) {
      if (opened === own) opened = undefined;
      throw unavailable(`Decisions that moved to ClickHouse cannot be read now: ${(cause as Error).message}.`, cause);
    } finally {
      own.users -= 1;
      // What others ask meanwhile goes on.
      if (opened !== own && own.users === 0) await close(own);
    }
  };
  const run = (sql: string): Promise<void> => use((store) => store.run(sql));
  const create = async (): Promise<void> => {
    for (const sql of createSql(place)) await run(sql);
  };
  return {
    isKnown: url !== null,
    place,
    query: (sql) => use(async (store) => (await store.query(sql)).rows),
    queryWhole: (sql) => use(async (store) => (await store.query(sql).catch(unlessOther))?.rows),
    run,
    insert: (rows, shard) => use((store) => store.insert(RECORDS, rows, { shard })),
    create,
    async sync() {
      const sql = syncSql(place);
      if (sql === null) return false;
      // A server may be new.
      await create();
      await run(sql);
      return true;
    },
    shardFor: (first, rows) =>
      use(async (store) => (await import('../clickhouse/cluster.ts')).shardFor(store, first, rows)),
    async close() {
      isClosed = true;
      await close(opened);
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
