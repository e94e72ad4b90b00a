/**
 * The invariant of signals over many random sites, and the same without each defence: then it must fail, or it would
 * see nothing.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEFENCES } from './defences.ts';

const TESTS = join(import.meta.dirname, '../../test/signals');
const WITHOUT = join(import.meta.dirname, 'without.ts');
/** Sites until a missing defence is found at the latest. */
const WORLDS_WITHOUT = 60;
/** A site has at least about as many statements. */
const STATEMENTS_A_WORLD = 450;

interface Options {
  statements: number;
  seed: number;
  tell(line: string): void;
}

/** Throws if a statement disagrees, or if none does without a defence. */
export async function runSignals({ statements, seed, tell }: Options): Promise<object> {
  const worlds = Math.ceil(statements / STATEMENTS_A_WORLD);
  const given = { POSTERN_SIGNAL_WORLDS: String(worlds), SEED: String(seed) };
  const { status, output } = await run('invariant', given);
  if (status !== 0) throw new Error(output.slice(0, 4_000));
  const formats = await run('formats', given);
  if (formats.status !== 0) throw new Error(formats.output.slice(0, 4_000));
  const found = Number(/(\d+) statements/.exec(output)?.[1] ?? 0);
  if (found < statements) throw new Error(`only ${found} statements were compared`);
  for (const [i, { promise, test = 'invariant' }] of DEFENCES.entries()) {
    const env = { POSTERN_SIGNAL_WORLDS: String(WORLDS_WITHOUT), SEED: String(seed), POSTERN_WITHOUT: String(i) };
    const without = await run(test, env);
    if (
      without.status === 0 ||
      !/the file allows what is denied|Content-Signal permits| permits \{/.test(without.output)
    ) {
      throw new Error(`nothing disagrees without this: ${promise}\n${without.output.slice(0, 2_000)}`);
    }
    tell(`fails without this, as it must: ${promise}`);
  }
  return { worlds, statements: found, defences: DEFENCES.length };
}

function run(test: string, env: Record<string, string>): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['--import', WITHOUT, join(TESTS, `${test}.test.ts`)], {
    env: { ...process.env, ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}
