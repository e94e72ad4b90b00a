/** While the disk is full, reports and the decision log go on, and count what was recorded up to then. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../kit/launch.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { cannotMount, fill, mount, unmount } from '../../../proof/crash/disk-faults.ts';
import { allowAll, check, makeItem } from '../../http/given.ts';

test('a full disk: usage, counts and the decision log are answered; afterwards the file takes over', async (t) => {
  const why = cannotMount();
  if (why !== undefined) return t.skip(why);
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'disk');
  mkdirSync(dataDir);
  mount(dataDir);
  using disk = new DisposableStack();
  disk.defer(() => unmount(dataDir));
  await using postern = await startTestService({ dataDir, housekeepingMayFail: true });
  const { id } = await makeItem(postern, [allowAll]);
  const ask = (path: string) => postern.call('GET', path);
  const total = async () => (await ask('/v1/analytics/usage?period=all')).body.summary?.totalRequests;
  const isRecorded = async () =>
    (await postern.call('POST', '/v1/access/check', { body: { contentId: id } })).status === 200;
  await check(postern, { contentId: id });
  assert.equal(await total(), 1);

  const filler = join(dataDir, 'filler');
  let recorded = 1;
  let followed = 0;
  for (let attempt = 0; followed === 0 && attempt < 5; attempt++) {
    // What is still written of earlier checks may take the room that was left.
    rmSync(filler, { force: true });
    if (attempt > 0) await until('checks are recorded', isRecorded);
    if (attempt > 0) recorded++;
    const { bavail, bsize } = statfsSync(dataDir);
    fill(filler, (bavail - 12) * bsize);
    while (await isRecorded()) followed++;
  }
  recorded += followed;
  assert.ok(followed > 0, 'some went where the columns had no room to follow');
  await until('usage is answered', async () => (await total()) === recorded);
  assert.equal((await ask(`/v1/content/${id}`)).body.stats.totalRequests, recorded);
  assert.equal((await ask('/v1/access/decisions')).body.totalCount, recorded);
  assert.equal((await postern.call('POST', '/v1/access/check', { body: { contentId: id } })).status, 503);

  rmSync(filler);
  await until('checks are recorded', isRecorded);
  recorded++;
  await until('usage is answered', async () => (await total()) === recorded);
  await postern.restart();
  assert.equal(await total(), recorded);
});
