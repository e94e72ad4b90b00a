/** Installations whose decisions move to ClickHouse, beside others that keep all. Through real services. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import type { Answer } from '../../../kit/answer.ts';
import { TestClickHouse } from '../../../kit/clickhouse.ts';
import { hurry } from '../../../kit/hurry.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { partition } from '../../../kit/partitions.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { newKeyText } from '../../../src/api/keys/key.ts';
import { check } from '../../http/given.ts';
import { decide, toPaths } from './clickhouse-given.ts';

// Decisions are written, move and leave at three looks.
hurry();

export type Ids = Awaited<ReturnType<typeof decide>>;

export const WITHIN_MS = 240_000;
export const DAY_MS = 86_400_000;
const LOG = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };

export async function runOn(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, string>[];
  } finally {
    await client.end();
  }
}

/** Lets time pass; returns what ends that. What left is deleted once reads that began before have ended. */
export function letPass(clock: { advance(ms: number): void }): () => void {
  const passing = setInterval(() => clock.advance(20_000), 250);
  return () => clearInterval(passing);
}

/** Two installations with the same decisions: one that moves them, to a server or a cluster, and one that keeps all. */
export async function stage(t: TestContext, cluster = '') {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clickHouse = stack.use(await new TestClickHouse({ cluster }).start());
  const place = new URL(await clickHouse.newDatabase());
  place.search = '';
  const server = await testPostgres();
  const databases = [stack.use(await server.newDatabase()), stack.use(await server.newDatabase())] as const;
  const clock = testClock(Date.now() - 50 * DAY_MS);
  const key = newKeyText('secret');
  const running = new Set<TestService>();
  stack.defer(async () => {
    for (const node of running) await node[Symbol.asyncDispose]();
  });
  const stop = async (...nodes: TestService[]): Promise<void> => {
    for (const node of nodes) {
      running.delete(node);
      await node[Symbol.asyncDispose]();
    }
  };
  const start = async (url: string, env: Record<string, string> = {}): Promise<TestService> => {
    const dataDir = stack.use(temporaryFolder()).path;
    const all = { ...LOG, POSTERN_DATABASE_URL: url, POSTERN_BOOTSTRAP_KEY: key, ...env };
    const node = await startTestService({ dataDir, clock, env: all, housekeepingMayFail: true });
    running.add(node);
    const call = node.call.bind(node);
    return Object.assign(node, {
      key,
      call: (...[method, path, more]: Parameters<TestService['call']>) => call(method, path, { key, ...more }),
    });
  };
  return {
    clickHouse,
    columns: {
      POSTERN_COLUMNS: place.href,
      ...(cluster === '' ? {} : { POSTERN_COLUMNS_CLUSTER: cluster }),
    },
    /** The table whose rows can be changed by hand. */
    rows: cluster === '' ? 'records_1' : 'records_shard_1',
    database: place.pathname.slice(1),
    urls: databases.map(({ url }) => url) as [string, string],
    clock,
    start,
    stop,
    /** Makes the second installation a copy of the first. No service runs. */
    async copy(): Promise<void> {
      const [from, to] = databases.map(({ url }) => new URL(url).pathname.slice(1));
      await runOn(server.urlOf('postgres'), `drop database ${to}`);
      await runOn(server.urlOf('postgres'), `create database ${to} template ${from}`);
    },
  };
}

export async function read(node: TestService, path: string): Promise<Answer> {
  const answer = await until(
    path,
    () => node.call('GET', path),
    WITHIN_MS,
    ({ status }) => status !== 503,
  );
  return answer;
}

/** Removes the ids that each installation makes for itself. */
export const plain = (text: string): string =>
  text.replaceAll(/erased_[0-9a-z]{26}/g, 'erased').replaceAll(/"(?:stm|era|req)_[0-9a-z]+"/g, '"own"');

export async function assertSame(
  [moving, keeping]: readonly [TestService, TestService],
  paths: string[],
): Promise<void> {
  for (const path of paths) {
    const [wanted, found] = await Promise.all([read(keeping, path), read(moving, path)]);
    const [own, other] = [plain(found.text), plain(wanted.text)];
    const at = [...own].findIndex((letter, i) => letter !== other[i]);
    const near = own === other ? '' : `${own.slice(at - 200, at + 200)} instead of ${other.slice(at - 200, at + 200)}`;
    assert.ok(own === other && found.status === wanted.status, `${path}: ${found.status} ${wanted.status} ${near}`);
  }
}

export const idsOf = async (node: TestService, query = ''): Promise<string[]> =>
  (await read(node, `/v1/access/decisions?limit=100${query}`)).body.data.map(({ id }: { id: string }) => id);

/** Counts the decisions in blocks of a state. */
export async function rowsThat(url: string, state: string): Promise<number> {
  const sql = `select coalesce(sum(rows), 0) as n from record_blocks where state = '${state}'`;
  return Number((await runOn(url, sql))[0]?.n);
}

interface Given {
  /** The name of a cluster; empty: there is one server. */
  cluster?: string;
  /** Done before there are two installations. */
  prepare?(node: TestService, ids: Ids): Promise<void>;
}

/** Two installations, one of which moves what is older than 35 days as soon as a day has passed. */
export async function givenVerified(t: TestContext, { cluster = '', prepare }: Given = {}) {
  const given = await stage(t, cluster);
  const { columns, urls, clock, start, stop, copy } = given;
  const moving = { ...columns, POSTERN_RECORD_DAYS: '35' };
  const before = await start(urls[0]);
  const month = new Date(clock.now());
  const ids = await decide([before]);
  await prepare?.(before, ids);
  const old = await idsOf(before);
  const theirs = await idsOf(before, '&requesterId=acme');
  clock.advance(45 * DAY_MS);
  // A service that runs would give the border up that the first partition is to end at.
  await stop(before);
  const [newest] = await runOn(urls[0], 'select max(seq) as seq from decisions');
  await partition(urls[0], [Number(newest?.seq) + 1, 1_000_000]);
  const after = await start(urls[0]);
  const { id: young } = await check(after, { contentId: ids.contentId, requesterId: 'acme' });
  await stop(after);
  await copy();
  const nodes = [await start(urls[0], moving), await start(urls[1])] as const;
  const count = async (table: string): Promise<number> =>
    Number((await runOn(urls[0], `select count(*) as n from ${table}`))[0]?.n);
  await until('verified', async () => (await rowsThat(urls[0], 'verified')) === old.length, WITHIN_MS);
  assert.equal(await count('decisions'), old.length + 1, 'nothing moves before the second look');
  const decisions = [...old.slice(0, 12), young].map((id) => `/v1/access/decisions/${id}`);
  const paths = [...toPaths(ids, month), '/v1/access/decisions?limit=100', ...decisions];
  return { ...given, moving, month, ids, old, theirs, young, nodes, count, paths };
}

/** Two installations, one of which moved what is older than 35 days. */
export async function givenMoved(t: TestContext, options: Given = {}) {
  const given = await givenVerified(t, options);
  const { clock, count } = given;
  clock.advance(DAY_MS);
  await until('moved', async () => (await count('decisions')) === 1, WITHIN_MS);
  const isOldest = `pg_class where relname = 'decisions_from_0'`;
  const stopTime = letPass(clock);
  await until('the partition leaves the disk', async () => (await count(isOldest)) === 0, WITHIN_MS);
  stopTime();
  return given;
}

export const untilOn = async (urls: readonly string[], what: string, sql: string, isThere = true): Promise<void> => {
  for (const url of urls) await until(what, async () => (await runOn(url, sql)).length > 0 === isThere, WITHIN_MS);
};
