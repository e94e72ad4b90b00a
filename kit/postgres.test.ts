/** The server that tests bring runs from wherever the project was cloned, or says at once why it cannot. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { launchServer, newInstallation } from './postgres.ts';
import { binariesFolder } from './postgres-binaries.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-private-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const START = `
  import { testPostgres, query } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))};
  await using database = await (await testPostgres()).newDatabase();
  console.log(await query(database.url, 'select 1 as one'));`;

/** Starts a server of another process, whose binaries only this user may enter. */
function startPrivately(temporary: string) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  spawnSync('cp', ['-R', join(binariesFolder(), '..'), join(home, 'native')]);
  mkdirSync(temporary, { recursive: true });
  const env = { ...process.env, POSTERN_TEST_POSTGRES: join(home, 'native', 'bin'), TMPDIR: temporary };
  return spawnSync(process.execPath, ['--input-type=module', '-e', START], { env, encoding: 'utf8' });
}

test('binaries in a folder that only this user may enter', { timeout: 120_000 }, () => {
  chmodSync(folder, 0o755);
  const { stdout, stderr } = startPrivately(join(folder, 'open'));
  assert.match(stdout, /one: 1/, stderr);
});

test('nowhere to bring them', {
  timeout: 120_000,
  skip: process.getuid?.() === 0 ? false : 'only root needs it',
}, () => {
  const { status, stderr } = startPrivately(join(folder, 'home', 'closed'));
  assert.equal(status, 1);
  assert.match(stderr, /PostgreSQL runs as another user than root[^]*Set TMPDIR/);
});

test('a server that ends while it starts is not waited for', { timeout: 120_000 }, async () => {
  const server = await launchServer(await newInstallation({}), { shared_buffers: 'nonsense' });
  await assert.rejects(server.answers(), /did not start: it ended: [^]*shared_buffers/);
});
