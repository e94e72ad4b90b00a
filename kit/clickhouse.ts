/** ClickHouse for tests: its own engine behind its HTTP interface, with faults. Installed when it is first needed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installEngine } from './clickhouse/install.ts';
import { temporaryFolder } from './launch.ts';

/**
 * A fault of requests whose SQL has this text: before the engine sees them, or once it has done what they say. `late`:
 * cut, and done later; `lost`: answered, and not done.
 */
export interface Fault {
  when: 'before' | 'after';
  sql: string;
  kind: 'cut' | 'slow' | 'kill' | 'full' | 'late' | 'lost';
  times: number;
  /** The wait of a slow one; of a late one at most, see `release`. */
  ms?: number;
}

const FOLDER = join(import.meta.dirname, 'clickhouse');
const [USER, PASSWORD] = ['postern', 'a password: @/?'];

/** A real server, for the tests that need no faults, and a cluster of it: see CONTRIBUTING. */
const { POSTERN_TEST_CLICKHOUSE: REAL, POSTERN_TEST_CLICKHOUSE_CLUSTER: REAL_CLUSTER } = process.env;
export const isReal = REAL !== undefined;
export const hasCluster = !isReal || REAL_CLUSTER !== undefined;

let shared: Promise<TestClickHouse> | undefined;

/** A server that all tests of a process share; it ends with the process. */
export function testClickHouse(): Promise<TestClickHouse> {
  shared ??= new TestClickHouse().start();
  return shared;
}

export class TestClickHouse implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  #child: ChildProcess | undefined;
  #port = 0;
  #place = new URL('http://127.0.0.1');
  #onCluster = '';
  #databases = 0;
  readonly #cluster: string;

  /** `cluster`: the name of a cluster in its settings, whose only server it is. */
  constructor({ cluster = '' }: { cluster?: string } = {}) {
    this.#cluster = isReal ? (REAL_CLUSTER ?? '') : cluster;
    if (isReal && this.#cluster !== '') this.#onCluster = ` on cluster \`${this.#cluster}\``;
    process.once('exit', () => this.#folder[Symbol.dispose]());
  }

  async start(): Promise<this> {
    if (REAL !== undefined) {
      this.#place = new URL(REAL.replace(/^clickhouse/, 'http'));
      return this;
    }
    installEngine();
    const child = fork(join(FOLDER, 'server.ts'), [
      join(this.#folder.path, 'data'),
      USER,
      PASSWORD,
      String(this.#port),
      this.#cluster,
    ]);
    this.#child = child;
    const [port] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])) as [
      number?,
    ];
    if (port === undefined) throw new Error('the test server of ClickHouse ended');
    this.#port = port;
    this.#place = new URL(`http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`);
    child.unref();
    child.channel?.unref();
    return this;
  }

  /** Returns the URL of an empty database, as POSTERN_COLUMNS takes it. */
  async newDatabase(): Promise<string> {
    const name = `postern_${isReal ? `${process.pid}_` : ''}${++this.#databases}`;
    await this.query(`create database ${name}${this.#onCluster}`, 'default');
    const { protocol, username, password, host } = this.#place;
    return `${protocol.replace('http', 'clickhouse')}//${username}:${password}@${host}/${name}${this.#cluster === '' ? '' : `?cluster=${this.#cluster}`}`;
  }

  /** Returns the answer's text. `session`: with the temporary tables of that one. */
  async query(sql: string, database: string, session?: string): Promise<string> {
    const own = session === undefined ? '' : `&session_id=${session}`;
    const { protocol, host, username, password } = this.#place;
    const response = await fetch(`${protocol}//${host}/?database=${database}${own}`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': decodeURIComponent(username), 'x-clickhouse-key': decodeURIComponent(password) },
      body: sql,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.trim();
  }

  async fail(...faults: Fault[]): Promise<void> {
    await this.#order('fault', JSON.stringify(faults));
  }

  /** Lets late requests go on, and returns when all requests that run are done. */
  async release(): Promise<void> {
    await this.#order('release', '');
  }

  /** Returns how often faults will happen yet. */
  async faultsLeft(): Promise<number> {
    return (await (await this.#order('left', '')).json()) as number;
  }

  /** Gives every request these settings, unless it has its own: the defaults of another server. */
  async setDefaults(settings: Record<string, string | number>): Promise<void> {
    await this.#order('defaults', JSON.stringify(settings));
  }

  /** Answers by another name from now on, as another server of the cluster does. */
  async rename(name: string): Promise<void> {
    await this.#order('server', name);
  }

  /** The next time that replicas of a table are waited for, this statement runs: until then they are behind. */
  async catchUpBy(table: string, sql: string): Promise<void> {
    await this.#order('behind', JSON.stringify({ table, sql }));
  }

  /** Returns what a server would log: the text of each statement, with its settings, and no inserted rows. */
  async statements(): Promise<string[]> {
    return (await (await this.#order('statements', '')).json()) as string[];
  }

  /** The process of the engine. */
  get pid(): number {
    return this.#child?.pid as number;
  }

  /** Ended, and not started again. */
  get isGone(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** Where the engine keeps its data. */
  get folder(): string {
    return join(this.#folder.path, 'data');
  }

  /** Keeps a copy of all data; the engine is killed for it, and started again. */
  async copy(): Promise<void> {
    await this.kill();
    rmSync(`${this.folder}-copy`, { recursive: true, force: true });
    cpSync(this.folder, `${this.folder}-copy`, { recursive: true, verbatimSymlinks: true });
    await this.start();
  }

  /** Replaces all data with the copy. */
  async restore(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true });
    cpSync(`${this.folder}-copy`, this.folder, { recursive: true, verbatimSymlinks: true });
    await this.start();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    // Nothing else may keep this process until then.
    child.ref();
    child.kill('SIGKILL');
    await gone;
  }

  #order(what: string, body: string): Promise<Response> {
    if (isReal) throw new Error('a real server takes no orders: unset POSTERN_TEST_CLICKHOUSE for this file');
    return fetch(`http://127.0.0.1:${this.#port}/${what}`, { method: 'POST', body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }
}
