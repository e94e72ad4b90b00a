/**
 * Promise: partners, `postern statements verify`, `postern verify` and quotas see moved decisions as they see others.
 * No answer changes while blocks move, on whichever node. A node that ends in the middle of a move ends soon, and loses
 * nothing. Through real services on a real PostgreSQL.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandHere, startCommand } from '../../../kit/command.ts';
import { HURRIED } from '../../../kit/hurry.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { freePort } from '../../../kit/port.ts';
import type { TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { assertError, assertStatus, check, made, PRICED } from '../../http/given.ts';
import { decide } from './clickhouse-given.ts';
import {
  DAY_MS,
  givenMoved,
  givenVerified,
  idsOf,
  read,
  rowsThat,
  runOn,
  stage,
  WITHIN_MS,
} from './clickhouse-moved-bench.ts';

test('partners, commands and quotas see what moved', { timeout: 900_000 }, async (t) => {
  let token = '';
  const given = await givenMoved(t, {
    async prepare(node, { contentId }) {
      for (let i = 0; i < 3; i++) await check(node, { contentId, requesterId: 'acme', purpose: 'training' });
      ({ token } = await made(node, '/v1/requesters/acme/tokens', { name: 'view' }));
    },
  });
  const { nodes, ids, month, theirs, clickHouse } = given;
  const [moving, keeping] = nodes;
  const period = month.toISOString().slice(0, 7);
  const asPartner = (node: TestService): TestService => ({
    ...node,
    call: (method, path) => node.call(method, path, { key: token }),
  });
  const paths = [
    '',
    '/licenses',
    `/licenses/${ids.licenseId}/usage`,
    `/statements?period=${period}`,
    '/usage?period=all',
    '/decisions?limit=100',
    '/content',
  ];
  for (const path of paths) {
    const wanted = await read(asPartner(keeping), `/v1/me${path}`);
    const found = await read(asPartner(moving), `/v1/me${path}`);
    assert.deepEqual([found.status, found.body], [200, wanted.body], path);
  }
  const { data } = (await read(asPartner(moving), '/v1/me/decisions?limit=100')).body;
  assert.ok(data.length > 1);
  for (const { id } of data) {
    const [found, wanted] = await Promise.all(nodes.map((node) => read(asPartner(node), `/v1/me/decisions/${id}`)));
    assert.deepEqual([found?.status, found?.body], [200, wanted?.body]);
  }

  const env = { POSTERN_URL: moving.url, POSTERN_KEY: moving.key };
  const { data: statements } = (await read(moving, `/v1/statements?period=${period}&licenseId=${ids.licenseId}`)).body;
  const verified = await commandHere(['statements', 'verify', statements[0].id], { env });
  assert.deepEqual([verified.status, verified.stderr], [0, ''], verified.stdout);
  assert.match(verified.stdout, /: 3 decisions counted again\n✓ every line agrees\n$/);
  using folder = temporaryFolder();
  const [proof, key] = [join(folder.path, 'dec.tlog-proof'), join(folder.path, 'log.key')];
  writeFileSync(proof, (await read(moving, `/v1/access/decisions/${theirs[0]}/proof`)).text);
  writeFileSync(key, (await moving.call('GET', '/log/key', { key: null })).text);
  const receipt = await commandHere(['verify', proof, '--public-key', key], { env: {} });
  assert.equal(receipt.status, 0, receipt.stderr);
  assert.match(receipt.stdout, /acme/);

  // Terms whose quota counts from before the days: the first check counts what moved.
  await clickHouse.kill();
  const terms = { ...PRICED, quota: { units: 1_000, period: 'year', onExceed: 'deny' } };
  for (const node of nodes) {
    const path = `/v1/licenses/${ids.licenseId}`;
    assertStatus(await node.call('PATCH', path, { body: { terms, effective: 'now' } }), 200);
  }
  const asked = { body: { contentId: ids.contentId, requesterId: 'acme' } };
  assertError(await moving.call('POST', '/v1/access/check', asked), 'service_unavailable');
  await clickHouse.start();
  const used: number[] = [];
  for (const node of nodes) {
    const answer = await until(
      'a count',
      () => node.call('POST', '/v1/access/check', asked),
      WITHIN_MS,
      ({ status }) => status !== 503,
    );
    assertStatus(answer, 200);
    used.push(answer.body.quota.used);
  }
  // Three that moved, one that did not, and this one.
  assert.deepEqual(used, [5, 5]);
  await clickHouse.kill();
  const { quota } = await check(moving, asked.body);
  assert.equal(quota.used, 6, 'it is counted once');
});

test('no answer of two nodes changes while decisions move', { timeout: 900_000 }, async (t) => {
  const { nodes, urls, start, moving, clock, old, young, ids, count } = await givenVerified(t);
  const both = [nodes[0], await start(urls[0], moving)];
  const paths = [
    '/v1/access/decisions?limit=100',
    `/v1/access/decisions?limit=100&contentId=${ids.contentId}`,
    `/v1/access/decisions/${old[0]}`,
    '/v1/analytics/usage?period=all&groupBy=page',
    `/v1/content/${ids.contentId}`,
  ];
  // The period grows by a day meanwhile.
  const ask = async (node: TestService, path: string): Promise<unknown> => {
    const { status, body } = await read(node, path);
    return [status, { ...body, timeSeries: undefined, period: undefined }];
  };
  const before = new Map<string, unknown>();
  for (const path of paths) before.set(path, await ask(both[0] as TestService, path));
  assert.equal((await idsOf(both[1] as TestService)).length, old.length + 1);
  let isOver = false;
  let answers = 0;
  const asking = both.map(async (node) => {
    for (let i = 0; !isOver || i % paths.length !== 0; i++) {
      const path = paths[i % paths.length] as string;
      assert.deepEqual(await ask(node, path), before.get(path), path);
      answers += 1;
    }
  });
  clock.advance(DAY_MS);
  await until('moved', async () => (await count('decisions')) === 1, WITHIN_MS).finally(() => {
    isOver = true;
  });
  await Promise.all(asking);
  assert.ok(answers > paths.length);
  assert.equal((await read(both[1] as TestService, `/v1/access/decisions/${young}`)).status, 200);
});

test('a node that ends in mid-move ends soon, and another goes on', { timeout: 900_000 }, async (t) => {
  const { clickHouse, columns, urls, start, stop } = await stage(t);
  const first = await start(urls[0]);
  await decide([first]);
  const all = await idsOf(first);
  await stop(first);
  const port = await freePort();
  const [url, key] = [`http://127.0.0.1:${port}`, first.key];
  const serve = (dataDir: string) => {
    const running = startCommand(['serve'], {
      env: {
        ...columns,
        ...HURRIED,
        POSTERN_RECORD_DAYS: '35',
        POSTERN_DATABASE_URL: urls[0],
        POSTERN_DATA_DIR: dataDir,
        POSTERN_PORT: String(port),
        POSTERN_CRAWLER_LISTS: 'false',
      },
    });
    t.after(() => running.child.kill('SIGKILL'));
    return running;
  };
  const count = async (table: string): Promise<number> =>
    Number((await runOn(urls[0], `select count(*) as n from ${table}`))[0]?.n);
  using folder = temporaryFolder();
  const node = serve(folder.path);
  await until('verified', async () => (await rowsThat(urls[0], 'verified')) === all.length - 1, WITHIN_MS);
  const statement = 'quota, reduced, inputs from records_1';
  const countReads = async () => (await clickHouse.statements()).filter((sql) => sql.includes(statement)).length;
  const reads = await countReads();
  await clickHouse.fail({ when: 'before', sql: statement, kind: 'slow', times: 1, ms: 3_000 });
  await runOn(urls[0], `update record_blocks set state_at = state_at - ${2 * DAY_MS}`);
  await until('a move', async () => (await countReads()) > reads, WITHIN_MS);
  node.child.kill('SIGTERM');
  const at = performance.now();
  const ended = await node.ended;
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  assert.ok(performance.now() - at < 15_000, 'it waits for the block at most');
  assert.equal((await count('decisions')) + (await rowsThat(urls[0], 'moved')), all.length);

  using other = temporaryFolder();
  serve(other.path);
  await until('moved', async () => (await count('decisions')) === 1, WITHIN_MS);
  const seen = await until(
    'an answer',
    async () => {
      const options = { headers: { authorization: `Bearer ${key}` } };
      const answer = await fetch(`${url}/v1/access/decisions?limit=100`, options).catch(() => undefined);
      return answer?.status === 200 ? ((await answer.json()) as { data: { id: string }[] }) : undefined;
    },
    WITHIN_MS,
  );
  assert.deepEqual(
    seen?.data.map(({ id }) => id),
    all,
  );
});
