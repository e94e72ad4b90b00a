/**
 * Packs Postern, its client and each adapter, as they are published: one file each, after `npm run build` and that of
 * the client. Postern's own manifest names only the packages that are not built in, and its help has a page of all
 * commands. `POSTERN_REPOSITORY` is the URL of the repository that builds them: publishing with provenance needs it in
 * the manifest, and refuses any other. Arguments are passed on to `npm pack`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RECORD } from '../bin/built.js';
import { cliDoc } from './cli-doc.ts';
import { EXTERNAL } from './external.ts';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  files: string[];
  [field: string]: unknown;
}

const root = join(import.meta.dirname, '..');
const read = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const { version } = read('.');
const repository = process.env.POSTERN_REPOSITORY;

/** Copies what is published of a folder of the repository, and returns the place of the copy. */
function stage(folder: string): string {
  const { private: _private, workspaces: _workspaces, ...kept } = read(folder);
  // An adapter is copied, built and deployed with these; those of the others need the repository.
  if (!folder.startsWith('adapters/')) for (const name of ['scripts', 'devDependencies']) delete kept[name];
  const place = join(out, folder === '.' ? 'postern' : folder);
  for (const name of [...kept.files, 'README.md'])
    cpSync(join(root, folder, name), join(place, name), { recursive: true, filter: (path) => path !== RECORD });
  cpSync(join(root, 'LICENSE'), join(place, 'LICENSE'));
  const manifest = {
    ...kept,
    version,
    publishConfig: { access: 'public', provenance: true },
    ...(repository !== undefined && { repository: { type: 'git', url: `git+${repository}.git`, directory: folder } }),
  };
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return place;
}

function stageService(): string {
  const place = stage('.');
  writeFileSync(join(place, 'docs/cli.md'), cliDoc());
  const manifest: Manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const dependencies = Object.fromEntries(EXTERNAL.map((name) => [name, manifest.dependencies[name]]));
  writeFileSync(join(place, 'package.json'), `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
  return place;
}

const out = mkdtempSync(join(tmpdir(), 'postern-package-'));
try {
  const adapters = globSync('adapters/*/package.json', { cwd: root }).map(dirname).toSorted();
  const places = [stageService(), ...['client', ...adapters].map(stage)];
  execFileSync('npm', ['pack', ...process.argv.slice(2), ...places], { stdio: 'inherit' });
} finally {
  rmSync(out, { recursive: true, force: true });
}
