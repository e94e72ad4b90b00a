/**
 * Writes dist/: the files of src/ as JavaScript, for `npm pack`, because Node strips no types inside node_modules. Lines and
 * columns stay where they are, so a trace leads to the source.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
const files = globSync('**/*.ts', { cwd: join(root, 'src') }).filter((file) => !file.endsWith('.test.ts'));
for (const file of files) {
  const text = stripTypeScriptTypes(readFileSync(join(root, 'src', file), 'utf8'));
  // Imports, dynamic imports and the files of threads are all named by relative paths.
  const script = text.replaceAll(/(['"`])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');
  const target = join(dist, file.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, script);
}
process.stderr.write(`${files.length} files written to dist\n`);
