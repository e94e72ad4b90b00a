/**
 * Promise: nodes whose columns are in ClickHouse answer as a node that keeps its own; where ClickHouse is away or
 * cannot be used, checks and edits go on, and reports say so. Through real services on a real PostgreSQL.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Answer } from '../../../kit/answer.ts';
import { testClickHouse } from '../../../kit/clickhouse.ts';
import { commandHere } from '../../../kit/command.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { newKeyText } from '../../../src/api/keys/key.ts';
import { allowAll, assertError, assertStatus, check, item, made, makePolicy } from '../../http/given.ts';
import { decide, toPaths } from './clickhouse-given.ts';

/** On a busy machine, the engine behind the kit takes longer than a service lets a report wait. */
const WITHIN_MS = 120_000;
/** Longer than a service lets a report wait. */
const REFUSED_WITHIN_MS = 15_000;

async function bench(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const database = stack.use(await (await testPostgres()).newDatabase());
  const clickHouse = await testClickHouse();
  const url = new URL(await clickHouse.newDatabase());
  const relay = stack.use(await startRelay(Number(url.port)));
  url.port = String(relay.port);
  const key = newKeyText('secret');
  return {
    clickHouse,
    relay,
    url,
    folder: stack.use(temporaryFolder()).path,
    env: { POSTERN_DATABASE_URL: database.url, POSTERN_COLUMNS: url.href },
    key,
    /** Starts a node; `columns` null: it keeps its own. */
    async start(columns: string | null = url.href, env: Record<string, string> = {}): Promise<TestService> {
      const node = await startTestService({
        dataDir: stack.use(temporaryFolder()).path,
        env: {
          POSTERN_DATABASE_URL: database.url,
          POSTERN_BOOTSTRAP_KEY: key,
          ...(columns === null ? {} : { POSTERN_COLUMNS: columns }),
          ...env,
        },
      });
      const call = node.call.bind(node);
      stack.use(node);
      return Object.assign(node, {
        key,
        call: (...[method, path, more]: Parameters<TestService['call']>) => call(method, path, { key, ...more }),
      });
    },
  };
}

/** Asks until there is an answer. */
async function read(node: TestService, path: string): Promise<Answer['body']> {
  const answer = await until(
    path,
    () => node.call('GET', path),
    WITHIN_MS,
    ({ status }) => status !== 503,
  );
  assertStatus(answer, 200, path);
  return answer.body;
}

test('reports, logs, statements, candidates and demand equal those of a node that keeps its own columns', async (t) => {
  const { start, url, folder } = await bench(t);
  const own = await start(null);
  const first = await start();
  const withoutPassword = new URL(url);
  withoutPassword.password = '';
  const file = join(folder, 'password');
  writeFileSync(file, `${decodeURIComponent(url.password)}\n`);
  const second = await start(withoutPassword.href, { POSTERN_COLUMNS_PASSWORD_FILE: file });
  const ids = await decide([first, second, own]);
  for (const path of toPaths(ids)) {
    const wanted = await read(own, path);
    for (const node of [first, second]) assert.deepEqual(await read(node, path), wanted, path);
  }
  // What any node acknowledged is in the next report of each.
  for (let i = 61; i <= 66; i++) {
    await check(i % 2 === 0 ? first : own, { contentId: ids.contentId, requesterId: 'acme' });
    for (const node of [first, second]) {
      assert.equal((await read(node, '/v1/analytics/usage?period=all')).summary.totalRequests, i);
    }
  }
  const { columns, storage } = await read(second, '/v1/status');
  assert.deepEqual(columns, { place: url.host + url.pathname, problem: null, behind: 0, rebuilds: 0, restarts: 0 });
  assert.ok(storage.columnsBytes > 0);
  assert.equal((await read(own, '/v1/status')).columns.place, null);
});

const USAGE = '/v1/analytics/usage?period=all';
const SAYS =
  'Reports cannot be answered right now; checks and edits go on. Retry; the log and the status of the service say why.';

async function assertRefused(node: TestService): Promise<void> {
  const asked = performance.now();
  const answer = await node.call('GET', USAGE);
  assertError(answer, 'service_unavailable');
  assert.equal(answer.body.error.message, SAYS);
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok(performance.now() - asked < REFUSED_WITHIN_MS);
}

const problemOf = async (node: TestService): Promise<string | null> =>
  (await node.call('GET', '/v1/status')).body.columns.problem;

const problemsLogged = (node: TestService): string[] => node.logs.filter((line) => line.includes('"msg":"columns"'));

