/**
 * Builds the client for publishing: JavaScript and declarations in client/dist, and nothing else. Unchanged files are
 * left alone, so that builds can run in parallel.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'client/dist');
const built = mkdtempSync(join(tmpdir(), 'postern-build-'));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'client'), '--outDir', built], { stdio: 'inherit' });
const names = globSync('**/*.{js,d.ts}', { cwd: built });
for (const name of names) {
  // The compiler renames imports in the JavaScript alone; there are no .ts files beside the declarations.
  const text = readFileSync(join(built, name), 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'");
  const target = join(dist, name);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
for (const name of globSync('**/*.{js,d.ts}', { cwd: dist })) if (!names.includes(name)) rmSync(join(dist, name));
rmSync(built, { recursive: true });
