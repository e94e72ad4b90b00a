/** Whole installations: moved to PostgreSQL, backed up while they work, restored. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startRelay } from '../../../kit/relay.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { words } from '../../../kit/words.ts';
import { Unavailable } from '../../../src/db/db.ts';
import { openPostgres } from '../../../src/db/postgres/db.ts';
import { backUp, CannotCopy, restore } from '../../../src/service/storage/backup.ts';
import { CannotMove, moveStore } from '../../../src/service/storage/move.ts';
import { item } from '../../http/given.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-storage-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));
const server = await testPostgres();
const quiet = { say: () => {} };

type Any = any;

/** Sends a request such as `GET /v1/policies`, insists on success and returns the body. */
async function must(on: TestService, key: string, request: string, body?: object): Promise<Any> {
  const [method, path] = request.split(' ') as [string, string];
  const answer = await on.call(method, path, { key, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

/** A little of everything, and things that were deleted. */
async function fill(dataDir: string): Promise<{ key: string; testKey: string; limited: string; lastNo: number }> {
  await using service = await startTestService({ dataDir });
  const { key } = service;
  const call = (request: string, body?: object) => must(service, key, request, body);
  const policy = await call('POST /v1/policies', {
    name: 'é "quoted" \\ {braces}, NULL',
    rules: [{ action: 'allow', rateLimit: { requests: 5, period: 'day' } }],
  });
  await call(`PATCH /v1/policies/${policy.id}`, { description: 'second' });
  await call(`PUT /v1/policies/${policy.id}/candidate`, { rules: [{ action: 'allow' }] });
  const limited = await call('POST /v1/content', {
    ...item(),
    policyId: policy.id,
    metadata: { text: 'a"b\\c,{}\n😀', n: 1.5 },
  });
  const bulk = { items: Array.from({ length: 300 }, () => item()) };
  await call('POST /v1/content/bulk-upsert', bulk);
  await call('POST /v1/requesters', { id: 'r', tags: ['a', 'b'] });
  await call('POST /v1/licenses', { requesterId: 'r', type: 't' });
  await call('POST /v1/webhooks', { url: 'https://example.org/hook', events: ['license.expired'] });
  for (let i = 0; i < 3; i++) {
    await call('POST /v1/access/check', { contentId: limited.id, requesterId: 'r', purpose: 'training' });
  }
  const checks = Array.from({ length: 1_000 }, (_, i) => ({
    contentId: limited.id,
    requesterId: `r${i % 7}`,
    dryRun: i === 0,
  }));
  for (let i = 0; i < 5; i++) await call('POST /v1/access/check/batch', { checks });
  const tests = await call('POST /v1/api-keys', { name: 't', type: 'secret', mode: 'test' });
  const tested = { contentId: limited.id, requesterId: 'r' };
  for (let i = 0; i < 2; i++) await must(service, tests.key, 'POST /v1/access/check', tested);
  const last = await call('POST /v1/content', item());
  await call(`DELETE /v1/content/${last.id}`);
  await service.service.close();
  using file = new DatabaseSync(join(dataDir, 'postern.db'), { readOnly: true });
  const row = file.prepare(`select seq from sqlite_sequence where name = 'content'`).get() as { seq: number };
  return { key, testKey: tests.key as string, limited: limited.id, lastNo: row.seq };
}

/** Returns the service's answers to queries about all records. */
async function answers(on: TestService, key: string): Promise<Any[]> {
  const found: Any[] = [];
  for (const path of words(`
    /v1/content?limit=100 /v1/policies /v1/requesters /v1/licenses /v1/webhooks /v1/audit-log?limit=100
    /v1/events?limit=100 /v1/access/decisions?limit=100 /v1/access/decisions?limit=100&requesterId=r
    /v1/analytics/usage?period=all /v1/access/decisions?mode=test
  `)) {
    found.push(await must(on, key, `GET ${path}`));
  }
  const [{ id }] = found[1].data;
  const candidate = await must(on, key, `GET /v1/policies/${id}/candidate`);
  assert.equal(candidate.agreements, candidate.decisions);
  assert.ok(candidate.decisions > 0);
  return [...found, candidate];
}

describe('moving to PostgreSQL', () => {
  test('everything is there, decisions and limits included; the folder is as it was', async () => {
    const dataDir = newFolder();
    const { key, testKey, limited, lastNo } = await fill(dataDir);
    await using database = await server.newDatabase();
    const result = await command(['migrate-store', '--from', dataDir, '--to', database.url, '--json']);
    assert.equal(result.status, 0, result.stderr);
    const { tables } = JSON.parse(result.stdout);
    assert.ok(tables.decisions === 4_998 && tables.content === 301, result.stdout);
    await using before = await startTestService({ dataDir });
    const env = { POSTERN_DATABASE_URL: database.url };
    await using now = await startTestService({ dataDir: newFolder(), env });
    assert.deepEqual(await answers(now, key), await answers(before, key));
    for (const one of [before, now]) {
      const { rateLimit } = await must(one, key, 'POST /v1/access/check', { contentId: limited, requesterId: 'r' });
      assert.equal(rateLimit.remaining, 1, 'what was used before is used');
      const tested = await must(one, testKey, 'POST /v1/access/check', { contentId: limited, requesterId: 'r' });
      assert.equal(tested.rateLimit.remaining, 2, 'and what tests used');
    }
    // What it gives from now on was never given before.
    const body = item();
    await must(now, key, 'POST /v1/content', body);
    const db = await openPostgres(database.url);
    const [row] = await db.read<{ no: number }>('select no from content order by no desc limit 1');
    await db.close();
    assert.ok((row?.no ?? 0) > lastNo, `${row?.no} after ${lastNo}`);
  });

  test('cut off in the middle: no service works with half of it, and the next run goes on', async () => {
    const dataDir = newFolder();
    const { key } = await fill(dataDir);
    await using database = await server.newDatabase();
    await using relay = await startRelay(server.port);
    const url = database.url.replace(String(server.port), String(relay.port));
    let lines = 0;
    const say = (line: string): void => {
      if (/the same on both sides/.test(line) && ++lines === 3) relay.cut();
    };
    await assert.rejects(moveStore({ dataDir, url, say }), Unavailable);
    const env = { POSTERN_DATABASE_URL: database.url };
    await assert.rejects(startTestService({ dataDir: newFolder(), env }), /not finished/);
    // As if it had ended in the middle of the decisions.
    const db = await openPostgres(database.url);
    await db.atomic([{ sql: 'delete from decisions where seq > (select min(seq) + 3000 from decisions)' }]);
    await db.close();
    relay.open();
    const moved = await moveStore({ dataDir, url, ...quiet });
    assert.ok(moved.found > 3_000, `${moved.found} found there`);
    await using before = await startTestService({ dataDir });
    await using now = await startTestService({ dataDir: newFolder(), env });
    assert.deepEqual(await answers(now, key), await answers(before, key));
  });

  test('is refused: a running service, a database with data, another installation, a folder used in between', async () => {
    const dataDir = newFolder();
    await fill(dataDir);
    await using database = await server.newDatabase();
    {
      await using running = await startTestService({ dataDir });
      await assert.rejects(moveStore({ dataDir, url: database.url, ...quiet }), CannotMove);
      assert.ok(running.url);
    }
    await using taken = await server.newDatabase();
    {
      const env = { POSTERN_DATABASE_URL: taken.url };
      await using other = await startTestService({ dataDir: newFolder(), env });
      assert.ok(other.url);
    }
    await assert.rejects(moveStore({ dataDir, url: taken.url, ...quiet }), /holds data already/);
    // One row was changed after it had been copied.
    await using relay = await startRelay(server.port);
    const url = database.url.replace(String(server.port), String(relay.port));
    await assert.rejects(
      moveStore({ dataDir, url, say: (line) => void (/the same/.test(line) && relay.cut()) }),
      Unavailable,
    );
    relay.open();
    {
      using file = new DatabaseSync(join(dataDir, 'postern.db'));
      file.exec(`update policies set updated_at = updated_at + 1 where id = 'pol_default'`);
    }
    await assert.rejects(moveStore({ dataDir, url, ...quiet }), /policies is not the same on both sides/);
    const other = newFolder();
    await fill(other);
    await assert.rejects(moveStore({ dataDir: other, url, ...quiet }), /Another installation/);
  });
});

describe('backup and restore', () => {
  test('while checks and edits are made: all that was acknowledged before it began is in it, and it works', async () => {
    const dataDir = newFolder();
    const to = join(newFolder(), 'backup');
    await using service = await startTestService({ dataDir });
    const { key } = service;
    const policy = await must(service, key, 'POST /v1/policies', { name: 'p', rules: [{ action: 'allow' }] });
    const body = { ...item(), policyId: policy.id };
    const content = await must(service, key, 'POST /v1/content', body);
    const acknowledged: string[] = [];
    let titles = 0;
    let over = false;
    const checker = async () => {
      while (!over) {
        const checks = Array.from({ length: 50 }, () => ({ contentId: content.id }));
        const { data } = await must(service, key, 'POST /v1/access/check/batch', { checks });
        for (const { id } of data) acknowledged.push(id);
      }
    };
    const editor = async () => {
      while (!over) {
        await must(service, key, `PATCH /v1/content/${content.id}`, { title: `Title ${titles + 1}` });
        titles++;
      }
    };
    const load = [checker(), checker(), editor()];
    await until('checks under way', () => acknowledged.length >= 5_000, 60_000);
    const before = { decisions: acknowledged.length, titles };
    // As an operator does it: another process.
    const result = await command(['backup', '--data-dir', dataDir, '--to', to, '--json']);
    const during = acknowledged.length - before.decisions;
    over = true;
    await Promise.all(load);
    assert.equal(result.status, 0, result.stderr);
    assert.ok(during > 0, 'checks were answered meanwhile');
    const copied = JSON.parse(result.stdout) as { decisions: number; folder: string };
    assert.ok(copied.decisions >= before.decisions, `${copied.decisions} of ${before.decisions}`);

    const restored = newFolder();
    restore(copied.folder, restored);
    await using again = await startTestService({ dataDir: restored });
    const known = new Set<string>();
    const log = await again.call('GET', '/v1/access/decisions', { key, headers: { accept: 'application/x-ndjson' } });
    for (const line of log.text.trim().split('\n')) known.add((JSON.parse(line) as { id: string }).id);
    assert.equal(known.size, copied.decisions);
    for (const id of acknowledged.slice(0, before.decisions)) assert.ok(known.has(id), `${id} is lost`);
    const title = (await must(again, key, `GET /v1/content/${content.id}`)).title as string;
    assert.ok(Number(title.slice(6)) >= before.titles, `${title}, after ${before.titles}`);
    const usage = await must(again, key, 'GET /v1/analytics/usage?period=all');
    assert.equal(usage.summary.totalRequests, copied.decisions);
    assert.equal((await must(again, key, 'POST /v1/access/check', { contentId: content.id })).recorded, true);
  });

  test('is refused: what is there already, what is not there, what is damaged, a service that works there', async () => {
    const dataDir = newFolder();
    await fill(dataDir);
    const to = join(newFolder(), 'backup');
    assert.throws(() => backUp(newFolder(), to), CannotCopy);
    backUp(dataDir, to);
    assert.throws(() => backUp(dataDir, to), /there already/);
    assert.throws(() => restore(newFolder(), newFolder()), /no backup/);
    assert.throws(() => restore(to, dataDir), /holds an installation already/);
    const empty = newFolder();
    {
      await using running = await startTestService({ dataDir: empty });
      assert.ok(running.url);
      assert.throws(() => restore(to, empty), /A service uses/);
    }
    const file = join(to, 'postern.db');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, bytes.length / 2, bytes.length / 2 + 8_192);
    writeFileSync(file, bytes);
    const target = newFolder();
    assert.throws(() => restore(to, target), /damaged|malformed/);
    assert.equal(existsSync(join(target, 'postern.db')), false);
    truncateSync(file, 0);
    assert.throws(() => restore(to, target));
  });
});