test('ClickHouse is away at the start and later: checks and edits go on, and what was decided counts once it is back', async (t) => {
  const { start, relay, url } = await bench(t);
  relay.cut();
  const node = await start();
  assertStatus(await node.call('GET', '/readyz'), 200);
  const { id: policyId } = await makePolicy(node, [allowAll]);
  const { id } = await made(node, '/v1/content', item({ policyId }));
  let checks = 0;
  const decided = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) assert.equal((await check(node, { contentId: id })).allowed, true);
    checks += 5;
  };
  await decided();
  await assertRefused(node);
  const said = `ClickHouse at ${url.host}${url.pathname} `;
  assert.match((await problemOf(node)) ?? '', new RegExp(`^${said.replaceAll('.', '\\.')}.*POSTERN_COLUMNS$`));
  const { behind } = (await node.call('GET', '/v1/status')).body.columns;
  assert.equal(behind, checks);
  for (let i = 0; i < 3; i++) await assertRefused(node);
  assert.equal(problemsLogged(node).length, 1, 'one that lasts is logged once');
  for (const away of ['cut', 'silence'] as const) {
    relay.open();
    assert.equal((await read(node, USAGE)).summary.totalRequests, checks);
    assert.equal(await problemOf(node), null);
    relay[away]();
    await decided();
    await assertRefused(node);
    assertStatus(await node.call('PATCH', `/v1/content/${id}`, { body: { title: away } }), 200);
  }
  relay.open();
  assert.equal((await read(node, USAGE)).summary.totalRequests, checks);
});

/** A server that says it is an older version. */
async function startOlder(t: TestContext): Promise<number> {
  const meta = [{ name: 'version()', type: 'String' }];
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ meta, data: [['24.8.1.1']], rows: 1 }));
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const PASSWORD = 'not the password';
const UNFIT: [what: string, change: (url: URL, t: TestContext) => Promise<unknown> | unknown, says: RegExp][] = [
  [
    'refuses the password',
    (url) => {
      url.password = encodeURIComponent(PASSWORD);
    },
    /refuses the user or the password; see POSTERN_COLUMNS and POSTERN_COLUMNS_PASSWORD$/,
  ],
  [
    'has no such database',
    (url) => {
      url.pathname = '/absent';
    },
    /\/absent does not exist; create the database, or see POSTERN_COLUMNS$/,
  ],
  [
    'is too old',
    async (url, t) => {
      url.port = String(await startOlder(t));
    },
    /^ClickHouse 24\.8\.1\.1 is too old: the columns need 25\.3 or newer$/,
  ],
];
for (const [what, change, says] of UNFIT) {
  test(`a ClickHouse that ${what}: the log, the status and doctor say what to do, and the rest goes on`, async (t) => {
    const { start, url, env, key } = await bench(t);
    const unfit = new URL(url);
    await change(unfit, t);
    const node = await start(unfit.href);
    await assertRefused(node);
    const problem = (await problemOf(node)) ?? '';
    assert.match(problem, says);
    const { id: policyId } = await makePolicy(node, [allowAll]);
    const { id } = await made(node, '/v1/content', item({ policyId }));
    assert.equal((await check(node, { contentId: id })).allowed, true);
    for (let i = 0; i < 3; i++) await assertRefused(node);
    const [line = '', ...more] = problemsLogged(node);
    assert.ok(line.includes(JSON.stringify(problem).slice(1, -1)));
    assert.deepEqual(more, [], 'one that lasts is logged once');
    const all = { ...env, POSTERN_COLUMNS: unfit.href, POSTERN_URL: node.url, POSTERN_KEY: key };
    const doctor = await commandHere(['doctor'], { env: { ...all, POSTERN_DATA_DIR: node.dataDir } });
    assert.equal(doctor.status, 1);
    assert.ok(doctor.stdout.includes(`✗ columns   ${problem}\n`), doctor.stdout);
    assert.ok(doctor.stdout.includes(`✗ reports   cannot be answered now: ${problem}; `), doctor.stdout);
    const status = await commandHere(['status'], { env: all });
    assert.ok(status.stdout.includes(`Reports cannot be answered now: ${problem}; `), status.stdout);
    for (const text of [doctor.stdout, status.stdout, problem, ...node.logs]) {
      for (const password of [PASSWORD, decodeURIComponent(url.password)]) {
        for (const form of [password, encodeURIComponent(password)]) assert.ok(!text.includes(form), text);
      }
    }
  });
}

test('the database of another installation is left alone', async (t) => {
  const [one, other] = [await bench(t), await bench(t)];
  const owner = await one.start();
  const { id: policyId } = await makePolicy(owner, [allowAll]);
  await check(owner, { contentId: (await made(owner, '/v1/content', item({ policyId }))).id });
  assert.equal((await read(owner, USAGE)).summary.totalRequests, 1);
  const stranger = await other.start(one.url.href);
  await until('the problem', async () => (await problemOf(stranger)) !== null, WITHIN_MS);
  assert.match((await problemOf(stranger)) ?? '', /belongs to another installation; give each one its own$/);
  await assertRefused(stranger);
  assert.equal((await read(owner, USAGE)).summary.totalRequests, 1);
});

test('doctor and status say where the columns are', async (t) => {
  const { start, url, env, key } = await bench(t);
  const node = await start();
  await read(node, USAGE);
  const all = { ...env, POSTERN_URL: node.url, POSTERN_KEY: key, POSTERN_DATA_DIR: node.dataDir };
  const doctor = await commandHere(['doctor'], { env: all });
  assert.equal(doctor.status, 0, doctor.stdout);
  const place = `${url.host}${url.pathname}`;
  assert.match(doctor.stdout, new RegExp(`^✓ columns +ClickHouse [\\d.]+ at ${place} answers$`, 'm'));
  const line = new RegExp(`[Rr]eports +come from ClickHouse at ${place}, [\\d.]+ MiB, up to date$`, 'm');
  assert.match(doctor.stdout, line);
  assert.match((await commandHere(['status'], { env: all })).stdout, line);
});
