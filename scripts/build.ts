/**
 * Writes dist/ for the package, because Node.js strips no types inside node_modules: src/ as JavaScript with its data,
 * and in dist/client the client that the command uses. Lines and columns stay, so a stack trace leads to the source.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const FOLDERS = { src: '', 'client/src': 'client' };
const written = new Set<string>();
for (const [from, to] of Object.entries(FOLDERS)) {
  for (const file of globSync('**/*.ts', { cwd: join(root, from) })) {
    if (!file.endsWith('.test.ts')) build(join(root, from, file), join(to, file.replace(/\.ts$/, '.js')));
  }
}
// Data beside the code.
for (const file of globSync('**/*.json', { cwd: join(root, 'src') })) {
  place(file, readFileSync(join(root, 'src', file), 'utf8'));
}
for (const name of globSync('**/*.{js,json}', { cwd: dist })) {
  if (!written.has(name)) rmSync(join(dist, name), { force: true });
}
process.stderr.write(`${written.size} files in dist\n`);

function build(source: string, name: string): void {
  const script = stripTypeScriptTypes(readFileSync(source, 'utf8'))
    // Imports and the files of threads are all named by relative paths.
    .replaceAll(/(['"`])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1')
    .replaceAll('../client/src/', 'client/');
  place(name, script);
}

function place(name: string, text: string): void {
  const target = join(dist, name);
  written.add(name);
  // An unchanged file is left alone, so that builds can run in parallel.
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
