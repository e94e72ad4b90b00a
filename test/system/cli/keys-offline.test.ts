/** `postern keys create --offline`: the way back in when no key is left that may make one. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { databaseSettings, startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const env = { POSTERN_DATA_DIR: postern.dataDir, ...(await databaseSettings(postern.dataDir)) };
const create = (...args: string[]) => command(['keys', 'create', ...args, '--offline'], { env });

test('makes a key beside a service that works, which accepts it; the audit log has it', async () => {
  const ran = await create('Recovery');
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /^svc_sk_[0-9A-Za-z]{49}\n$/);
  const key = ran.stdout.trim();
  await until('accepted', async () => (await postern.call('GET', '/v1/api-keys', { key })).status === 200, 1000);
  const { data } = (await postern.call('GET', '/v1/audit-log?kind=api_key.created', { key })).body;
  const entry = data.find((one: { after: { name: string } }) => one.after.name === 'Recovery');
  assert.deepEqual([entry.actor.type, entry.after.permissions, entry.before], ['system', ['*'], null]);
  assert.ok(!JSON.stringify(data).includes(key));
  const { data: events } = (await postern.call('GET', '/v1/events?type=api_key.created', { key })).body;
  assert.ok(events.some((one: { data: { object: { name: string } } }) => one.data.object.name === 'Recovery'));
});

test('undoes a lock-out: no key is left, and the service goes on with the new one', async () => {
  await postern.tamper({ sql: 'update api_keys set revoked_at = 1' });
  await postern.restart();
  assert.equal((await postern.call('GET', '/v1/api-keys')).status, 401);
  const key = (await create('Recovery')).stdout.trim();
  await until('accepted', async () => (await postern.call('GET', '/v1/api-keys', { key })).status === 200, 1000);
});

test('makes one while the service is stopped', async () => {
  await postern.service.close();
  const ran = await create('Reports', '--permission', 'analytics:read', '--allow-ip', '127.0.0.1', '--json');
  assert.equal(ran.status, 0, ran.stderr);
  const made = JSON.parse(ran.stdout);
  await postern.restart();
  assert.equal((await postern.call('GET', '/v1/analytics/usage', { key: made.key })).status, 200);
  assert.deepEqual([made.permissions, made.allowedIps], [['analytics:read'], ['127.0.0.1']]);
});

test('refuses what the API refuses', async () => {
  for (const [args, said] of [
    [['k', '--type', 'public', '--permission', 'content:write'], /public key may hold only/],
    [['k', '--permission', 'content'], /permissions\[0\]/],
    [['k', '--allow-ip', '127.1'], /allowedIps\[0\]/],
    [['k', '--expires', '2020-01-01T00:00:00Z'], /in the future/],
  ] as const) {
    const ran = await create(...args);
    assert.deepEqual([ran.status, ran.stdout], [1, ''], ran.stderr);
    assert.match(ran.stderr, said);
  }
});

test('says what is wrong where there is no installation of this version', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'postern-none-'));
  const at = async (dataDir: string) => command(['keys', 'create', 'k', '--offline', '--data-dir', dataDir]);
  assert.match((await at(empty)).stderr, /^There is no installation in /);
  writeFileSync(join(empty, 'postern.db'), '');
  assert.match((await at(empty)).stderr, /^There is no installation in /);
  writeFileSync(join(empty, 'postern.db'), 'no database at all, but longer than a header would be'.repeat(20));
  const ran = await at(empty);
  assert.equal(ran.status, 1);
  assert.ok(!ran.stderr.includes('    at '), ran.stderr);
  await postern.tamper({ sql: 'insert into schema_migrations (version, applied_at) values (999, 0)' });
  const newer = await create('k');
  assert.deepEqual([newer.status, newer.stdout], [1, '']);
  assert.match(newer.stderr, /another version of Postern/);
  await postern.tamper({ sql: 'delete from schema_migrations where version = 999' });
  assert.match((await command(['keys', 'create', 'k', '--data-dir', empty])).stderr, /--data-dir needs --offline/);
});
