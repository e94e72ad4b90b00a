/** Retention and erasure once more on PostgreSQL, and work that another node takes over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../kit/until.ts';
import { words } from '../../../kit/words.ts';
import { DECISIONS, ID, Installation, killAmid, RETENTION, THEIRS, usageOf } from '../privacy/installation.ts';
import { onPostgres } from './suites.ts';

await onPostgres(words('privacy/erasure privacy/traces privacy/erased-columns privacy/retention'));

test('another node takes the work over', async () => {
  await using one = await Installation.filled();
  const first = await one.start(RETENTION);
  await using second = await one.startBeside(RETENTION);
  const before = await usageOf(second);
  await killAmid(first, async () => (await one.held()).counted > DECISIONS * 0.2);
  assert.ok((await one.count('decisions')) > 0, 'it was over before the node was killed');
  const { pseudonym } = (await second.ask('POST', `/v1/requesters/${ID}/erase`, { body: {} })).body;
  await until('all have left the log', async () => (await one.count('decisions')) === 0, 120_000);
  await until('it is erased', async () => (await one.count(`erasures where status = 'done'`)) === 1, 120_000);
  assert.deepEqual(await one.held(), { log: 0, counted: DECISIONS });
  assert.equal((await usageOf(second)).totalRequests, before.totalRequests);
  assert.equal((await usageOf(second, `&requesterId=${pseudonym}`)).totalRequests, THEIRS);
});
