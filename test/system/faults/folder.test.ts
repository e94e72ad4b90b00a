/** A data folder that was just made is still there after a power cut: each folder that got a new entry was synced. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, newTestKey, temporaryFolder } from '../../../kit/launch.ts';
import { programFile } from '../../../kit/programs.ts';
import { cannotTrace } from '../../../proof/crash/strace.ts';

test('the entries of a new data folder, and of those above it, are synced before the service answers', async (t) => {
  const why = cannotTrace();
  if (why !== undefined) return t.skip(why);
  using folder = temporaryFolder();
  const root = realpathSync(folder.path);
  const start = async (): Promise<Set<string>> => {
    const log = join(root, 'calls');
    const wrap = ['strace', '-D', '-f', '-qq', '-y', '-o', log, '-e', 'trace=fsync,fdatasync'];
    const service = launch({ dataDir: join(root, 'a/b'), key: newTestKey(), wrap });
    try {
      await service.ready;
    } finally {
      await service.end('SIGTERM');
    }
    const calls = readFileSync(log, 'utf8').matchAll(/f(?:data)?sync\(\d+<([^>]+)>/g);
    return new Set([...calls].map(([, path]) => path ?? ''));
  };
  const synced = await start();
  for (const path of ['', '/a', '/a/b']) assert.ok(synced.has(root + path), `${root}${path} of ${[...synced].join()}`);
  assert.ok((await start()).has(`${root}/a`), 'the start before may have ended too early');
});

/** Returns what a command says that must end by itself. */
function say(args: readonly string[], env: Record<string, string>): string {
  const settings = { PATH: process.env.PATH, POSTERN_PORT: '0', ...env };
  const ran = spawnSync(process.execPath, [programFile('postern'), ...args], {
    env: settings,
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.equal(ran.signal, null, `${args.join(' ')} does not end`);
  assert.notEqual(ran.status, 0, `${args.join(' ')} ${ran.stdout}`);
  return ran.stdout + ran.stderr;
}

test('a folder that cannot be made ends the start, and the commands that take one', async (t) => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  const service = launch({ dataDir: join(folder.path, 'data'), key: newTestKey() });
  await service.ready;
  await service.end('SIGTERM');
  const places = [file, join(file, 'below'), ...(existsSync('/proc/self') ? ['/proc/nope', '/proc/nope/below'] : [])];
  for (const place of places) {
    const escaped = place.replaceAll('.', '[.]');
    const usual = new RegExp(`POSTERN_DATA_DIR is ${escaped}, which cannot be used as a folder \\(E[A-Z]+\\)`);
    assert.match(say(['serve'], { POSTERN_DATA_DIR: place }), usual);
    const data = { POSTERN_DATA_DIR: join(folder.path, 'data') };
    assert.match(say(['backup', '--to', join(place, 'copy')], data), /cannot be (?:copied|used)/);
    assert.match(say(['backup', '--to', join(place, 'copies'), '--keep', '2'], data), /cannot be (?:copied|used)/);
  }
  t.diagnostic(`${places.length} places`);
});
