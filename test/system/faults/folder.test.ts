/** A data folder that was just made is still there after a power cut: each folder that got a new entry was synced. */
import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, newTestKey, temporaryFolder } from '../../../kit/launch.ts';
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
