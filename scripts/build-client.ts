/** Builds the client as it is published: JavaScript and declarations in client/dist, and nothing that was there before. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'client/dist');
rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'client')], { stdio: 'inherit' });
// The compiler renames imports in the JavaScript alone; there are no .ts files beside the declarations.
for (const file of globSync(join(dist, '**/*.d.ts'))) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
}
