/**
 * Retention and erasure of a service that is killed in the middle: each decision is in the log or in the daily counts,
 * once, at any time, and the work ends as if it had never stopped.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testEngine } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { AGENT, DECISIONS, ID, Installation, killAmid, RETENTION, THEIRS, usageOf } from './installation.ts';

test('retention that is killed goes on where it was; no decision is lost or counted twice', async () => {
  await using one = await Installation.filled();
  const first = await one.start();
  const before = await usageOf(first);
  assert.equal(before.totalRequests, DECISIONS);
  await first.end('SIGTERM');
  for (const part of [0.2, 0.5]) {
    await using service = await one.start(RETENTION);
    await killAmid(service, async () => {
      const { log, counted } = await one.held();
      assert.equal(log + counted, DECISIONS);
      return counted > DECISIONS * part;
    });
    const { log, counted } = await one.held();
    assert.equal(log + counted, DECISIONS);
    assert.ok(log > 0, 'it was over before it was killed');
  }
  await using last = await one.start(RETENTION);
  await until('all have left the log', async () => (await one.count('decisions')) === 0, 120_000);
  assert.deepEqual(await one.held(), { log: 0, counted: DECISIONS });
  assert.deepEqual(await usageOf(last), before);
  if (testEngine() === 'sqlite') await until('no file has them', () => one.filesWith(AGENT).length === 0, 60_000);
});

test('an erasure that is killed goes on where it was, and leaves no trace', async () => {
  await using one = await Installation.filled();
  const first = await one.start();
  const before = await usageOf(first, `&requesterId=${ID}`);
  const { pseudonym } = (await first.ask('POST', `/v1/requesters/${ID}/erase`, { body: {} })).body;
  const erased = () => one.count(`decisions where requester_id = '${pseudonym}'`);
  await killAmid(first, async () => (await erased()) > 0);
  const isUnfinished = async () => (await one.count(`erasures where status <> 'done'`)) === 1;
  assert.ok(await isUnfinished(), 'it was over before it was killed');
  // Again, wherever it has come to when the service is ready.
  await using second = await one.start();
  await second.end('SIGKILL');
  await using last = await one.start();
  await until('it is erased', async () => (await one.count(`erasures where status = 'done'`)) === 1, 120_000);
  assert.equal(await erased(), THEIRS);
  assert.deepEqual(await usageOf(last, `&requesterId=${pseudonym}`), before);
  assert.equal((await last.ask('GET', `/v1/requesters/${ID}`)).status, 404);
  assert.equal(Number((await one.rows('select * from erasures'))[0].decisions), THEIRS);
  if (testEngine() === 'sqlite') await until('no file has it', () => one.filesWith(ID).length === 0, 60_000);
});
