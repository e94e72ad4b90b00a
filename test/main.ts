/**
 * Runs the test files: `npm test`, and with `--system` `npm run test:system`. System tests need programs of the
 * machine. The missing ones are listed with their packages, and so are the tests that did not run without them.
 * ClickHouse's engine is installed here. Where CI is set, what is missing ends the run with status 1, and few files
 * that fail run once more by themselves: a change is not refused for a test that is unsteady, which is named. The ten
 * slowest files are named at the end.
 *
 *   node test/main.ts [--system] [--missing] [files…]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from '../bin/built.js';
import { installEngine } from '../kit/clickhouse/install.ts';
import { compileCache } from '../kit/compile-cache.ts';
import { type RunFiles, runFiles } from './run-files.ts';

interface Program {
  /** Or a file of the package. */
  command: string;
  /** Debian's name of the package that brings it. */
  package: string;
  /** Tests that are nothing without it. */
  files: string;
}

const WORDPRESS = 'test/system/enforce/wordpress*.test.ts';
const WORDPRESS_PACKAGES = 'wordpress php-cli php-curl php-fpm php-mbstring php-mysql php-xml';
const PROGRAMS: readonly Program[] = [
  {
    command: process.env.CHROMIUM ?? 'chromium-headless-shell',
    package: 'chromium-headless-shell',
    files: 'test/system/{console/**,enforce/{journey,wordpress-settings}.test.ts}',
  },
  { command: 'nginx', package: 'nginx-light', files: 'test/system/enforce/**' },
  { command: 'caddy', package: 'caddy', files: 'test/system/enforce/**' },
  { command: 'php-fpm8.2', package: 'php-fpm', files: 'test/system/enforce/php.test.ts' },
  { command: 'mariadbd', package: 'mariadb-server', files: WORDPRESS },
  { command: '/usr/share/wordpress/wp-load.php', package: WORDPRESS_PACKAGES, files: WORDPRESS },
  { command: 'php-cgi', package: 'php-cgi', files: 'test/system/enforce/applications.test.ts' },
  { command: 'varnishd', package: 'varnish', files: 'test/system/enforce/varnish.test.ts' },
  { command: 'haproxy', package: 'haproxy', files: 'test/system/enforce/haproxy.test.ts' },
  {
    command: 'python3',
    package: 'python3',
    files: 'test/system/{enforce/applications,client/languages}.test.ts',
  },
  { command: 'php', package: 'php-cli php-curl', files: 'test/system/client/languages.test.ts' },
  {
    command: 'go',
    package: 'golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev',
    files: 'test/system/helm/chart.test.ts',
  },
  { command: 'bash', package: 'bash', files: 'test/system/cli/completion.test.ts' },
  { command: 'zsh', package: 'zsh', files: 'test/system/cli/completion.test.ts' },
  { command: 'fish', package: 'fish', files: 'test/system/cli/completion.test.ts' },
  { command: 'script', package: 'bsdutils', files: 'test/system/cli/prompts.test.ts' },
  { command: 'strace', package: 'strace', files: 'test/system/faults/folder.test.ts' },
  { command: 'systemd-analyze', package: 'systemd', files: 'test/system/systemd.test.ts' },
  { command: 'mount', package: 'mount', files: 'test/system/faults/full-disk.test.ts' },
];
/** Tests on ClickHouse's engine, which is installed once, before they run. */
const ON_CLICKHOUSE = 'test/system/usage/clickhouse*.test.ts';
/** Tests that take longest begin first, so that no core is left idle at the end. */
const LONG = 'test/system/{usage/clickhouse*,postgres/{privacy,records},console/{pages,journeys}}.test.ts';
const ROOT = join(import.meta.dirname, '..');
const SYSTEM = 'test/system/**/*.test.ts';
const ALWAYS = '{src,audit/src,console/src,kit,test}/**/*.test.ts';

const { values, positionals } = parseArgs({
  options: { system: { type: 'boolean', default: false }, missing: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const isLong = (file: string): boolean => matchesGlob(file, LONG);
const isThere = ({ command }: Program): boolean =>
  command.startsWith('/') ? existsSync(command) : spawnSync(command, ['--version']).error === undefined;
const write = (line: string): void => void process.stderr.write(`${line}\n`);

const missing = values.system || values.missing ? PROGRAMS.filter((program) => !isThere(program)) : [];
if (values.missing) {
  process.stdout.write(`${missing.map((program) => program.package).join(' ')}\n`);
  process.exit();
}

const all = globSync(positionals.length > 0 ? positionals : values.system ? SYSTEM : ALWAYS);
const wanted = positionals.length > 0 || values.system ? all : all.filter((file) => !matchesGlob(file, SYSTEM));
const noEngine = findNoEngine();
const files = wanted
  .filter((file) => !missing.some((program) => matchesGlob(file, program.files)))
  .filter((file) => noEngine === undefined || !matchesGlob(file, ON_CLICKHOUSE));

/** Returns why the engine cannot be installed; undefined: it is there, or no test needs it. */
function findNoEngine(): string | undefined {
  if (!wanted.some((file) => matchesGlob(file, ON_CLICKHOUSE))) return undefined;
  try {
    installEngine();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function sayMissing(): void {
  if (missing.length > 0) {
    write(`\nMissing programs: ${missing.map(({ command }) => command).join(', ')}. On Debian:`);
    write(`  apt-get install --no-install-recommends ${missing.map((program) => program.package).join(' ')}`);
  }
  if (noEngine !== undefined) write(`\n${noEngine}`);
  for (const file of wanted.filter((one) => !files.includes(one))) write(`  not run: ${file}`);
}

if ((missing.length > 0 || noEngine !== undefined) && process.env.CI !== undefined) {
  sayMissing();
  process.exit(1);
}

if (files.length === 0) {
  sayMissing();
  process.exit();
}

/** More files than cores, because some tests wait for timers. */
const CONCURRENCY = availableParallelism() + 1;
const TEST_WITHIN_MS = 600_000;
/** More files that fail at once are no accident. */
const AGAIN_MAX = 5;
const SLOWEST_SHOWN = 10;

async function run(these: readonly string[], concurrency: number): Promise<RunFiles> {
  const execArgv = [`--import=${join(import.meta.dirname, 'ends.ts')}`];
  const ran = await runFiles(these, { cwd: ROOT, concurrency, timeout: TEST_WITHIN_MS, execArgv });
  write('\nThe slowest files:');
  for (const { file, ms } of ran.took.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)) {
    write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(ROOT, file)}`);
  }
  return ran;
}

await import('../scripts/build-service.ts');
// The same cases every time, so that a change is judged by what it changed. `SEED=…` tries others.
Object.assign(process.env, { SEED: '1', ...process.env, ...compileCache(), POSTERN_TEST_BUILT: isBuilt() ? '1' : '0' });
const { succeeded, failed } = await run(
  [...files.filter(isLong), ...files.filter((file) => !isLong(file))],
  CONCURRENCY,
);
sayMissing();
process.exitCode = succeeded ? 0 : 1;
if (!succeeded && process.env.CI !== undefined && failed.size > 0 && failed.size <= AGAIN_MAX) {
  const names = [...failed].map((file) => relative(ROOT, file));
  write(`\nOnce more, by themselves: ${names.join(' ')}`);
  const again = await run(names, 1);
  process.exitCode = again.succeeded ? 0 : 1;
  if (again.succeeded) write(`\nUnsteady, to be mended: ${names.join(' ')}`);
}
