/**
 * Definitions of tables in ClickHouse. On a cluster: statements that create and change them, and queries that read all
 * copies.
 */

/** A cluster in the settings of ClickHouse, and the database in it. */
export interface ClickHouseCluster {
  name: string;
  database: string;
}

/** Settings of a table whose rows are on the disk when they are acknowledged. */
export const ON_DISK = 'fsync_after_insert = 1, fsync_part_directory = 1';

export const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Returns the words after the name of a table in statements that are for all servers. */
export const onCluster = ({ cluster }: { cluster: ClickHouseCluster | null }): string =>
  cluster === null ? '' : ` on cluster \`${cluster.name}\``;

/** Returns what a query reads the rows of all replicas from, each once a replica. */
export const copiesOf = ({ name, database }: ClickHouseCluster, table: string): string =>
  `clusterAllReplicas(${quoted(name)}, ${quoted(database)}, ${quoted(table)})`;

/** The definition of a table that reads the tables of all shards. */
export const distributed = ({ name, database }: ClickHouseCluster, shard: string): string =>
  `as ${shard} engine = Distributed(${quoted(name)}, ${quoted(database)}, ${quoted(shard)})`;

/** Copies of a table: their path in the Keeper after its name, and this server's name there. */
export interface Copies {
  under: string;
  own: string;
  settings: string;
}
/** A table whose rows differ by shard. */
export const REPLICAS = { under: '/{shard}', own: '{replica}' };

/** Returns the definition of a table, with copies of it. */
export function replicated(definition: string, name: string, { under, own, settings }: Copies): string {
  const [create = ''] = definition.split(/\s+settings /);
  const path = `/clickhouse/tables/{database}/${name}${under}`;
  const toEngine = (_: string, kind: string, version?: string): string =>
    `engine = Replicated${kind}MergeTree('${path}', '${own}'${version === undefined ? '' : `, ${version}`})`;
  return `${create.replace(/engine = (\w*)MergeTree(?:\((\w+)\))?/, toEngine)} settings ${settings}`;
}
