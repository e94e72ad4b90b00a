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
  /** The wait of a slow or late one. */
  ms?: number;
}

const FOLDER = join(import.meta.dirname, 'clickhouse');
const [USER, PASSWORD] = ['postern', 'a password: @/?'];

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
  #databases = 0;

  constructor() {
    process.once('exit', () => this.#folder[Symbol.dispose]());
  }

  async start(): Promise<this> {
    installEngine();
    const child = fork(join(FOLDER, 'server.ts'), [
      join(this.#folder.path, 'data'),
      USER,
      PASSWORD,
      String(this.#port),
    ]);
    this.#child = child;
    const [port] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])])) as [
      number?,
    ];
    if (port === undefined) throw new Error('the test server of ClickHouse ended');
    this.#port = port;
    child.unref();
    child.channel?.unref();
    return this;
  }

  /** Returns the URL of an empty database, as POSTERN_COLUMNS takes it. */
  async newDatabase(): Promise<string> {
    const name = `postern_${++this.#databases}`;
    await this.query(`create database ${name}`, 'default');
    return `clickhouse://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.#port}/${name}`;
  }

  /** Returns the answer's text. `session`: with the temporary tables of that one. */
  async query(sql: string, database: string, session?: string): Promise<string> {
    const own = session === undefined ? '' : `&session_id=${session}`;
    const response = await fetch(`http://127.0.0.1:${this.#port}/?database=${database}${own}`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': USER, 'x-clickhouse-key': PASSWORD },
      body: sql,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.trim();
  }

  async fail(...faults: Fault[]): Promise<void> {
    await fetch(`http://127.0.0.1:${this.#port}/fault`, { method: 'POST', body: JSON.stringify(faults) });
  }

  /** Gives every request these settings, unless it has its own: the defaults of another server. */
  async setDefaults(settings: Record<string, string | number>): Promise<void> {
    await fetch(`http://127.0.0.1:${this.#port}/defaults`, { method: 'POST', body: JSON.stringify(settings) });
  }

  /** Returns what a server would log: the text of each statement, with its settings, and no inserted rows. */
  async statements(): Promise<string[]> {
    return (await (await fetch(`http://127.0.0.1:${this.#port}/statements`)).json()) as string[];
  }

  /** Where the engine keeps its data. */
  get folder(): string {
    return join(this.#folder.path, 'data');
  }

  /** Keeps a copy of all data; the engine is killed for it, and started again. */
  async copy(): Promise<void> {
    await this.kill();
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
    child.kill('SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }
}
