/**
 * Promise: once decisions moved to ClickHouse, every answer is as that of an installation that keeps all of them: logs,
 * reports, statements, previews, receipts, after deletions, erasures and retention, and after the columns were counted
 * again. What is away or lost is refused, never left out. Through real services on a real PostgreSQL.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verifyReceipt } from '../../../client/src/receipt.ts';
import type { Answer } from '../../../kit/answer.ts';
import type { TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, assertError, assertStatus, check } from '../../http/given.ts';
import {
  assertSame,
  DAY_MS,
  givenMoved,
  type Ids,
  letPass,
  plain,
  read,
  untilOn,
  WITHIN_MS,
} from './clickhouse-moved-bench.ts';

const preview = (node: TestService, ids: Ids, month: Date): Promise<Answer> =>
  node.call('POST', `/v1/policies/${ids.policyId}/impact`, {
    body: { policy: { rules: [allowAll] }, from: new Date(month.getTime() - DAY_MS).toISOString() },
  });

/** Answers to what is no GET: statements with their decisions, a preview, a final statement. */
async function askMore(node: TestService, ids: Ids, month: Date): Promise<unknown[]> {
  const period = month.toISOString().slice(0, 7);
  const { data } = (await read(node, `/v1/statements?period=${period}&licenseId=${ids.licenseId}`)).body;
  const path = `/v1/statements/${data[0].id}`;
  const evidence = await node.call('GET', path, { headers: { accept: 'application/x-ndjson' } });
  const impact = await preview(node, ids, month);
  const final = await node.call('POST', `${path}/finalize`);
  for (const answer of [evidence, impact, final]) assertStatus(answer, 200);
  const { to: _, ...previewed } = impact.body;
  const { finalized: __, ...billed } = final.body;
  return [evidence.text.split('\n').toSorted(), previewed, plain(JSON.stringify(billed))];
}

for (const [where, cluster] of [
  ['a server', ''],
  ['a cluster', 'postern'],
] as const) {
  test(`decisions that moved to ${where} are in every answer, or it is refused`, { timeout: 900_000 }, (t) =>
    assertMoved(t, cluster),
  );
}

async function assertMoved(t: TestContext, cluster: string): Promise<void> {
  const given = await givenMoved(t, { cluster });
  const { clickHouse, database, rows, urls, clock, start, ids, month, old, theirs, young, nodes, paths } = given;
  const [moving] = nodes;
  await assertSame(nodes, paths);
  assert.deepEqual(await askMore(moving, ids, month), await askMore(nodes[1], ids, month));
  const key = (await moving.call('GET', '/log/key', { key: null })).text;
  const proof = await moving.call('GET', `/v1/access/decisions/${theirs[0]}/proof`);
  assertStatus(proof, 200);
  assert.equal((await verifyReceipt(proof.text, key)).requester?.requesterId, 'acme');
  await assert.rejects(start(urls[0]), /moved to ClickHouse: set POSTERN_COLUMNS on this node, too/);

  const [gone = ''] = old;
  await clickHouse.copy();
  const seq = (await clickHouse.query('select max(seq) from records_1', database)).trim();
  for (const how of [`delete where seq = ${seq}`, `update reason = 5 where seq = ${seq}`]) {
    await clickHouse.query(`alter table ${rows} ${how} settings mutations_sync = 2`, database);
    for (const path of [`/v1/access/decisions/${gone}`, `/v1/access/decisions/${gone}/proof`]) {
      const answer = await moving.call('GET', path);
      assertError(answer, 'service_unavailable');
      assert.match(
        answer.body.error.message,
        /moved to ClickHouse, and are not there as they were: restore its backup/,
      );
    }
    await clickHouse.restore();
    assertStatus(await read(moving, `/v1/access/decisions/${gone}`), 200);
  }

  await clickHouse.kill();
  const away = await moving.call('GET', `/v1/access/decisions/${gone}`);
  assertError(away, 'service_unavailable');
  assert.match(away.body.error.message, /^Decisions that moved to ClickHouse cannot be read now: /);
  const impact = await preview(moving, ids, month);
  assertError(impact, 'service_unavailable');
  assert.match(impact.body.error.message, /^Decisions that moved to ClickHouse cannot be read now: /);
  assertStatus(await moving.call('GET', `/v1/access/decisions/${young}`), 200);
  for (const node of nodes) await check(node, { contentId: ids.contentId, requesterId: 'globex' });
  for (const node of nodes) assertStatus(await node.call('POST', '/v1/requesters/acme/erase', { body: {} }), 200);
  await untilOn([urls[0]], 'the name is gone', `select 1 from record_names where id = 'acme'`, false);
  await clickHouse.start();
  assert.doesNotMatch((await read(moving, `/v1/access/decisions/${theirs[0]}`)).text, /"acme"|GPTBot\/1/);
  const stopTime = letPass(clock);
  await untilOn(urls, 'erased', `select 1 from erasures where status <> 'done'`, false);
  stopTime();
  const named = 'select requester from records_1 where license_id is not null';
  const kept = await clickHouse.query(`select * from records_1 where requester in (${named})`, database);
  assert.doesNotMatch(kept, /userAgent|acme/);
  const hidden = await moving.call('GET', `/v1/access/decisions/${theirs[0]}/proof`);
  const receipt = await verifyReceipt(hidden.text, key);
  assert.deepEqual([receipt.requester, receipt.withheld.includes('requester')], [null, true]);
  await assertLeft(given);
}

