/**
 * Serves the HTTP interface of ClickHouse over its own engine (chdb), as a process of its own: a crash is a SIGKILL.
 * `POST /fault` makes requests go wrong.
 */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Fault } from '../clickhouse.ts';

interface Result {
  bytes(): Uint8Array;
}
interface Session {
  query(sql: string, format?: string): Result & string;
  queryAsync(sql: string, options?: { format: string }): Promise<Result>;
  close(): void;
}
const { Session } = createRequire(import.meta.url)('chdb') as {
  Session: new (folder: string, options?: { connectionArgs: string[] }) => Session;
};

const [folder = '', user = '', password = '', , cluster = ''] = process.argv.slice(2);

/**
 * A cluster, in one process: its only shard is this engine, which Distributed tables really read and write. Its Keeper
 * is a stub that takes tables and no rows. So tables are not replicated, and statements on the cluster are for this
 * engine; a statement that begins with AS_IT_IS stays so. In `twice`, it is both shards.
 */
const AS_IT_IS = '/* as it is */';
const shardAt = (host: string): string => `<shard><replica><host>${host}</host><port>9000</port></replica></shard>`;
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <${cluster}>${shardAt('127.0.0.1')}</${cluster}>
    <twice>${shardAt('127.0.0.1')}${shardAt('localhost')}</twice>
  </remote_servers>
  <zookeeper><implementation>testkeeper</implementation></zookeeper>
  <macros><shard>1</shard><replica>a</replica></macros>
</clickhouse>`;
/** Statements that make tables what they are once they were waited for. */
const behind = new Map<string, string>();
function syncOnce(table: string): string {
  const sql = behind.get(table) ?? 'select 1';
  behind.delete(table);
  return sql;
}
const toAlone = (sql: string): string =>
  sql
    .replace(/ on cluster `[^`]+`/, '')
    .replace(
      /Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, (\w+))?\)/,
      (_, engine, version = '') => `${engine}(${version})`,
    )
    .replace(
      / settings replicated_deduplication_window = (\d+).*/,
      ' settings non_replicated_deduplication_window = $1',
    )
    .replace(/^system sync replica (?:on cluster `[^`]+` )?(\w+)/, (_, table) => syncOnce(table));
const toEngineSql = (sql: string): string => (cluster === '' || sql.startsWith(AS_IT_IS) ? sql : toAlone(sql));

function connectionArgs(): string[] {
  if (cluster === '') return [];
  const file = `${folder}.xml`;
  writeFileSync(file, CONFIG);
  return [`--config-file=${file}`];
}

/** Parameters of a request that are no settings of the engine. */
const NO_SETTINGS = new Set(
  'query query_id database session_id session_timeout session_check default_format enable_http_compression role user password wait_end_of_query buffer_size compress decompress send_progress_in_http_headers http_headers_progress_interval_ms cancel_http_readonly_queries_on_client_close'.split(
    ' ',
  ),
);
/** The status that a server answers an error's code with. */
const STATUS: Record<string, number> = {
  62: 400,
  36: 400,
  27: 400,
  60: 404,
  81: 404,
  46: 404,
  47: 404,
  159: 408,
  516: 403,
};

/** The engine lives as long as one session. */
const first = new Session(folder, { connectionArgs: connectionArgs() });
const sessions = new Map<string, Session>();
/** Sessions with a query. */
const busy = new Set<string>();
let faults: Fault[] = [];
/** Each ends the wait of a late request. */
let releases: (() => void)[] = [];
const running = new Set<Promise<void>>();
let defaults: Record<string, string | number> = {};
const statements: string[] = [];
/** The name that it answers by. */
let server = 'one';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

function fail(response: ServerResponse, error: unknown): void {
  const text = (error as Error).message.replace(/^.*?(?=Code: \d+)/s, '');
  const code = /Code: (\d+)/.exec(text)?.[1] ?? '1002';
  response.writeHead(STATUS[code] ?? 500, { 'x-clickhouse-exception-code': code });
  response.end(`${text.trimEnd()} (version 26.7.2.1 (official build))\n`);
}

/** Takes a fault that matches, and makes it happen; returns whether the request is over. */
async function failed(when: Fault['when'], sql: string, response: ServerResponse): Promise<boolean> {
  const fault = faults.find((one) => one.when === when && sql.includes(one.sql));
  if (fault === undefined) return false;
  fault.times -= 1;
  faults = faults.filter(({ times }) => times > 0);
  if (fault.kind === 'late') response.destroy();
  if (fault.kind === 'slow') await pause(fault.ms ?? 0);
  else if (fault.kind === 'late') await untilReleased(fault.ms ?? 0);
  else if (fault.kind === 'lost') response.end();
  else if (fault.kind === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (fault.kind === 'full')
    throw new Error('Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space.');
  else response.destroy();
  return fault.kind !== 'slow' && fault.kind !== 'late';
}

function untilReleased(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    releases.push(resolve);
  });
}

function authorize(request: IncomingMessage): void {
  const basic = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
  const given = `${request.headers['x-clickhouse-user'] ?? ''}:${request.headers['x-clickhouse-key'] ?? ''}`;
  if (![basic, given].includes(`${user}:${password}`))
    throw new Error(
      `Code: 516. DB::Exception: ${given.split(':')[0]}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    );
}

