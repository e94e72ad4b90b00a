/**
 * Packs what `scripts/build.ts` and `scripts/build-console.ts` wrote, with a page of the help of all commands. The
 * manifest of the package names only the packages that are not built in. Arguments are passed on to `npm pack`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORD } from '../bin/built.js';
import { cliDoc } from './cli-doc.ts';
import { EXTERNAL } from './external.ts';

interface Manifest {
  dependencies: Record<string, string>;
  files: string[];
  [field: string]: unknown;
}

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const { devDependencies: _dev, workspaces: _workspaces, scripts: _scripts, ...kept } = manifest;
const dependencies = Object.fromEntries(EXTERNAL.map((name) => [name, manifest.dependencies[name]]));

const folder = mkdtempSync(join(tmpdir(), 'postern-package-'));
try {
  for (const name of [...manifest.files, 'LICENSE', 'README.md']) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => path !== RECORD });
  }
  writeFileSync(join(folder, 'docs/cli.md'), cliDoc());
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...kept, dependencies }, null, 2)}\n`);
  execFileSync('npm', ['pack', ...process.argv.slice(2), folder], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
