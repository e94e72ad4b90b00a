/**
 * The invariant of signals over many random sites, and the same without each defence: then it must fail, or it would
 * see nothing.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEFENCES, type Defence } from './defences.ts';

const TESTS = join(import.meta.dirname, '../../test/signals');
const WITHOUT = join(import.meta.dirname, '../without.ts');
/** Sites until a missing defence is found at the latest. */
const WORLDS_WITHOUT = 60;
/** A site has about as many statements in robots.txt; missing ones are made up for by further sites. */
const STATEMENTS_A_WORLD = 850;
/** Sites of one process. */
const WORLDS_MAX = 40;

interface Options {
  /** The least number in robots.txt. */
  statements: number;
  seed: number;
  tell(line: string): void;
}

/** Throws if a statement disagrees, or if none does without a defence. */
export async function runSignals({ statements, seed, tell }: Options): Promise<object> {
  const [robots, formats] = await Promise.all([
    compareUntil('invariant', statements, seed, tell),
    compareUntil('formats', statements, seed, tell),
  ]);
  // Two at a time, since a service leaves a core idle while it starts and writes.
  const waiting = DEFENCES.values();
  const failAll = async (): Promise<void> => {
    for (const defence of waiting) {
      await failWithout(defence, seed);
      tell(`fails without this, as it must: ${defence.promise}`);
    }
  };
  await Promise.all([failAll(), failAll()]);
  return {
    sites: robots.worlds + formats.worlds,
    statements: robots.statements + formats.statements,
    'in robots.txt': robots.statements,
    'in the other files': formats.statements,
    defences: DEFENCES.length,
  };
}

/** Compares random sites until there were so many statements, each process with sites of its own. */
async function compareUntil(
  test: 'invariant' | 'formats',
  least: number,
  seed: number,
  tell: Options['tell'],
): Promise<{ worlds: number; statements: number }> {
  let statements = 0;
  let worlds = 0;
  for (let round = 0; statements < least; round++) {
    const sites = Math.min(WORLDS_MAX, Math.ceil((least - statements) / STATEMENTS_A_WORLD));
    const { status, output } = await run(test, { POSTERN_SIGNAL_WORLDS: String(sites), SEED: String(seed + round) });
    if (status !== 0) throw new Error(output.slice(0, 4_000));
    const found = Number(/(\d+) statements/.exec(output)?.[1] ?? 0);
    if (found === 0) throw new Error(`nothing was compared: ${output.slice(0, 4_000)}`);
    statements += found;
    worlds += sites;
    tell(`${test}: ${statements} statements of ${worlds} sites agree`);
  }
  return { worlds, statements };
}

/** Throws unless a test finds that a defence is missing. */
async function failWithout({ promise, test, ...taken }: Defence, seed: number): Promise<void> {
  const env = {
    POSTERN_SIGNAL_WORLDS: String(WORLDS_WITHOUT),
    SEED: String(seed),
    POSTERN_WITHOUT: JSON.stringify({ ...taken, file: `signals/${taken.file}` }),
  };
  const { status, output } = await run(test ?? 'invariant', env);
  if (status !== 0 && /the file allows what is denied|Content-Signal permits| permits \{/.test(output)) return;
  throw new Error(`nothing disagrees without this: ${promise}\n${output.slice(0, 2_000)}`);
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
