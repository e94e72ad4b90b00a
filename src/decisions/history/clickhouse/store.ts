/**
 * ClickHouse over HTTP. Promise: nothing depends on a server's defaults, which changed between versions: every request
 * carries all settings that a result or an insert depends on.
 */
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { toFailed } from './failed.ts';
import type { ClickHouseCluster } from './replicated.ts';
import { clusterOf, placeName } from './settings.ts';

/** Longer questions are refused by the server; with what the client waits, less than writers wait for each other. */
const RUN_WITHIN_S = 30;
export const REQUEST_WITHIN_MS = RUN_WITHIN_S * 1_000 + 5_000;

/** Above the rows and bytes of every block: an insert is atomic only as one part. */
const BLOCK_ROWS_MAX = 1_048_576;
const BLOCK_BYTES_MAX = 1_073_741_824;

const QUERY_BYTES_MAX = 16_777_216;

/** The memory of a query; larger groups and sorts go by way of the disk. */
const MEMORY_MAX = 4_294_967_296;

const SETTINGS: ClickHouseSettings = {
  max_execution_time: RUN_WITHIN_S,
  wait_end_of_query: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  session_timezone: 'UTC',
  output_format_json_quote_64bit_integers: 0,
  // Lists of numbers.
  max_query_size: String(QUERY_BYTES_MAX),
  // A part of an answer is none.
  timeout_overflow_mode: 'throw',
  timeout_overflow_mode_leaf: 'throw',
  result_overflow_mode: 'throw',
  read_overflow_mode: 'throw',
  read_overflow_mode_leaf: 'throw',
  group_by_overflow_mode: 'throw',
  sort_overflow_mode: 'throw',
  set_overflow_mode: 'throw',
  distinct_overflow_mode: 'throw',
  join_overflow_mode: 'throw',
  transfer_overflow_mode: 'throw',
  // Nor is one of before.
  use_query_cache: 0,
  apply_deleted_mask: 1,
  enable_analyzer: 1,
  output_format_json_quote_64bit_floats: 0,
  // As in DuckDB.
  prefer_column_name_to_alias: 1,
  join_use_nulls: 1,
  group_by_use_nulls: 1,
  data_type_default_nullable: 0,
  transform_null_in: 0,
  join_default_strictness: 'ALL',
  aggregate_functions_null_for_empty: 0,
  empty_result_for_aggregation_by_empty_set: 0,
  count_distinct_implementation: 'uniqExact',
  enable_positional_arguments: 1,
  limit: '0',
  offset: '0',
  final: 0,
  extremes: 0,
  // A question must leave room for the others and for the server's own work.
  max_memory_usage: String(MEMORY_MAX),
  max_bytes_before_external_group_by: String(MEMORY_MAX / 2),
  max_bytes_before_external_sort: String(MEMORY_MAX / 2),
  cast_keep_nullable: 1,
  joined_subquery_requires_alias: 0,
  // Deletions and updates are done when they are answered.
  mutations_sync: '2',
  lightweight_deletes_sync: '2',
  // A report fails rather than be short.
  skip_unavailable_shards: 0,
  fallback_to_stale_replicas_for_distributed_queries: 0,
  load_balancing: 'in_order',
  async_insert: 0,
  insert_deduplicate: 1,
  max_insert_block_size: String(BLOCK_ROWS_MAX),
  min_insert_block_size_rows: String(BLOCK_ROWS_MAX),
  min_insert_block_size_bytes: String(BLOCK_BYTES_MAX),
  input_format_parallel_parsing: 0,
  max_insert_threads: '1',
};
/** On a cluster, in seconds: less than a request waits. */
const REPLICAS_WITHIN_S = 25;

const CLUSTER_SETTINGS: ClickHouseSettings = {
  // Stored on the shard, and by most of its replicas, when it is acknowledged; one insert at a time.
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  insert_quorum_timeout: REPLICAS_WITHIN_S * 1_000,
  select_sequential_consistency: '1',
  // Changes are done on all replicas when they are answered.
  alter_sync: '2',
  distributed_ddl_task_timeout: String(REPLICAS_WITHIN_S),
  distributed_ddl_output_mode: 'throw',
  receive_timeout: REPLICAS_WITHIN_S,
  // A shard answers from one replica, and counts what that one has: see guard.ts.
  max_parallel_replicas: '1',
  allow_experimental_parallel_reading_from_replicas: '0',
  use_hedged_requests: 0,
  prefer_localhost_replica: 1,
};
/** Since this version it rules over `insert_deduplicate`; older servers do not know it. */
const DEDUPLICATE_SINCE = [26, 2];
/** Since this version, what a statement counts and what it reads are always of one time. */
const SNAPSHOT_SINCE = [25, 12];
/** Before this version, what it remembers of conditions made answers too small: ClickHouse#83445, #105686, #108488. */
const CONDITIONS_RIGHT_SINCE = [26, 7];
/** Tested; older ones read the SQL of the questions otherwise. */
const LEAST_VERSION = [25, 3];

