/** Files that failed or took long are those that were run, not those that their tests came from. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/launch.ts';

const TEST = `import { describe, test } from 'node:test';`;
const FILES = {
  'own.test.mjs': `${TEST} test('fails', () => { throw new Error(); });`,
  'others.test.mjs': `${TEST} await describe('those of others', () => import('./suite.mjs'));`,
  'suite.mjs': `${TEST} test('fails', () => { throw new Error(); });`,
  'ended.test.mjs': `${TEST} test('passes', () => {}); setTimeout(() => process.exit(1), 100);`,
  'broken.test.mjs': 'this is no program',
  'whole.test.mjs': `${TEST} test('passes', () => {});`,
};

const PROGRAM = `
  import { runFiles } from ${JSON.stringify(join(import.meta.dirname, 'run-files.ts'))};
  const files = process.argv.slice(2);
  const { failed, ...ran } = await runFiles(files, { cwd: '.', concurrency: 1, timeout: 60_000, execArgv: [] });
  process.stderr.write('\\n' + JSON.stringify({ ...ran, failed: [...failed] }));`;

/** Runs the files, and returns what {@link RunFiles} has of them, with their names. */
function ranIn(cwd: string, files: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stderr } = spawnSync(process.execPath, ['run.mjs', ...files], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const { succeeded, failed, took } = JSON.parse(stderr.slice(stderr.lastIndexOf('\n')));
  return {
    succeeded,
    failed: failed.map((file: string) => basename(file)),
    took: took.map(({ file }: { file: string }) => basename(file)),
  };
}

test('files that failed, and those with tests, in the order given', () => {
  using folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...FILES, 'run.mjs': PROGRAM }))
    writeFileSync(join(folder.path, name), text);
  const files = Object.keys(FILES).filter((name) => name.includes('.test.'));
  const { succeeded, failed, took } = ranIn(folder.path, files);
  assert.equal(succeeded, false);
  assert.deepEqual(failed.toSorted(), ['broken.test.mjs', 'ended.test.mjs', 'others.test.mjs', 'own.test.mjs']);
  assert.deepEqual(took, ['own.test.mjs', 'others.test.mjs', 'whole.test.mjs']);
  const whole = { succeeded: true, failed: [], took: ['whole.test.mjs'] };
  assert.deepEqual(ranIn(folder.path, ['whole.test.mjs']), whole);
});
