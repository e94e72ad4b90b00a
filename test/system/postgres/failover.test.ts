/** A standby takes the place of a database that is lost: what a node shows is never behind what was acknowledged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query } from '../../../kit/postgres.ts';
import { startPostgresPair } from '../../../kit/postgres-pair.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { item } from '../../http/given.ts';

const NOTHING_FOR_MS = 3_000;

test('nothing is read from a standby, which may be behind; once it has taken over, all that was acknowledged counts', async () => {
  const pair = await startPostgresPair();
  await query(pair.primary.urlOf('postgres'), 'create database postern');
  await using relay = await startRelay(pair.primary.port);
  const url = `postgres://postgres@127.0.0.1:${relay.port}/postern`;
  await using node = await startTestService({ env: { POSTERN_DATABASE_URL: url }, housekeepingMayFail: true });
  const { body: policy } = await node.call('POST', '/v1/policies', {
    body: { name: 'p', rules: [{ action: 'allow' }] },
  });
  const { body: content } = await node.call('POST', '/v1/content', { body: { ...item(), policyId: policy.id } });
  const path = `/v1/content/${content.id}`;
  const check = () => node.call('POST', '/v1/access/check', { body: { contentId: content.id, dryRun: true } });
  assert.equal((await check()).body.allowed, true);

  // What is acknowledged from here on the standby has on its disk and does not show.
  await query(pair.standby.urlOf('postgres'), 'select pg_wal_replay_pause()');
  await until('paused', async () => {
    const [row] = await query<{ state: string }>(
      pair.standby.urlOf('postgres'),
      'select pg_get_wal_replay_pause_state() as state',
    );
    return row?.state === 'paused';
  });
  assert.equal((await node.call('PATCH', path, { body: { status: 'archived' } })).status, 200);
  await pair.killPrimary();
  relay.open(pair.standby.port);
  for (const end = performance.now() + NOTHING_FOR_MS; performance.now() < end; ) {
    const read = await node.call('GET', path);
    assert.ok(read.status === 503 || read.body.status === 'archived', read.text);
    const decision = await check();
    assert.ok(decision.status === 503 || decision.body.reason === 'content_archived', decision.text);
  }

  await pair.promote();
  relay.open(pair.primary.port);
  await until('reading', async () => (await node.call('GET', path)).status === 200, 5_000);
  assert.equal((await node.call('GET', path)).body.status, 'archived');
  assert.equal((await check()).body.reason, 'content_archived');
  assert.equal((await node.call('PATCH', path, { body: { status: 'active' } })).status, 200);
  assert.equal((await check()).body.allowed, true);
});
