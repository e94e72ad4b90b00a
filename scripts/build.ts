/**
 * Writes dist/: the files of src/ as JavaScript, for the package, because Node strips no types inside node_modules. Lines and
 * columns stay where they are, so a trace leads to the source.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const written = new Set<string>();
for (const file of globSync('**/*.ts', { cwd: join(root, 'src') })) {
  if (file.endsWith('.test.ts')) continue;
  const text = stripTypeScriptTypes(readFileSync(join(root, 'src', file), 'utf8'));
  // Imports, dynamic imports and the files of threads are all named by relative paths.
  const script = text.replaceAll(/(['"`])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');
  const name = file.replace(/\.ts$/, '.js');
  const target = join(dist, name);
  written.add(name);
  // Left alone where nothing is new, so that several may build at once.
  if (existsSync(target) && readFileSync(target, 'utf8') === script) continue;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, script);
}
for (const name of globSync('**/*.js', { cwd: dist }))
  if (!written.has(name)) rmSync(join(dist, name), { force: true });
process.stderr.write(`${written.size} files in dist\n`);
