/**
 * Promise: where PostgreSQL has no decision left, since the newest one was about an item that was deleted and all
 * others moved, erasures and quotas reach those that moved. Through real services on a real PostgreSQL.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertStatus, check, PRICED } from '../../http/given.ts';
import { assertSame, givenMoved, letPass, read, untilOn } from './clickhouse-moved-bench.ts';

test('erasures and quotas reach what moved where PostgreSQL has nothing left', { timeout: 900_000 }, async (t) => {
  let other = '';
  const given = await givenMoved(t, {
    async prepare(node, { contentId }) {
      const { data } = (await read(node, '/v1/content')).body;
      other = data.find(({ id }: { id: string }) => id !== contentId).id;
      for (let i = 0; i < 3; i++) await check(node, { contentId: other, requesterId: 'acme', purpose: 'training' });
    },
  });
  const { nodes, urls, ids, paths, clock } = given;
  for (const node of nodes) assertStatus(await node.call('DELETE', `/v1/content/${ids.contentId}`), 200);
  await untilOn(urls, 'swept', 'select 1 from purges', false);
  await untilOn([urls[0]], 'nothing is left', 'select 1 from decisions', false);

  const terms = { ...PRICED, quota: { units: 1_000, period: 'year', onExceed: 'deny' } };
  const used: number[] = [];
  for (const node of nodes) {
    const path = `/v1/licenses/${ids.licenseId}`;
    assertStatus(await node.call('PATCH', path, { body: { terms, effective: 'now' } }), 200);
    const answer = await node.call('POST', '/v1/access/check', {
      body: { contentId: other, requesterId: 'acme', purpose: 'training', dryRun: true },
    });
    assertStatus(answer, 200);
    used.push(answer.body.quota.used);
  }
  // Three that moved, and one whose item was deleted.
  assert.deepEqual(used, [4, 4]);

  for (const node of nodes) assertStatus(await node.call('POST', '/v1/requesters/globex/erase', { body: {} }), 200);
  const stopTime = letPass(clock);
  await untilOn(urls, 'erased', `select 1 from erasures where status <> 'done'`, false);
  stopTime();
  assert.doesNotMatch((await read(nodes[0], '/v1/analytics/requesters')).text, /globex/);
  await assertSame(
    nodes,
    paths.filter((path) => !path.includes(ids.contentId)),
  );
});
