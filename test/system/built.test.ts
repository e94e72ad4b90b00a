/**
 * In a clone, `npm start` builds the service, and the command runs what was built: exactly as long as it is what the
 * sources become.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { words } from '../../kit/words.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-built-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = 'src/lib/version.ts';

/** Copies what a build needs; with the installed packages, unless it says otherwise. */
function clone(name: string, installed = true): string {
  const root = join(folder, name);
  for (const part of words('bin scripts src audit/src client/src package.json package-lock.json tsconfig.json')) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  if (installed) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

interface Ran {
  status: number | null;
  out: string;
  err: string;
}

function ran(root: string, ...args: string[]): Ran {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(folder, 'cache'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return { status, out: stdout.trim(), err: stderr };
}

function run(root: string, ...args: string[]): Ran {
  const done = ran(root, ...args);
  assert.equal(done.status, 0, done.err.slice(-2000));
  return done;
}

/** The version that the command says, and what it ran, as Node.js reports of its compile cache. */
function version(root: string): [version: string, ran: string] {
  const { out, err } = run(root, 'bin/postern.js', '--version');
  return [out, err.includes(`${root}/src/postern.ts`) ? 'src' : 'dist'];
}

const build = (root: string): string => run(root, 'scripts/build-service.ts').err;

/** Changes a file so that its size and times stay the same. */
function edit(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(file);
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes(from) && from.length === to.length);
  writeFileSync(file, text.replace(from, to));
  utimesSync(file, atime, mtime);
}

test('what was built runs until a source changes, and again once it was built anew', () => {
  const root = clone('edited');
  assert.deepEqual(version(root), ['0.1.0', 'src']);
  assert.match(build(root), /Building the service/);
  assert.deepEqual(version(root), ['0.1.0', 'dist']);
  assert.doesNotMatch(build(root), /Building the service/);

  edit(join(root, VERSION), '0.1.0', '0.1.7');
  assert.deepEqual(version(root), ['0.1.7', 'src']);
  build(root);
  assert.deepEqual(version(root), ['0.1.7', 'dist']);
  edit(join(root, VERSION), '0.1.7', '0.1.0');
  assert.deepEqual(version(root), ['0.1.0', 'src']);

  // A build that another one cut short, or mixed with its own.
  build(root);
  edit(join(root, 'dist/postern.js'), 'const', 'let  ');
  assert.deepEqual(version(root), ['0.1.0', 'src']);
  build(root);
  rmSync(join(root, 'dist/main.js'));
  assert.deepEqual(version(root), ['0.1.0', 'src']);
});

test('without build tools, or where nothing can be written, it runs from its sources', () => {
  assert.match(build(clone('bare', false)), /Not built \(.*rolldown/);
  const root = clone('read-only');
  writeFileSync(join(root, 'dist'), 'a file');
  assert.match(build(root), /Not built/);
  assert.deepEqual(version(root), ['0.1.0', 'src']);
});

test('with --enable-source-maps, the stack of an error in what was built names the sources', () => {
  const root = clone('faulty');
  writeFileSync(join(root, VERSION), "export const VERSION = '';\nthrow new Error('a fault');\n");
  build(root);
  const { err } = ran(root, '--enable-source-maps', 'bin/postern.js', '--version');
  assert.match(err, /Error: a fault\n\s+at .*src\/lib\/version\.ts:2:/);
  assert.match(ran(root, 'bin/postern.js', '--version').err, /Error: a fault\n\s+at .*dist\/.*\.js:\d/);
});
