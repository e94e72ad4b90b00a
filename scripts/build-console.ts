/**
 * Builds the console when it is not there, or is older than what it is made of; otherwise it takes some milliseconds. Runs
 * before `npm start`, `npm test` and the demo, and when the package is made. Installed without the tools to build it, the
 * console that came with the package stays as it is.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const STAMP = join(ROOT, 'console/dist/.stamp');
const FORCE = process.argv.includes('--force');

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = ['index.html', 'package.json', 'vite.config.ts', 'src/**/*.*'].flatMap((pattern) =>
    globSync(join('console', pattern), { cwd: ROOT }),
  );
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  return hash.digest('base64url');
}

const wanted = fingerprint();
const built = existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined;
if (FORCE || built !== wanted) {
  const vite = await import('vite').catch(() => undefined);
  if (vite === undefined) {
    if (built === undefined) process.stderr.write('The console was not built: its tools are not installed (npm ci).\n');
  } else {
    process.stderr.write('Building the console …\n');
    await vite.build({ root: join(ROOT, 'console'), logLevel: 'warn' });
    writeFileSync(STAMP, wanted);
  }
}