export interface ClickHouse {
  readonly version: string;
  /** null: there is one server. */
  readonly cluster: ClickHouseCluster | null;
  /** Returns the server that answered last, and how often another one did than before; of a cluster. */
  server(): { name: string; moves: number };
  /** Returns the rows of a query, each in the order of its columns, and their names. */
  query(sql: string, session?: string): Promise<{ names: string[]; rows: unknown[][] }>;
  /** Returns the answer in ClickHouse's binary format. */
  binary(sql: string, session?: string): Promise<Buffer>;
  run(sql: string, session?: string): Promise<void>;
  /**
   * Inserts rows as one part, in the binary format if none is named. A repetition of the token is stored once. `shard`:
   * 0 is none.
   */
  insert(
    table: string,
    rows: Buffer,
    by?: { token?: string; session?: string; shard?: number; format?: 'Native' },
  ): Promise<void>;
  close(): Promise<void>;
}

/**
 * `url`: as the settings have it. `signal`: aborted, all requests fail at once. Throws a sentence where the server
 * cannot be used.
 */
export async function openClickHouse(url: string, { signal }: { signal?: AbortSignal } = {}): Promise<ClickHouse> {
  const { protocol, host, username, password, pathname } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const client = createClient({
    url: `${protocol === 'clickhouses:' ? 'https' : 'http'}://${host}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    application: 'postern',
    request_timeout: REQUEST_WITHIN_MS,
    keep_alive: { enabled: true, idle_socket_ttl: 2_500, eagerly_destroy_stale_sockets: true },
    // Errors are ours to log; 127 is above all levels.
    log: { level: 127 },
  });
  try {
    return withSentences(await withSettings(client, clusterOf(url), signal), placeName(url));
  } catch (error) {
    await client.close();
    throw error instanceof TooOld ? error : toFailed(error, placeName(url));
  }
}

class TooOld extends Error {}

async function withSettings(
  client: ClickHouseClient,
  cluster: ClickHouse['cluster'],
  signal: AbortSignal | undefined,
): Promise<ClickHouse> {
  // Each request listens to it.
  if (signal !== undefined) setMaxListeners(0, signal);
  const abort = signal === undefined ? {} : { abort_signal: signal };
  const answer = await client.query({ query: 'select version()', format: 'JSONCompact', ...abort });
  const version = String((await answer.json<[string]>()).data[0]?.[0]);
  if (isBefore(version, LEAST_VERSION)) {
    throw new TooOld(`ClickHouse ${version} is too old: the columns need ${LEAST_VERSION.join('.')} or newer`);
  }
  const { server, note } = answering(cluster !== null);
  note(answer.response_headers);
  const settings = settingsFor(version, cluster !== null);
  const all = (session?: string) => ({
    clickhouse_settings: settings,
    ...abort,
    ...(session === undefined ? {} : { session_id: session }),
  });
  return {
    version,
    cluster,
    server,
    async query(query, session) {
      const result = await client.query({ query, format: 'JSONCompact', ...all(session) });
      note(result.response_headers);
      const { meta = [], data } = await result.json<unknown[]>();
      return { names: meta.map(({ name }) => name), rows: data };
    },
    async binary(sql, session) {
      const { stream, response_headers } = await client.exec({ query: `${sql} format RowBinary`, ...all(session) });
      note(response_headers);
      return Buffer.concat(await stream.toArray());
    },
    async run(query, session) {
      note((await client.command({ query, ...all(session) })).response_headers);
    },
    async insert(table, rows, { token, session, shard = 0, format = 'RowBinary' } = {}) {
      // The server refuses it.
      if (rows.length === 0) return;
      const clickhouse_settings = {
        ...settings,
        ...(token === undefined ? {} : { insert_deduplication_token: token }),
        ...(shard === 0 ? {} : { insert_shard_id: String(shard) }),
      };
      const query = `insert into ${table} format ${format}`;
      const { stream, response_headers } = await client.exec({
        query,
        values: Readable.from([rows]),
        ...all(session),
        clickhouse_settings,
      });
      note(response_headers);
      stream.resume();
    },
    close: () => client.close(),
  };
}

const settingsFor = (version: string, onCluster: boolean): ClickHouseSettings => ({
  ...SETTINGS,
  ...(onCluster ? CLUSTER_SETTINGS : {}),
  ...(isBefore(version, DEDUPLICATE_SINCE) ? {} : { deduplicate_insert: 'enable' }),
  ...(isBefore(version, SNAPSHOT_SINCE) ? {} : { enable_shared_storage_snapshot_in_query: 1 }),
  ...(isBefore(version, CONDITIONS_RIGHT_SINCE) ? { use_query_condition_cache: 0 } : {}),
});

/** Knows which server answered last, by its name in answers. */
function answering(isKnown: boolean): Pick<ClickHouse, 'server'> & { note(headers: Record<string, unknown>): void } {
  let server = { name: '', moves: 0 };
  return {
    server: () => server,
    note(headers) {
      const name = String(headers['x-clickhouse-server-display-name'] ?? '');
      if (isKnown && (name !== server.name || server.moves === 0)) server = { name, moves: server.moves + 1 };
    },
  };
}

/** Returns a store whose errors are sentences. */
function withSentences(store: ClickHouse, place: string): ClickHouse {
  const within = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toFailed(error, place);
    }
  };
  return {
    version: store.version,
    cluster: store.cluster,
    server: store.server,
    query: (sql, session) => within(store.query(sql, session)),
    binary: (sql, session) => within(store.binary(sql, session)),
    run: (sql, session) => within(store.run(sql, session)),
    insert: (table, rows, token) => within(store.insert(table, rows, token)),
    close: () => store.close(),
  };
}

function isBefore(version: string, [year = 0, month = 0]: readonly number[]): boolean {
  const [own = 0, ownMonth = 0] = version.split('.').map(Number);
  return own < year || (own === year && ownMonth < month);
}
