/** Names the command as it can be started here, so that what is printed for the reader runs as it is pasted. */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/postern.js', import.meta.url));
const ROOT = dirname(dirname(BIN));

/** Returns `postern` where a shell finds it, `npx postern` where npx does, and else the path of the command. */
export function invocation(env = process.env, folder = process.cwd()): string {
  // npm puts these folders on the path of what it runs; the shell of the reader has none of them.
  const path = (env.PATH ?? '').split(delimiter).filter((one) => one !== '' && !one.endsWith(NPM_FOLDER));
  if (path.some((one) => isSame(join(one, 'postern'), BIN))) return 'postern';
  return isNpxHere(folder) ? 'npx postern' : quoted(BIN);
}

const NPM_FOLDER = join('node_modules', '.bin');

/** npx looks in the nearest folder that is a package or has packages. */
function isNpxHere(folder: string): boolean {
  if (isSame(folder, ROOT) || isSame(join(folder, 'node_modules/postern'), ROOT)) return true;
  const isEnd = ['package.json', 'node_modules'].some((name) => existsSync(join(folder, name)));
  return !isEnd && dirname(folder) !== folder && isNpxHere(dirname(folder));
}

function isSame(path: string, other: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path) === realpathSync(other);
  } catch {
    return false;
  }
}

const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
