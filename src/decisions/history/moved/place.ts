/**
 * The tables of moved decisions in ClickHouse: one on one server; on a cluster one on each shard, and one that reads
 * all of these. Promise: a statement that reads a block throws where the block is not there as it was, on the server
 * that reads its rows. So a replica that is behind answers nothing, and no setting of the cluster is trusted for that.
 */
import {
  type ClickHouseCluster,
  copiesOf,
  distributed,
  ON_DISK,
  onCluster,
  quoted,
  REPLICAS,
  replicated,
} from '../clickhouse/replicated.ts';
import { integer } from '../columns/sql.ts';
import type { MovedBlock } from './blocks.ts';
import { RECORDS, RECORDS_DEFINITION, XOR_SQL } from './row.ts';

/** The rows of one shard. */
const RECORDS_SHARD = RECORDS.replace('_', '_shard_');

export interface MovedPlace {
  /** null: one server. */
  readonly cluster: ClickHouseCluster | null;
  /** The table whose rows a server reads itself. */
  readonly own: string;
  /** The table in statements that delete and update, on all servers. */
  readonly changed: string;
  /** A table of the rows of all replicas, each once a replica. */
  readonly everywhere: string;
}

const SERVER: MovedPlace = { cluster: null, own: RECORDS, changed: RECORDS, everywhere: RECORDS };

/** null: one server. */
export function placeOn(cluster: ClickHouseCluster | null): MovedPlace {
  if (cluster === null) return SERVER;
  return {
    cluster,
    own: RECORDS_SHARD,
    changed: `${RECORDS_SHARD}${onCluster({ cluster })}`,
    everywhere: copiesOf(cluster, RECORDS_SHARD),
  };
}

/** Returns statements that create the tables where they are missing. */
export function createSql({ cluster, changed }: MovedPlace): string[] {
  const create = 'create table if not exists';
  if (cluster === null) return [`${create} ${RECORDS} ${RECORDS_DEFINITION}`];
  const settings = `replicated_deduplication_window = 0, ${ON_DISK}`;
  return [
    `${create} ${changed} ${replicated(RECORDS_DEFINITION, RECORDS_SHARD, { ...REPLICAS, settings })}`,
    `${create} ${RECORDS}${onCluster({ cluster })} ${distributed(cluster, RECORDS_SHARD)}`,
  ];
}

/** Returns a statement that waits until replicas have what was written; null: there are none. */
export const syncSql = ({ cluster }: MovedPlace): string | null =>
  cluster === null ? null : `system sync replica${onCluster({ cluster })} ${RECORDS_SHARD}`;

/** Decisions that are in a block: neither retired nor purged. */
export function inBlock({ block, retiredTo, purged }: Pick<MovedBlock, 'block' | 'retiredTo' | 'purged'>): string {
  const gone = JSON.parse(purged) as number[];
  const isThere = gone.length === 0 ? '' : ` and content_no not in (${gone.map(integer).join(', ')})`;
  return `block = ${integer(block)} and seq > ${integer(retiredTo)}${isThere}`;
}

/**
 * Returns what a query reads the decisions of a block from, and the condition that it begins with. A block whose shard
 * no server has is counted by the one that is asked.
 */
export function fromBlock({ cluster, own }: MovedPlace, block: MovedBlock): string {
  const { rows, xor, shard } = block;
  const where = inBlock(block);
  const isOther = `(count(), ${XOR_SQL}) <> (${integer(rows)}, ${quoted(xor)})`;
  const unless = (other: string): string =>
    ` and 1 in (select toUInt8(throwIf(${other}, 'other') = 0) from ${own} where ${where})`;
  const from = `from ${RECORDS} where ${where}`;
  if (cluster === null) return from + unless(isOther);
  const isCounted = `(select throwIf(count() <> ${integer(rows)}, 'other') ${from}) = 0`;
  return `${from}${unless(`shardNum() = ${integer(shard)} and ${isOther}`)} and ${isCounted}`;
}

/** Returns undefined where a statement itself found that a block is not there as it was. */
export function unlessOther(error: unknown): undefined {
  if ((error as { type?: string }).type !== 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO') throw error;
}

const ON_SERVER = 'Decisions of this installation moved to one server of ClickHouse: unset POSTERN_COLUMNS_CLUSTER.';
const ON_CLUSTER = 'Decisions of this installation moved to a cluster of ClickHouse: set POSTERN_COLUMNS_CLUSTER, too.';

/** Returns why a place does not have blocks of a shard; undefined: it may have them. 0: on one server. */
export function isElsewhere({ cluster }: MovedPlace, shard: number): string | undefined {
  if ((shard === 0) === (cluster === null)) return undefined;
  return shard === 0 ? ON_SERVER : ON_CLUSTER;
}

/** A condition for blocks that a place may have. */
export const isHere = ({ cluster }: MovedPlace): string => (cluster === null ? 'shard = 0' : 'shard > 0');