/** Sessions on one folder run beside each other. */
function sessionFor(id: string): Session {
  const session = sessions.get(id) ?? new Session(folder);
  if (id !== '') sessions.set(id, session);
  return session;
}

function prepare(session: Session, params: URLSearchParams): void {
  const settings = [...Object.entries(defaults).map(([name, value]) => [name, String(value)] as const), ...params]
    .filter(([name]) => !NO_SETTINGS.has(name))
    .map(
      ([name, value]) =>
        `${name}=${/^-?\d+(\.\d+)?$/.test(value) && !name.startsWith('param_') ? value : quote(value)}`,
    );
  if (params.has('database')) session.query(`use \`${params.get('database')}\``);
  if (settings.length > 0) session.query(`set ${settings.join(', ')}`);
}

async function run(session: Session, query: string | null, body: Buffer, format: string): Promise<Buffer> {
  if (query === null || body.length === 0) {
    return Buffer.from((await session.queryAsync(toEngineSql(query ?? body.toString()), { format })).bytes());
  }
  // Not inline: the engine in process ends binary data at the first empty line, without an error.
  const file = join(tmpdir(), `clickhouse-${randomUUID()}`);
  writeFileSync(file, body);
  const sql = query
    .trimEnd()
    .replace(/\bformat\s+(\w+)\s*$/i, (_, name) => `from infile ${quote(file)} format ${name}`);
  try {
    await session.queryAsync(sql);
    return Buffer.alloc(0);
  } finally {
    rmSync(file, { force: true });
  }
}

/** Requests of tests, by path; some have an answer. */
const ORDERS: Record<string, (body: string) => string | undefined | Promise<undefined>> = {
  '/fault': (body) => {
    faults = JSON.parse(body) as Fault[];
    return undefined;
  },
  '/release': async () => {
    for (const release of releases) release();
    releases = [];
    await Promise.allSettled(running);
    return undefined;
  },
  '/left': () => JSON.stringify(faults.reduce((sum, { times }) => sum + times, 0)),
  '/defaults': (body) => {
    defaults = JSON.parse(body) as typeof defaults;
    return undefined;
  },
  '/server': (body) => {
    server = body;
    return undefined;
  },
  '/behind': (body) => {
    const { table, sql } = JSON.parse(body) as { table: string; sql: string };
    behind.set(table, sql);
    return undefined;
  },
  '/statements': () => JSON.stringify(statements),
};

function send(response: ServerResponse, queryId: string, answer: Buffer): void {
  const summary = { read_rows: '0', read_bytes: '0', written_rows: '0', written_bytes: '0', total_rows_to_read: '0' };
  response.writeHead(200, {
    'x-clickhouse-server-display-name': server,
    'x-clickhouse-query-id': queryId,
    'x-clickhouse-summary': JSON.stringify({ ...summary, result_rows: '0', result_bytes: '0', elapsed_ns: '0' }),
  });
  response.end(answer);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: params } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/ping') return void response.end('Ok.\n');
  const body = await bodyOf(request);
  const order = ORDERS[pathname];
  if (order !== undefined) return void response.end(await order(body.toString()));
  authorize(request);
  const work = answerTo(body, params, response);
  running.add(work);
  await work.finally(() => running.delete(work));
}

async function answerTo(body: Buffer, params: URLSearchParams, response: ServerResponse): Promise<void> {
  const sql = params.get('query') ?? body.toString();
  statements.push([sql, ...[...params].map(([name, value]) => `${name}=${value}`)].join(' '));
  if (await failed('before', sql, response)) return;
  const id = params.get('session_id') ?? '';
  if (busy.has(id)) throw new Error(`Code: 373. DB::Exception: Session ${id} is locked by a concurrent client.`);
  const session = sessionFor(id);
  if (id !== '') busy.add(id);
  try {
    prepare(session, params);
    const found = await run(session, params.get('query'), body, params.get('default_format') ?? 'TabSeparated');
    if (await failed('after', sql, response)) return;
    send(response, params.get('query_id') ?? '', found);
  } catch (error) {
    // A session would keep the tables of a query that failed, which could not be dropped.
    sessions.delete(id);
    throw error;
  } finally {
    busy.delete(id);
    if (!sessions.has(id)) session.close();
  }
}

const http = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
  handle(request, response).catch((error: unknown) => fail(response, error));
});
http.keepAliveTimeout = 10_000;
http.listen(Number(process.argv[5] ?? 0), '127.0.0.1', () => {
  first.query('select 1');
  process.send?.((http.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit());
