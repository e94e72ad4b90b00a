/** The log of receipts in a backup, in the archive, and on its way to PostgreSQL: it goes on, or ends visibly. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyCheckpoint, verifyReceipt } from '../../../client/src/receipt.ts';
import { commandHere } from '../../../kit/command.ts';
import { hurry } from '../../../kit/hurry.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { leavesOf } from '../../../kit/leaves.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { assertError, assertStatus, check, item, made, makeKey } from '../../http/given.ts';
import { openSigner } from '../../receipts/second.ts';

hurry();

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOG = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };

async function stage(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  // So long ago that decisions may be archived.
  const clock = testClock(Date.now() - 45 * DAY_MS);
  const dataDir = join(folder.path, 'data');
  const postern = await startTestService({ dataDir, clock, env: { ...LOG, ...env } });
  const { key } = postern;
  const { id: contentId } = await made(postern, '/v1/content', item());
  const receipt = (at: TestService, id: string, query = ''): Promise<string> =>
    until('a receipt', async () => {
      const answer = await at.call('GET', `/v1/access/decisions/${id}/proof${query}`, { key });
      if (answer.status === 200) return answer.text;
      assertError(answer, 'service_unavailable');
      clock.advance(MINUTE_MS);
      return undefined;
    });
  return {
    folder,
    clock,
    dataDir,
    postern,
    key,
    contentId,
    receipt,
    /** Decides on the item, and waits for the receipt. */
    async decide(at: TestService, requesterId = 'acme') {
      const body = { contentId, requesterId, context: { ip: '203.0.113.7' } };
      const { id } = (await at.call('POST', '/v1/access/check', { body, key })).body as { id: string };
      return { id, text: await receipt(at, id) };
    },
    async text(at: TestService, path: string): Promise<string> {
      const answer = await at.call('GET', path, { key: null });
      assertStatus(answer, 200);
      return answer.text;
    },
    [Symbol.asyncDispose]: async () => {
      await postern[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test('a restored backup ends the log: it goes on by another name, and whoever kept a checkpoint sees it', async () => {
  await using at = await stage();
  const [home, restored] = [join(at.folder.path, 'backups'), join(at.folder.path, 'restored')];
  const before = await at.decide(at.postern);
  assert.equal((await commandHere(['backup', '--data-dir', at.dataDir, '--to', home])).status, 0);
  // The backup does not have this one.
  const lost = await at.decide(at.postern);
  const old = await at.text(at.postern, '/log/checkpoint');
  const oldKeys = await at.text(at.postern, '/log/key');
  const ran = await commandHere(['restore', '--from', home, '--data-dir', restored]);
  assert.equal(ran.status, 0, ran.stderr);

  await using again = await startTestService({ dataDir: restored, clock: at.clock, env: LOG });
  const now = await until('it is signed', async () => {
    const answer = await again.call('GET', '/log/checkpoint', { key: null });
    return answer.status === 200 ? answer.text : undefined;
  });
  const keys = await at.text(again, '/log/key');
  const { origin, size } = await verifyCheckpoint(now, keys);
  assert.match(origin, /^access\.example\.com\/log\/\d{8}T\d{6}Z$/);
  assert.equal(size, 1);
  // Receipts of the log that ended still verify, with the keys of today, too.
  for (const text of [before.text, lost.text]) {
    await verifyReceipt(text, oldKeys);
    await verifyReceipt(text, keys);
  }
  const since = `?since=${(await verifyCheckpoint(old, oldKeys)).size}`;
  for (let i = 0; i < 2; i++) await at.decide(again, `r${i}`);
  const files = {
    receipt: join(at.folder.path, 'a'),
    key: join(at.folder.path, 'key'),
    old: join(at.folder.path, 'old'),
  };
  writeFileSync(files.receipt, await at.receipt(again, before.id, since));
  writeFileSync(files.key, keys);
  writeFileSync(files.old, old);
  const verify = ['verify', files.receipt, '--public-key', files.key];
  assert.equal((await commandHere(verify)).status, 0);
  const said = await commandHere([...verify, '--checkpoint', files.old]);
  assert.equal(said.status, 1);
  assert.match(said.stderr, /of another log: access\.example\.com\/log\./);
  assertError(await again.call('GET', `/v1/access/decisions/${lost.id}/proof`, { key: at.key }), 'decision_not_found');
});

test('decisions in the archive keep their receipts; those of erased requesters say no more whose they were', async () => {
  const folder = temporaryFolder();
  await using at = await stage({ POSTERN_ARCHIVE_DIR: join(folder.path, 'archive') });
  await made(at.postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const [theirs, other] = [await at.decide(at.postern), await at.decide(at.postern, 'other')];
  const { token } = await made(at.postern, '/v1/requesters/acme/tokens', { name: 't' });
  at.clock.advance(45 * DAY_MS);
  const before = new Date(Date.now() - 35 * DAY_MS).toISOString().slice(0, 10);
  const ran = await commandHere([
    'archive',
    '--data-dir',
    at.dataDir,
    '--before',
    before,
    '--to',
    join(folder.path, 'archive'),
  ]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.deepEqual(await leavesOf(at.postern), []);
  const keys = await at.text(at.postern, '/log/key');
  // The checkpoint may be a newer one.
  const parts = (text: string): string => text.split('\n')[1] ?? '';
  for (const { id, text } of [theirs, other]) {
    const archived = await at.receipt(at.postern, id);
    assert.deepEqual((await verifyReceipt(archived, keys)).withheld, []);
    assert.equal(parts(archived), parts(text));
  }
  const own = await at.postern.call('GET', `/v1/me/decisions/${theirs.id}/proof`, { key: token });
  assert.deepEqual((await verifyReceipt(own.text, keys)).withheld, ['rule', 'inputs']);
  const foreign = await at.postern.call('GET', `/v1/me/decisions/${other.id}/proof`, { key: token });
  assertError(foreign, 'decision_not_found');

  assertStatus(await at.postern.call('POST', '/v1/requesters/acme/erase'), 200);
  await until('it is erased', async () => {
    const { withheld } = await verifyReceipt(await at.receipt(at.postern, theirs.id), keys);
    return withheld.join() === 'requester,inputs';
  });
  assert.equal(parts(await at.receipt(at.postern, other.id)), parts(other.text));
  assertStatus(await at.postern.call('DELETE', `/v1/content/${at.contentId}`), 200);
  assertError(await at.postern.call('GET', `/v1/access/decisions/${other.id}/proof`), 'decision_not_found');
});

test('decisions of test keys leave their log, and live ones of the same numbers keep their receipts', async () => {
  await using at = await stage();
  const live = await at.decide(at.postern);
  const key = await makeKey(at.postern, { mode: 'test' });
  await check(at.postern, { contentId: at.contentId }, key);
  at.clock.advance(31 * DAY_MS);
  await until('it left', async () => (await at.postern.rowsOf('test_decisions')).length === 0);
  await verifyReceipt(await at.receipt(at.postern, live.id), await at.text(at.postern, '/log/key'));
});

test('the log goes on when an installation moves to PostgreSQL', async () => {
  await using at = await stage();
  const database = await (await testPostgres()).newDatabase();
  await using stack = new AsyncDisposableStack();
  stack.use(database);
  const first = await at.decide(at.postern);
  const old = await at.text(at.postern, '/log/checkpoint');
  const keys = await at.text(at.postern, '/log/key');
  await at.postern.service.close();
  const ran = await commandHere(['migrate-store', '--from', at.dataDir, '--to', database.url]);
  assert.equal(ran.status, 0, ran.stderr);
  await using moved = await startTestService({ clock: at.clock, env: { ...LOG, POSTERN_DATABASE_URL: database.url } });
  assert.equal(await at.text(moved, '/log/key'), keys);
  assert.equal(await at.receipt(moved, first.id), first.text);
  const { id } = await at.decide(moved, 'other');
  const { size } = await verifyCheckpoint(old, keys);
  for (const one of [first.id, id]) {
    await verifyReceipt(await at.receipt(moved, one, `?since=${size}`), keys, { checkpoint: old });
  }
});

test('a witness that is restored from a backup has another key, and begins again', async () => {
  using folder = temporaryFolder();
  const path = (name: string): string => join(folder.path, name);
  const env = { POSTERN_PUBLIC_URL: 'https://partner.example', POSTERN_WITNESS_LOGS: openSigner().key };
  const before = await startTestService({ dataDir: path('data'), env });
  const key = await before.call('GET', '/witness/key', { key: null });
  await before.tamper({ sql: `insert into settings (name, value) values ('witness_log x', '{}')` });
  await before.service.close();
  assert.equal((await commandHere(['backup', '--data-dir', path('data'), '--to', path('backups')])).status, 0);
  const ran = await commandHere(['restore', '--from', path('backups'), '--data-dir', path('restored')]);
  assert.equal(ran.status, 0, ran.stderr);
  const again = await startTestService({ dataDir: path('restored'), env });
  const after = await again.call('GET', '/witness/key', { key: null });
  assert.notEqual(after.text, key.text);
  const shown = await commandHere(['witness', 'key'], { env: { POSTERN_URL: again.url, POSTERN_KEY: before.key } });
  assert.equal(shown.stdout, after.text);
  assert.deepEqual(await again.rowsOf(`settings where name like 'witness_log%'`), []);
  await again.service.close();
});
