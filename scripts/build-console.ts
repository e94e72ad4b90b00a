/**
 * Builds the console when it is missing or older than its sources; otherwise it takes milliseconds. Runs before `npm
 * start`, `npm test`, the demo and packaging. An installation without build tools keeps the console that came with the
 * package.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const STAMP = join(ROOT, 'console/dist/.stamp');
const FORCE = process.argv.includes('--force');

function fingerprint(): string {
  const hash = createHash('sha256');
  const sources = [
    'console/{index.html,partner.html,package.json,vite.config.ts}',
    'console/src/**/*.*',
    'client/src/**/*.ts',
  ];
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  for (const file of files.toSorted())
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
    if (built === undefined)
      process.stderr.write(
        'No console: its tools are not installed. Run npm ci --omit=dev in the whole checkout to have it.\n',
      );
  } else {
    process.stderr.write('Building the console …\n');
    for (const mode of ['production', 'partner']) {
      await vite.build({ root: join(ROOT, 'console'), mode, logLevel: 'warn' });
    }
    writeFileSync(STAMP, wanted);
  }
}
