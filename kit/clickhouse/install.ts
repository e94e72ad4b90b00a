/** Installs ClickHouse's engine, half a gigabyte, when a test first needs it: `npm ci` of the project leaves it out. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;
const INSTALLED = join(FOLDER, 'node_modules');
const WITHIN_MS = 600_000;
/** The first lines of npm say why; the others are advice. */
const LINES = 4;

/** Throws where it cannot be installed. Several processes may install it at once, and it is whole or not there. */
export function installEngine(): void {
  if (existsSync(INSTALLED)) return;
  const own = mkdtempSync(join(FOLDER, 'node_modules-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(FOLDER, file), join(own, file));
    const args = ['ci', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status, stderr, error } = spawnSync('npm', args, { cwd: own, encoding: 'utf8', timeout: WITHIN_MS });
    if (status !== 0) {
      const why = error?.message ?? stderr.split('\n', LINES).join('\n');
      throw new Error(`ClickHouse's engine cannot be installed: ${why}`);
    }
    renameSync(join(own, 'node_modules'), INSTALLED);
  } catch (error) {
    // Another process was first.
    if (!existsSync(INSTALLED)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
