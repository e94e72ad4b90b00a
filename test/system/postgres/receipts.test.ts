/** Several nodes keep one log: one order and no gap, also while one of them goes away. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyCheckpoint, verifyReceipt } from '../../../client/src/receipt.ts';
import { leavesOf } from '../../../kit/leaves.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { check, item, made } from '../../http/given.ts';

test('two nodes, of which the sealing one goes away: every decision has one place, and the log goes on', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await (await testPostgres()).newDatabase());
  const clock = testClock();
  const start = async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-receipts-'));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const log = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
    const node = await startTestService({ clock, dataDir, env: { ...log, POSTERN_DATABASE_URL: database.url } });
    stack.defer(() => node[Symbol.asyncDispose]());
    return node;
  };
  const first = await start();
  const second = await start();
  const { key } = first;
  const { id: contentId } = await made(first, '/v1/content', item());
  const ids: string[] = [];
  const ask = async (node: typeof first, times: number): Promise<void> => {
    const asked = Array.from({ length: times }, (_, i) =>
      node.call('POST', '/v1/access/check', { key, body: { contentId, requesterId: `r${i % 3}` } }),
    );
    for (const { body } of await Promise.all(asked)) ids.push(body.id);
  };
  const receipt = (id = '', since = '') =>
    until(
      'a receipt',
      async () => {
        const answer = await second.call('GET', `/v1/access/decisions/${id}/proof${since}`, { key });
        if (answer.status === 503) clock.advance(60_000);
        return answer.status === 200 ? answer.text : undefined;
      },
      40_000,
    );
  await Promise.all([ask(first, 40), ask(second, 40)]);
  await receipt(ids[0]);
  const old = (await second.call('GET', '/log/checkpoint', { key: null })).text;
  const keys = (await second.call('GET', '/log/key', { key: null })).text;
  const going = ask(second, 40);
  await first.service.close();
  await going;
  await ask(second, 10);
  const { size } = await verifyCheckpoint(old, keys);
  for (const id of ids) await verifyReceipt(await receipt(id, `?since=${size}`), keys, { checkpoint: old });

  const leaves = await leavesOf(second);
  assert.equal(leaves.length, ids.length);
  for (const theirs of Map.groupBy(leaves, ({ tree }) => Number(tree)).values()) {
    assert.deepEqual(
      theirs.map(({ place }) => Number(place)),
      theirs.map((_, i) => i),
    );
  }
});

test('a node that knows nothing of leaves erases: no salt is left of that, and the rest stays provable', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await (await testPostgres()).newDatabase());
  const log = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
  const clock = testClock();
  await using postern = await startTestService({ clock, env: { ...log, POSTERN_DATABASE_URL: database.url } });
  const { id: contentId } = await made(postern, '/v1/content', item());
  const ids: string[] = [];
  for (const requesterId of ['acme', 'other', 'gone']) {
    ids.push((await check(postern, { contentId, requesterId, context: { ip: '203.0.113.7' } })).id);
  }
  const read = async (id = '') => {
    const answer = await postern.call('GET', `/v1/access/decisions/${id}/proof`);
    if (answer.status === 503) clock.advance(60_000);
    return answer.status === 200 ? answer.text : undefined;
  };
  for (const id of ids) await until('a receipt', () => read(id));
  const keys = (await postern.call('GET', '/log/key', { key: null })).text;
  // As the version before erases a requester, inputs, and what leaves the log.
  await postern.tamper(
    { sql: `update decisions set inputs = null where requester_id in ('acme', 'other')` },
    { sql: `update decisions set requester_id = 'erased_1' where requester_id = 'acme'` },
    { sql: `delete from decisions where requester_id = 'gone'` },
  );
  const withheld = async (id = '') => (await verifyReceipt((await read(id)) ?? '', keys)).withheld;
  assert.deepEqual(await withheld(ids[0]), ['requester', 'inputs']);
  assert.deepEqual(await withheld(ids[1]), ['inputs']);
  const leaves = await leavesOf(postern);
  assert.deepEqual(
    leaves.map((leaf) => [leaf.requester_salt === null, leaf.inputs_salt === null]),
    [
      [true, true],
      [false, true],
    ],
  );
  assert.doesNotMatch(JSON.stringify(await postern.rowsOf('log_trees')), /acme/);
});
