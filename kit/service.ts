/**
 * A real service for black-box tests: its own data directory, a free port, a real socket. POSTERN_TEST_ENGINE=postgres
 * gives each data directory a database of its own, on a real PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Clock } from '../src/lib/clock.ts';
import { type Service, startService } from '../src/service/app.ts';
import { readConfig } from '../src/service/config.ts';
import { openLog } from '../src/service/log.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type Asked, ask } from './ask.ts';
import { assertBackgroundWorked } from './background.ts';
import { type TestDatabase, testPostgres } from './postgres.ts';
import { watchSecrets } from './secrets.ts';

/** Read when it is needed: a suite that runs the others on another engine sets it before they begin. */
export const testEngine = (): 'sqlite' | 'postgres' =>
  process.env.POSTERN_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

const databases = new Map<string, TestDatabase>();

/** Settings of the database for a data directory; none on SQLite. */
export async function databaseSettings(dataDir: string): Promise<{ POSTERN_DATABASE_URL?: string }> {
  if (testEngine() === 'sqlite') return {};
  const database = databases.get(dataDir) ?? (await (await testPostgres()).newDatabase());
  databases.set(dataDir, database);
  return { POSTERN_DATABASE_URL: database.url };
}

export async function dropDatabase(dataDir: string): Promise<void> {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  await database?.[Symbol.asyncDispose]();
}

export interface CallOptions {
  body?: unknown;
  /** Sent as it is instead of `body` as JSON. */
  raw?: string | Uint8Array;
  /** null: no Authorization header. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface TestService extends AsyncDisposable {
  service: Service;
  url: string;
  /** Holds every permission. */
  key: string;
  dataDir: string;
  /** The log, one JSON line per entry. */
  logs: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Stops it and starts it again on the same data. */
  restart(): Promise<void>;
  /** The rows of a table. */
  rowsOf(table: string): Promise<object[]>;
  /** Runs statements without the service's knowledge. */
  tamper(...statements: Statement[]): Promise<void>;
}

interface Statement {
  sql: string;
  params?: readonly (string | number)[];
}

export interface StartOptions {
  env?: Record<string, string>;
  clock?: Clock;
  dataDir?: string;
  /** The test makes background work fail. */
  housekeepingMayFail?: boolean;
}

export async function startTestService(options: StartOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'postern-test-'));
  const logs: string[] = [];
  const database = await databaseSettings(dataDir);
  const start = () => {
    const config = readConfig({
      POSTERN_PORT: '0',
      POSTERN_DATA_DIR: dataDir,
      POSTERN_CRAWLER_LISTS: 'false',
      ...database,
      ...options.env,
    });
    const logger = openLog(config, { write: (line) => logs.push(line) });
    return startService({ config, logger, ...(options.clock === undefined ? {} : { clock: options.clock }) });
  };
  let service = await start();
  const key = service.firstKey ?? '';
  await service.firstKeyShown();
  const secrets = watchSecrets(key);
  const url = options.env?.POSTERN_DATABASE_URL ?? database.POSTERN_DATABASE_URL;
  const run = (statement: Statement) => runOn(dataDir, url, statement);
  const test: TestService = {
    service,
    url: service.address,
    key,
    dataDir,
    logs,
    async call(method, path, { body, raw, key: callKey = key, headers = {} } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const preset = {
        ...(callKey === null ? {} : { authorization: `Bearer ${callKey}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const asked = { method, headers: { ...preset, ...headers }, body: payload };
      const answer = await askOne(test.url + path, asked);
      secrets.answered(`${method} ${path}`, answer.text);
      return answer;
    },
    async restart() {
      await service.close();
      service = await start();
      test.service = service;
      test.url = service.address;
    },
    rowsOf: (table) => run({ sql: `select * from ${table}` }),
    async tamper(...statements) {
      for (const statement of statements) await run(statement);
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      secrets.logged(logs);
      if (options.dataDir === undefined) {
        rmSync(dataDir, { recursive: true, force: true });
        await dropDatabase(dataDir);
      }
      if (options.housekeepingMayFail !== true) assertBackgroundWorked(logs.join(''));
    },
  };
  return test;
}

/** The answer may come before the whole of a large body is sent; then `fetch` reads it all the same. */
const LARGE = 32_768;

async function askOne(url: string, asked: Asked): Promise<Answer> {
  if ((asked.body?.length ?? 0) < LARGE) return ask(url, asked);
  return readAnswer(await fetch(url, asked));
}

/** Runs a statement on the records while the service has them open. */
export async function runOn(dataDir: string, url: string | undefined, { sql, params = [] }: Statement) {
  if (url === undefined) {
    using file = new DatabaseSync(join(dataDir, 'postern.db'), { timeout: 5000 });
    return file.prepare(sql.replaceAll('$', '?')).all(...params);
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...params])).rows as object[];
  } finally {
    await client.end();
  }
}

/** A clock that a test moves. */
export function testClock(start = Date.parse('2026-11-21T09:30:00Z')): Clock & { advance(ms: number): void } {
  let at = start;
  return {
    now: () => at,
    advance(ms) {
      at += ms;
    },
  };
}
