/** Many erasures at once: the columns, which answer nothing while they are copied, are copied for several together. */
import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { check, made, makeItem } from '../http/given.ts';

const ERASURES = 40;

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

test('the columns are copied less often than requesters are erased', async () => {
  const { id: contentId } = await makeItem(postern, [{ action: 'allow', conditions: {} }]);
  const ids = Array.from({ length: ERASURES }, (_, i) => `to-erase-${i}`);
  for (const requesterId of ids) await check(postern, { contentId, requesterId });
  const usage = async (id: string) =>
    (await postern.call('GET', `/v1/analytics/usage?period=7d&requesterId=${id}`)).body.summary.totalRequests;
  assert.equal(await usage('to-erase-7'), 1);
  let copies = 0;
  // A copy is renamed to the file that it replaces.
  const watcher = watch(postern.dataDir, (event, name) => {
    if (event === 'rename' && name === 'columns.duckdb') copies += 1;
  });
  after(() => watcher.close());
  await Promise.all(ids.map((id) => made(postern, `/v1/requesters/${id}/erase`, {}, 200)));
  const running = async () => (await postern.call('GET', '/v1/status')).body.privacy.erasures.running;
  await until('all are erased', async () => (await running()) === 0, 60_000);
  assert.equal(await usage('to-erase-7'), 0);
  assert.ok(copies >= 1 && copies <= ERASURES / 4, String(copies));
});
