/**
 * The columns on a cluster of ClickHouse. Promise: answers are as exact as those of one server, also while replicas
 * are behind, and no setting of a server is trusted for that.
 * Decisions are on one shard each, a block at a time; a `Distributed` table reads all of them. All other tables are
 * small, and each server has them. The server of a shard that answers a question counts in the same statement what it
 * has, and refuses where that is not what PostgreSQL says. Small tables are read on the server that is asked: where
 * that is not the one that was written to, they are first waited for.
 */
import { integer } from '../columns/sql.ts';
import { NEWEST_SQL } from './guard.ts';
import { copiesOf, onCluster, quoted } from './replicated.ts';
import type { ColumnsState } from './state.ts';
import type { ClickHouse } from './store.ts';
import { defineTables, SHARD, SMALL, type TableName, table } from './tables.ts';

/** Returns what a statement that deletes or updates names as its table. */
export const changed = (store: ClickHouse, name: TableName): string =>
  store.cluster !== null && name === 'decisions' ? `${SHARD}${onCluster(store)}` : table(name);

/** Returns what a query reads the rows of all replicas from, each once a replica. */
export function everywhere({ cluster }: ClickHouse, name: TableName): string {
  if (cluster === null) return table(name);
  return copiesOf(cluster, name === 'decisions' ? SHARD : table(name));
}

/** Returns the bytes of all tables. */
export async function measureBytes(store: ClickHouse): Promise<number> {
  const { cluster } = store;
  // Its parts would take a grant of their own.
  const [tables, database] =
    cluster === null
      ? ['system.tables', 'currentDatabase()']
      : [`clusterAllReplicas(${quoted(cluster.name)}, system.tables)`, quoted(cluster.database)];
  const { rows } = await store.query(`select sum(total_bytes) from ${tables} where database = ${database}`);
  return (rows[0]?.[0] as number) ?? 0;
}

/** Returns the shard for decisions from a number on; 0: there is no cluster. It is kept with the block. */
export async function shardFor(store: ClickHouse, first: number, rowsOfBlock: number): Promise<number> {
  const count = await countShards(store);
  return count === 0 ? 0 : 1 + (Math.floor(first / rowsOfBlock) % count);
}

export async function countShards({ cluster, query }: ClickHouse): Promise<number> {
  if (cluster === null) return 0;
  const { rows } = await query(`select count() from cluster(${quoted(cluster.name)}, system.one)`);
  return rows[0]?.[0] as number;
}

/** Adds rows to a shard; shards that came later have none yet. */
export function addToShard(state: ColumnsState, shard: number, rows: number): void {
  if (state.shards === null || shard === 0) return;
  while (state.shards.length < shard) state.shards.push(0);
  state.shards[shard - 1] = (state.shards[shard - 1] as number) + rows;
}

/** Counts what each shard has, and sums up the newest block, once their rows have changed. */
export async function countShardsAgain(store: ClickHouse, state: ColumnsState): Promise<void> {
  if (state.shards === null) return;
  const { to, newest } = state;
  const decisions = table('decisions');
  const { rows } = await store.query(
    `select _shard_num, count() from ${decisions} where seq <= ${integer(to)} group by _shard_num`,
  );
  state.shards = state.shards.map((_, i) => (rows.find(([shard]) => shard === i + 1)?.[1] as number) ?? 0);
  const sql = `select ${NEWEST_SQL} from ${decisions} where seq >= ${integer(newest.first)} and seq <= ${integer(to)}`;
  state.newest = { ...newest, sums: ((await store.query(sql)).rows[0] ?? []).slice(1) as number[] };
}

/** Looks again, once replicas have what was written, where what was found may be of one that is behind. */
export async function lookTwice<T>(
  store: ClickHouse,
  look: () => Promise<T>,
  isFine: (found: T) => boolean,
): Promise<T> {
  const found = await look();
  if (store.cluster === null || isFine(found)) return found;
  // A server may be new.
  await defineTables(store);
  await store.run(`system sync replica${onCluster(store)} ${SHARD}`);
  await syncSmall(store);
  return look();
}

async function syncSmall(store: ClickHouse): Promise<void> {
  for (const name of SMALL) await store.run(`system sync replica ${table(name)}`);
}

/** The server of a cluster that answers; each question and each step has all answers from one. */
export class AnsweringServer {
  readonly #store: ClickHouse;
  /** The server has all of this step, as of this number of `store.server`. */
  #settled = { moves: 0, done: -1 };

  constructor(store: ClickHouse) {
    this.#store = store;
  }

  /** The number of times that another server answered than before. */
  get moves(): number {
    return this.#settled.moves;
  }

  /** Waits until it has all that was written through others. Throws where yet another one answers. */
  async settle({ server, done, isNew }: ColumnsState): Promise<void> {
    const { name, moves } = this.#store.server();
    const isSettled = moves === this.#settled.moves && (name === server || done === this.#settled.done);
    if (this.#store.cluster === null || isSettled) return;
    if (!isNew) await syncSmall(this.#store);
    this.#settled = { moves, done };
    this.assertSame();
  }

  /** Returns its name. Throws where another one answered since. */
  assertSame(): string {
    const { name, moves } = this.#store.server();
    if (moves !== this.moves) throw new Error('another server of the cluster of ClickHouse answers');
    return name;
  }
}
