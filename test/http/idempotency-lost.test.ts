/**
 * Promise: errors have one form, also where the storage fails between a refusal and the search for a first attempt; and
 * however a request ends, it holds its key no longer.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAnswer } from '../../kit/answer.ts';
import { fail } from '../../src/api/errors.ts';
import { supportIdempotency } from '../../src/api/http/idempotency.ts';
import { createServer } from '../../src/api/http/server.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { readConfig } from '../../src/service/config.ts';
import { openLog } from '../../src/service/log.ts';
import { assertError } from './given.ts';

/** A service whose storage fails while it refuses a request. `write`: the log. */
async function startFailing(write: () => void) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-idempotency-'));
  const db = await openSqlite(join(folder, 'postern.db'));
  await migrate(db, 0);
  const app = createServer(openLog(readConfig({ POSTERN_DATA_DIR: folder }), { write }));
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { caller: { keyId: 'key_1', credential: 'secret' } });
  });
  supportIdempotency(app, db, { now: () => 0 });
  app.post('/v1/refused', async () => {
    await db.close();
    throw fail('statement_running', 'Not yet.', { headers: { 'retry-after': '60' } });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
  return {
    ask: async () => readAnswer(await fetch(`${url}/v1/refused`, { method: 'POST', headers, body: '{}' })),
    async [Symbol.asyncDispose]() {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('a refusal of a request with an Idempotency-Key, and then no storage: 503 in the usual form', async () => {
  await using service = await startFailing(() => {});
  const answer = await service.ask();
  assertError(answer, 'service_unavailable');
  assert.notEqual(answer.headers.get('retry-after'), '60');
});

test('the log fails too: the next request with the key does not find it in use', async () => {
  let isFull = true;
  await using service = await startFailing(() => {
    if (isFull) throw new Error('the log is full');
  });
  await service.ask();
  isFull = false;
  assertError(await service.ask(), 'service_unavailable');
});
