/** A folder of backups: each run adds one, and rotation removes nothing but what it made. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandHere } from '../../../kit/command.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { startTestService } from '../../../kit/service.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;

async function installation() {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const postern = await startTestService({ dataDir });
  const home = join(folder.path, 'deep/backups');
  const run = (at: number, ...args: string[]) =>
    commandHere(['backup', '--data-dir', dataDir, '--to', home, ...args], { now: () => at });
  return {
    folder,
    dataDir,
    postern,
    home,
    run,
    list: () => readdirSync(home).toSorted(),
    [Symbol.asyncDispose]: async () => {
      await postern[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test('every run adds a backup, also in the same second, and overwrites none', async () => {
  await using at = await installation();
  for (const time of [NOON, NOON, NOON + DAY]) {
    const { status, stderr } = await at.run(time);
    assert.equal(status, 0, stderr);
  }
  assert.deepEqual(at.list(), ['postern-20261121T120000Z', 'postern-20261121T120000Z-2', 'postern-20261122T120000Z']);
});

test('restore takes one backup, or the newest of the folder', async () => {
  await using at = await installation();
  const change = (title: string) =>
    at.postern.call('POST', '/v1/content/upsert', {
      body: { externalId: 'a', title, type: 'article', source: 'https://example.com/a' },
    });
  await change('old');
  const first = JSON.parse((await at.run(NOON, '--json')).stdout) as { folder: string };
  await change('new');
  await at.run(NOON + 1000);
  for (const [from, title] of [
    [at.home, 'new'],
    [first.folder, 'old'],
  ] as const) {
    const to = join(at.folder.path, title);
    const { status, stdout, stderr } = await commandHere(['restore', '--from', from, '--data-dir', to]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /from .*postern-20261121T12000[01]Z/);
    await using again = await startTestService({ dataDir: to });
    assert.equal((await again.call('GET', '/v1/content/a', { key: at.postern.key })).body.title, title);
  }
});

test('--keep removes the oldest of its own, and nothing else', async () => {
  await using at = await installation();
  const put = (...path: string[]) => {
    mkdirSync(join(at.home, ...path), { recursive: true });
    return join(at.home, ...path);
  };
  for (let day = 0; day < 4; day++) assert.equal((await at.run(NOON + day * DAY)).status, 0);
  // Another installation's, a person's, one with a note in it, a link, a file, and what killed runs left.
  writeFileSync(join(put('postern-20200101T000000Z'), 'postern.db'), 'x');
  writeFileSync(join(at.home, 'postern-20200101T000000Z/backup.json'), '{"object":"postern_backup","of":"/other"}');
  writeFileSync(join(put('monday'), 'postern.db'), 'x');
  writeFileSync(join(at.home, 'postern-20261121T120000Z/note.txt'), 'keep me');
  symlinkSync(at.dataDir, join(at.home, 'postern-20200102T000000Z'));
  writeFileSync(join(at.home, 'postern-20200103T000000Z'), 'a file');
  utimesSync(put('postern-20200104T000000Z.part'), 1, 1);
  put('postern-20200105T000000Z.part');
  utimesSync(put('postern-20200105T000000Z.part'), (NOON + 4 * DAY) / 1000, (NOON + 4 * DAY) / 1000);
  const { status, stdout } = await at.run(NOON + 4 * DAY, '--keep', '2');
  assert.equal(status, 0);
  assert.match(stdout, /Removed 2 older backups\.\n$/);
  assert.deepEqual(at.list(), [
    'monday',
    'postern-20200101T000000Z',
    'postern-20200102T000000Z',
    'postern-20200103T000000Z',
    'postern-20200105T000000Z.part',
    'postern-20261121T120000Z',
    'postern-20261124T120000Z',
    'postern-20261125T120000Z',
  ]);
  assert.ok(existsSync(join(at.dataDir, 'postern.db')));
});

test('a backup that fails removes nothing', async () => {
  await using at = await installation();
  for (let day = 0; day < 2; day++) await at.run(NOON + day * DAY);
  const before = at.list();
  const gone = await commandHere([
    'backup',
    '--data-dir',
    join(at.folder.path, 'gone'),
    '--to',
    at.home,
    '--keep',
    '1',
  ]);
  assert.equal(gone.status, 1);
  for (const keep of ['0', '-1', 'all', '1.5']) {
    const { status, stderr } = await at.run(NOON + 3 * DAY, '--keep', keep);
    assert.equal(status, 2, keep);
    assert.match(stderr, /--keep/);
  }
  assert.deepEqual(at.list(), before);
  const nowhere = await commandHere(['backup', '--data-dir', at.folder.path, '--to', join(at.folder.path, 'none')]);
  assert.equal(nowhere.status, 1);
  assert.ok(!existsSync(join(at.folder.path, 'none')));
});

test('on PostgreSQL it says what to use', async () => {
  const { status, stderr } = await commandHere(['backup', '--to', '/nowhere'], {
    env: { POSTERN_DATABASE_URL: 'postgres://localhost/postern' },
  });
  assert.equal(status, 2);
  assert.match(stderr, /pg_dump/);
});

test('the lines for cron and systemd in the page work', async () => {
  await using at = await installation();
  const page = readFileSync('docs/backup.md', 'utf8');
  const lines = [/^30 3 \* \* \* (\/.*postern backup .*)$/m, /^ExecStart=(\/.*postern backup .*)$/m].map(
    (pattern) => pattern.exec(page)?.[1] ?? '',
  );
  const bin = join(at.folder.path, 'bin');
  mkdirSync(bin);
  const entry = join(process.cwd(), 'bin/postern.js');
  writeFileSync(join(bin, 'postern'), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, { mode: 0o755 });
  for (const line of lines) {
    const script = line
      .replace('/opt/postern/node_modules/.bin', bin)
      .replace('/var/lib/postern', at.dataDir)
      .replace('/mnt/backups', at.home);
    const ran = spawnSync('sh', ['-c', script], { env: { PATH: process.env.PATH }, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
  }
  assert.equal(at.list().length, 2);
});
