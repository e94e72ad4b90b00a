/** SQLite's write-ahead log keeps nothing that was erased, also if a reader held it up when the erasure ended. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startTestService, type TestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertStatus, check, item, made } from '../http/given.ts';

const MARK = 'unmistakable-agent';

const hasMark = (postern: TestService): boolean =>
  readFileSync(join(postern.dataDir, 'postern.db-wal'), 'latin1').includes(MARK);

test('an erased requester', async () => {
  await using postern = await startTestService();
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'P', rules: [{ action: 'allow' }] });
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  await made(postern, '/v1/requesters', { id: 'acme', name: MARK });
  await check(postern, { contentId, requesterId: 'acme', context: { userAgent: MARK } });
  assert.ok(hasMark(postern));
  const reader = new DatabaseSync(join(postern.dataDir, 'postern.db'), { readOnly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from decisions').get();
  assertStatus(await postern.call('POST', '/v1/requesters/acme/erase', { body: { confirm: 'acme' } }), 200);
  const isDone = async () =>
    ((await postern.rowsOf('erasures')) as { status: string }[]).every(({ status }) => status === 'done');
  await until('it is erased', isDone);
  assert.ok(hasMark(postern), 'the reader holds nothing up');
  reader.close();
  await until('the log is empty', () => !hasMark(postern));
});
