/**
 * Promise: statements and what is outside of them count each decision once, also if its item is deleted and swept while
 * an archive is being written, or after an archive was broken off.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../../kit/service.ts';
import { openSqlite } from '../../../src/db/sqlite/db.ts';
import { archive, recordFile } from '../../../src/decisions/history/archive/archive.ts';
import { writeFile } from '../../../src/decisions/history/archive/file.ts';
import { sweep } from '../../../src/decisions/history/retention/sweep.ts';
import { check, item, made, makePolicy, PRICED } from '../../http/given.ts';

const OLD = Date.parse('2026-01-10T12:00:00Z');
const NOW = Date.parse('2026-03-20T00:00:00Z');
const LICENSED = 3;
const UNLICENSED = 5;

const root = mkdtempSync(join(tmpdir(), 'postern-deletions-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));

/** A service with an item that was asked for, with and without a license, and another one. */
async function stage(stack: AsyncDisposableStack) {
  const [dataDir, archiveDir] = [newFolder(), newFolder()];
  const env = { POSTERN_ARCHIVE_DIR: archiveDir };
  const clock = testClock(OLD);
  const postern = stack.use(await startTestService({ dataDir, env, clock }));
  const policy = await makePolicy(postern, [
    { action: 'allow', conditions: { hasValidLicense: true } },
    { action: 'allow', conditions: {} },
  ]);
  const [doomed, kept] = [
    await made(postern, '/v1/content', item({ policyId: policy.id })),
    await made(postern, '/v1/content', item({ policyId: policy.id })),
  ];
  await made(postern, '/v1/requesters', { id: 'acme' });
  const license = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'a', terms: PRICED });
  for (const { id: contentId } of [doomed, kept]) {
    for (let i = 0; i < LICENSED; i++) await check(postern, { contentId, requesterId: 'acme' });
    for (let i = 0; i < UNLICENSED; i++) await check(postern, { contentId });
  }
  clock.advance(NOW - OLD);
  const records = dataDir;
  return {
    records,
    archiveDir,
    archive: () => archive({ records, before: Date.parse('2026-02-01T00:00:00Z'), to: archiveDir, now: NOW, say() {} }),
    remove: async () => assert.equal((await postern.call('DELETE', `/v1/content/${doomed.id}`)).status, 200),
    async sweep() {
      const db = await openSqlite(join(dataDir, 'postern.db'));
      await sweep(db, NOW);
      await db.close();
    },
    tamper: postern.tamper,
    async assertCounted() {
      const { outside } = (await postern.call('GET', '/v1/statements?period=2026-01')).body;
      const { data } = (await postern.call('GET', `/v1/statements?period=2026-01&licenseId=${license.id}`)).body;
      assert.deepEqual([outside.noLicense, outside.noTerms, data[0].units], [2 * UNLICENSED, 0, 2 * LICENSED]);
    },
  };
}

test('an item that is deleted before an archive, which is broken off, and swept after that', async () => {
  await using stack = new AsyncDisposableStack();
  const given = await stage(stack);
  await given.assertCounted();
  await given.remove();
  await given.tamper({ sql: `create trigger stop before delete on decisions begin select raise(abort, 'stop'); end` });
  await assert.rejects(given.archive());
  await given.tamper({ sql: 'drop trigger stop' });
  await given.assertCounted();
  await given.sweep();
  await given.assertCounted();
  await given.archive();
  await given.assertCounted();
  await given.sweep();
  await given.assertCounted();
});

test('an item that is deleted and swept after its decisions were written to the file: the file is written again', async () => {
  await using stack = new AsyncDisposableStack();
  const given = await stage(stack);
  const db = await openSqlite(join(given.records, 'postern.db'));
  stack.defer(() => db.close());
  const [newest] = await db.read<{ seq: number }>('select max(seq) as seq from decisions');
  const file = { after: 0, end: newest?.seq ?? 0, name: 'one.parquet', now: NOW, to: given.archiveDir };
  const rows = await writeFile(db, join(file.to, file.name), file.after, file.end);
  assert.equal(rows, 2 * (LICENSED + UNLICENSED));
  await given.remove();
  await given.sweep();
  await given.assertCounted();
  assert.equal(await recordFile(db, { ...file, rows, erasures: 0, deleted: 0, sealed: 0, lost: [] }), false);
  await given.assertCounted();
  assert.equal((await given.archive()).decisions, LICENSED + UNLICENSED);
  await given.assertCounted();
});
