/** `/readyz` says no where the records are damaged, and a start on such records is refused in a sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { StartRefused } from '../../../src/db/start-refused.ts';

for (const table of ['receipts', 'limits', 'events']) {
  test(`without the table ${table} the service is not ready`, async () => {
    await using postern = await startTestService();
    const ready = () => postern.call('GET', '/readyz', { key: null });
    assert.equal((await ready()).status, 200);
    await postern.tamper({ sql: `alter table ${table} rename to away` });
    const { status, body } = await ready();
    assert.equal(status, 503);
    assert.match(body.error.message, new RegExp(`The records are damaged .*${table}.* Restore a backup.`));
    assert.equal((await postern.call('GET', '/livez', { key: null })).status, 200);
    const started = await postern.restart().catch((error: unknown) => error);
    await postern.tamper({ sql: `alter table away rename to ${table}` });
    await postern.restart();
    assert.ok(started instanceof StartRefused);
    assert.match(started.message, /The records are damaged/);
    assert.equal((await ready()).status, 200);
  });
}

test('asked by many at once, each is answered', async () => {
  await using postern = await startTestService();
  const answers = await Promise.all(Array.from({ length: 50 }, () => postern.call('GET', '/readyz', { key: null })));
  assert.ok(answers.every(({ status }) => status === 200));
});
