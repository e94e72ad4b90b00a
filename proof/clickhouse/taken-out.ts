/** Takes out the defences of columns in ClickHouse one by one: the test that is named must fail, and pass with all. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEFENCES, type Defence } from './defences.ts';

const TESTS = join(import.meta.dirname, '../../test/system/usage');
const WITHOUT = join(import.meta.dirname, '../without.ts');

const TEST_WITHIN_MS = 180_000;

type Test = Defence['test'];

/** Throws where a test passes without its defence, or fails with all of them. */
export async function runTakenOut(tell: (line: string) => void): Promise<object> {
  const tests = new Map(DEFENCES.map(({ test }) => [test.join(' '), test]));
  for (const test of tests.values()) {
    const { status, output } = await runTest(test, {});
    if (status !== 0 || !hasRun(output, '✔', test)) throw new Error(`${test.join(': ')} fails:\n${output}`);
  }
  tell(`${tests.size} tests pass`);
  const untested: string[] = [];
  for (const { promise, test, ...taken } of DEFENCES) {
    const { status, output } = await runTest(test, { POSTERN_WITHOUT: JSON.stringify(taken) });
    const isKilled = status !== 0 && hasRun(output, '✖', test);
    tell(isKilled ? `fails without this, as it must: ${promise}` : `does not fail without this: ${promise}\n${output}`);
    if (!isKilled) untested.push(promise);
  }
  if (untested.length > 0) throw new Error(`tests do not fail without: ${untested.join('; ')}`);
  return { defences: DEFENCES.length, tests: tests.size };
}

const hasRun = (output: string, mark: string, [, name]: Test): boolean => output.includes(`${mark} ${name}`);

function runTest([file, name]: Test, env: Record<string, string>): Promise<{ status: number | null; output: string }> {
  const pattern = `--test-name-pattern=^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`;
  // Without some, a test waits for ever.
  const args = [
    '--import',
    WITHOUT,
    '--test-reporter=spec',
    `--test-timeout=${TEST_WITHIN_MS}`,
    pattern,
    join(TESTS, file),
  ];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output: output.slice(0, 4_000) })));
}
