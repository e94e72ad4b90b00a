/** Commands in pages and messages run as they are pasted: a bare `postern` does only where it is on the path. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { commandHere } from '../kit/command.ts';
import { programFor } from '../scripts/cli-doc.ts';
import { invocation } from '../src/lib/invocation.ts';

const root = resolve(import.meta.dirname, '..');
const BIN = join(root, 'bin/postern.js');
const NAMES = programFor(() => {}).commands.map((one) => one.name());
/** Neither npx nor a folder before it. */
const BARE = new RegExp(`(?<!npx (?:--no -- )?|[\\w/.-])postern (${NAMES.join('|')})\\b`);

test('pages', () => {
  const pages = globSync('{*.md,{docs,adapters,client,clients,deploy,examples}/**/*.md}', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const lines = pages.flatMap((page) => {
    const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^ *```\w+\n([^]*?)^ *```$/gm);
    return [...blocks].flatMap(([, text = '']) => text.split('\n').map((line) => `${page}: ${line}`));
  });
  assert.ok(lines.some((line) => line.includes('npx postern audit access.log')));
  // The image has it on its path.
  const bare = lines.filter((line) => BARE.test(line) && !line.includes('docker exec postern postern '));
  assert.deepEqual(bare, []);
});

test('a proxy gets a key of its own, never that of the reader', () => {
  const commands = globSync('docs/enforce/*.md', { cwd: root }).flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = '']) => text),
  );
  assert.ok(commands.some((text) => text.includes('postern keys create nginx --permission access:check')));
  for (const text of commands) assert.doesNotMatch(text, /\$POSTERN_KEY/);
});

test('messages', () => {
  const said = globSync('{src,console/src}/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => ADVICE.test(line) && BARE.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(said, []);
});

/** A colon, "with" or an element for code leads to what is to be run; prose may name a command. */
const ADVICE = /(?:: |[Rr]un |start it with |<Code>|^ {2})postern /;

test('help shows what runs here', async () => {
  const { stdout } = await commandHere(['keys', 'create', '--help']);
  assert.match(stdout, /\$ npx postern keys create "Web server"/);
  const piped = await commandHere(['collections', 'match', '--help']);
  assert.match(piped.stdout, /\| npx postern collections match/);
});

test('on the path, beside a package, and elsewhere', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-invocation-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const linked = (path: string): string => {
    mkdirSync(join(folder, path), { recursive: true });
    symlinkSync(BIN, join(folder, path, 'postern'));
    return join(folder, path);
  };
  assert.equal(invocation({ PATH: `/nowhere:${linked('on-path')}` }, folder), 'postern');
  // npm's own, which the shell of the reader lacks.
  assert.equal(invocation({ PATH: linked('node_modules/.bin') }, '/'), BIN);

  symlinkSync(root, join(folder, 'node_modules/postern'));
  mkdirSync(join(folder, 'policies'));
  assert.equal(invocation({}, join(folder, 'policies')), 'npx postern');
  assert.equal(invocation({}, root), 'npx postern');
  mkdirSync(join(folder, 'other/node_modules'), { recursive: true });
  assert.equal(invocation({}, join(folder, 'other')), BIN, 'npx would fetch another postern');
});
