/** Files that failed or took long are those that were run, not those that their tests came from. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/launch.ts';
import type { RunFiles } from './run-files.ts';

const TEST = `import { describe, test } from 'node:test';`;
const FILES = {
  'own.test.mjs': `${TEST} test('fails', () => { throw new Error(); });`,
  'others.test.mjs': `${TEST} await describe('those of others', () => import('./suite.mjs'));`,
  'suite.mjs': `${TEST} test('fails', () => { throw new Error(); });`,
  'ended.test.mjs': `${TEST} test('passes', () => {}); setTimeout(() => process.exit(1), 100);`,
  'broken.test.mjs': 'this is no program',
  'whole.test.mjs': `${TEST} test('passes', () => {});`,
};

test('files that failed', () => {
  using folder = temporaryFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder.path, name), text);
  const files = Object.keys(FILES).filter((name) => name.includes('.test.'));
  const reporter = join(import.meta.dirname, 'run-files.ts');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, ...files], {
    cwd: folder.path,
    env,
    encoding: 'utf8',
  });
  const { failed, took } = JSON.parse(stdout) as RunFiles;
  const names = failed.map((file) => basename(file)).toSorted();
  assert.deepEqual(names, ['broken.test.mjs', 'ended.test.mjs', 'others.test.mjs', 'own.test.mjs']);
  const timed = took.map(({ file }) => basename(file)).toSorted();
  assert.deepEqual(timed, ['others.test.mjs', 'own.test.mjs', 'whole.test.mjs']);
});
