/** Promise: errors have one form, also where the storage fails between a refusal and the search for a first attempt. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAnswer } from '../../kit/answer.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { fail } from '../../src/errors.ts';
import { supportIdempotency } from '../../src/http/idempotency.ts';
import { createServer } from '../../src/http/server.ts';
import { openLog } from '../../src/log.ts';
import { assertError } from './given.ts';

test('a refusal of a request with an Idempotency-Key, and then no storage: 503 in the usual form', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-idempotency-'));
  const db = await openSqlite(join(folder, 'postern.db'));
  await migrate(db, 0);
  const app = createServer(openLog(readConfig({ POSTERN_DATA_DIR: folder }), { write() {} }));
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { caller: { keyId: 'key_1', credential: 'secret' } });
  });
  supportIdempotency(app, db, { now: () => 0 });
  app.post('/v1/refused', async () => {
    await db.close();
    throw fail('statement_running', 'Not yet.', { headers: { 'retry-after': '60' } });
  });
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const init = {
      method: 'POST',
      headers: { 'idempotency-key': 'k', 'content-type': 'application/json' },
      body: '{}',
    };
    const answer = await readAnswer(await fetch(`${url}/v1/refused`, init));
    assertError(answer, 'service_unavailable');
    assert.notEqual(answer.headers.get('retry-after'), '60');
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