/** Deletes an item, counts all columns again, and restores a backup of ClickHouse from before. */
async function assertLeft(given: Awaited<ReturnType<typeof givenMoved>>): Promise<void> {
  const { clickHouse, database, urls, start, stop, ids, nodes, paths } = given;
  for (const node of nodes) assertStatus(await node.call('DELETE', `/v1/content/${ids.contentId}`), 200);
  await untilOn(urls, 'swept', 'select 1 from purges', false);
  await clickHouse.query('drop table decisions_v1 sync', database);
  await stop(nodes[1]);
  const both = [nodes[0], await start(urls[1])] as const;
  const left = paths.filter((path) => !path.includes(ids.contentId));
  await assertSame(both, left);
  await clickHouse.restore();
  const some = left.filter((path) => /decisions|statements/.test(path));
  await assertSame(both, some);
}

test('moved decisions lose their inputs, and leave the log, as others do', { timeout: 900_000 }, async (t) => {
  const { clickHouse, database, urls, clock, start, stop, moving, nodes, paths } = await givenMoved(t);
  await stop(...nodes);
  const days = { POSTERN_INPUT_DAYS: '40' };
  const erasing = [await start(urls[0], { ...moving, ...days }), await start(urls[1], days)] as const;
  await untilOn(urls, 'inputs erased', `select 1 from settings where name = 'inputs_erased_to' and value >= '60'`);
  const some = paths.filter((path) => /decisions|statements|groupBy=page/.test(path));
  await assertSame(erasing, some);
  // The wait begins when it is seen that they were erased, and anew where more were meanwhile.
  const stopTime = letPass(clock);
  const inputs = `select count() from records_1 where inputs like '%userAgent%'`;
  await until('overwritten', async () => (await clickHouse.query(inputs, database)) === '0', WITHIN_MS);
  stopTime();
  await assertSame(erasing, some);
  await stop(...erasing);
  clock.advance(20 * DAY_MS);
  const leave = { POSTERN_DECISION_DAYS: '60' };
  const retiring = [await start(urls[0], { ...moving, ...leave }), await start(urls[1], leave)] as const;
  await untilOn(urls, 'retired', `select 1 from settings where name = 'decisions_retired_to' and value >= '60'`);
  await assertSame(retiring, some);
  // The wait begins when it is seen that they left.
  const endTime = letPass(clock);
  const rows = () => clickHouse.query('select count() from records_1', database);
  await until('nothing is left', async () => (await rows()) === '0', WITHIN_MS);
  await assertSame(retiring, some);
  await stop(...retiring);
  // ClickHouse has nothing any more, so nothing asks for it.
  await clickHouse.kill();
  const without = await start(urls[0], leave);
  assertStatus(await without.call('POST', '/v1/requesters/acme/erase', { body: {} }), 200);
  await untilOn([urls[0]], 'erased', `select 1 from erasures where status <> 'done'`, false);
  endTime();
});
