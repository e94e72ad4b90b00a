/**
 * The mutation run: each mutant of the rules (see scope.ts) is tried by the tests that reach it. Exit status 1 when fewer
 * than 90 % are killed, when one survives that survivors.ts does not list, or when one that it lists is killed.
 *
 *   npm run mutation                 all of it
 *   npm run mutation -- decide.ts    the files whose path ends so
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, mutate } from './mutants.ts';
import type { FromProcess, Setup, ToProcess } from './process.ts';
import { SCOPE } from './scope.ts';
import { SURVIVORS } from './survivors.ts';

const KILLED_MIN = 0.9;
const PROCESSES = Math.min(2, availableParallelism());
/** How long the tests of one mutant may take, beside a multiple of what they take without it. */
const GRACE_MS = 3_000;
/** An endless loop asks for its mutant again and again. */
const HITS_MORE = 100;

type Outcome = 'killed' | 'endless' | 'survived' | 'unreached';

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'postern-mutation-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const only = process.argv.slice(2);
const files = Object.keys(SCOPE).filter((file) => only.length === 0 || only.some((one) => file.endsWith(one)));
const mutants: Mutant[] = [];
const built: Record<string, string> = {};
for (const file of files) {
  const found = mutate(file, readFileSync(join(root, file), 'utf8'), SCOPE[file] ?? {}, mutants.length + 1);
  mutants.push(...found.mutants);
  built[join(root, file)] = join(scratch, file.replaceAll('/', '.'));
  writeFileSync(built[join(root, file)] as string, found.code);
}

// ---------------------------------------------------------------------------------------------------------------------
// Processes

/** A process that answers one message at a time. */
class Runner {
  #child: ChildProcess | null = null;
  tests: { file: string; name: string }[] = [];

  /** `ready` or `unloadable`; null: it took too long or died. */
  async start(alive: number): Promise<FromProcess | null> {
    this.stop();
    const folder = join(scratch, 'tmp');
    mkdirSync(folder, { recursive: true });
    this.#child = fork(join(import.meta.dirname, 'process.ts'), {
      cwd: root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-old-space-size=768', '--no-warnings'],
      env: { ...process.env, TMPDIR: folder, SEED: '1' },
    });
    const setup: Setup = { built, alive, root };
    return this.ask({ kind: 'setup', setup }, 60_000);
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  /** null: no answer in time, or none at all; the process is gone then. */
  ask(message: ToProcess, timeoutMs: number): Promise<FromProcess | null> {
    const child = this.#child as ChildProcess;
    return new Promise((answer) => {
      const done = (result: FromProcess | null): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (result === null) this.stop();
        answer(result);
      };
      const timer = setTimeout(done, timeoutMs, null);
      child.once('message', (result: FromProcess) => done(result));
      child.once('exit', () => done(null));
      child.send(message);
    });
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Without a mutant: which test reaches which mutant, how often, in what time

interface Test {
  name: string;
  ms: number;
  hits: Map<number, number>;
  /** Whose code it runs. */
  files: Set<string>;
  /** Mutants it killed: who kills one of a file often kills the next. */
  kills: Map<string, number>;
}

async function baseline(runner: Runner): Promise<{ tests: Test[]; loaded: Set<number> }> {
  const ready = await runner.start(0);
  if (ready?.kind !== 'ready')
    throw new Error(`The tests cannot be loaded: ${ready?.kind === 'unloadable' ? ready.message : 'no answer'}`);
  const tests: Test[] = [];
  for (const [i, { file, name }] of ready.tests.entries()) {
    const run = await runner.ask({ kind: 'baseline', test: i }, 120_000);
    if (run?.kind !== 'baseline' || run.failure !== null) {
      throw new Error(
        `${file}: "${name}" fails without a mutant: ${run?.kind === 'baseline' ? run.failure : 'no answer'}`,
      );
    }
    const hits = new Map(run.hits);
    const files = new Set([...hits.keys()].map((number) => (mutants[number - 1] as Mutant).file));
    tests.push({ name: `${file}: ${name}`, ms: run.ms, hits, files, kills: new Map() });
  }
  return { tests, loaded: new Set(ready.loaded) };
}

// ---------------------------------------------------------------------------------------------------------------------
// With them

const outcomes = new Map<number, Outcome>();

async function tryAll(runner: Runner, queue: number[], tests: Test[], loaded: Set<number>): Promise<void> {
  for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
    outcomes.set(number, await tryOne(runner, number, tests, loaded.has(number)));
    if (process.env.MUTATION_PROGRESS) progress(number);
  }
  runner.stop();
}

async function tryOne(runner: Runner, number: number, tests: Test[], isLoaded: boolean): Promise<Outcome> {
  const { file } = mutants[number - 1] as Mutant;
  const kills = (test: Test): number => test.kills.get(file) ?? 0;
  const reaching = [...tests.entries()]
    .filter(([, test]) => (isLoaded ? test.files.has(file) : test.hits.has(number)))
    .sort(([, a], [, b]) => kills(b) / (b.ms + 5) - kills(a) / (a.ms + 5) || a.ms - b.ms);
  if (reaching.length === 0) return 'unreached';
  if (isLoaded) {
    const ready = await runner.start(number);
    if (ready?.kind !== 'ready' || ready.tests.length !== tests.length) {
      runner.stop();
      return 'killed';
    }
  } else if (!runner.isUp) await runner.start(0);
  const time = reaching.reduce((sum, [, { ms }]) => sum + ms, 0);
  const most = reaching.reduce((sum, [, { hits }]) => sum + (hits.get(number) ?? 0), 0);
  const result = await runner.ask(
    {
      kind: 'try',
      mutant: number,
      tests: reaching.map(([i]) => i),
      hitsMax: isLoaded ? 1e9 : HITS_MORE * most + 10_000,
    },
    5 * time + GRACE_MS,
  );
  if (isLoaded) runner.stop();
  if (result?.kind !== 'tried' || result.endless) return 'endless';
  if (result.by === null) return 'survived';
  const killer = (tests[result.by] as Test).kills;
  killer.set(file, (killer.get(file) ?? 0) + 1);
  return 'killed';
}

function progress(number: number): void {
  const { file, line } = mutants[number - 1] as Mutant;
  console.log(`${outcomes.size}/${mutants.length} ${file}:${line} ${outcomes.get(number)}`);
}

// ---------------------------------------------------------------------------------------------------------------------
// What came of it

const isDead = (outcome: Outcome | undefined): boolean => outcome === 'killed' || outcome === 'endless';

function table(): { killedShare: number } {
  const rows = files.map((file) => {
    const of = [...outcomes].filter(([number]) => mutants[number - 1]?.file === file).map(([, outcome]) => outcome);
    return { file, of };
  });
  rows.push({ file: 'all', of: [...outcomes.values()] });
  console.log(`${'file'.padEnd(36)} mutants  killed  endless  survived  unreached   killed %`);
  let killedShare = 0;
  for (const { file, of } of rows) {
    const count = (outcome: Outcome): string => String(of.filter((one) => one === outcome).length);
    killedShare = of.filter(isDead).length / Math.max(1, of.length);
    const cells = [String(of.length).padStart(7), count('killed').padStart(7), count('endless').padStart(8)];
    cells.push(
      count('survived').padStart(9),
      count('unreached').padStart(10),
      (100 * killedShare).toFixed(1).padStart(10),
    );
    console.log(`${file.padEnd(36)} ${cells.join(' ')}`);
  }
  return { killedShare };
}

function compareWithList(): boolean {
  const survived = [...outcomes]
    .filter(([, outcome]) => !isDead(outcome))
    .map(([number]) => mutants[number - 1] as Mutant);
  const isOf = (mutant: Mutant, one: (typeof SURVIVORS)[number]): boolean =>
    mutant.file === one.file && mutant.lineText === one.line && mutant.from === one.from && mutant.to === one.to;
  const unlisted = survived.filter((mutant) => !SURVIVORS.some((one) => isOf(mutant, one)));
  const gone = SURVIVORS.filter((one) => files.includes(one.file) && !survived.some((mutant) => isOf(mutant, one)));
  for (const { file, line, lineText, operator, from, to } of unlisted.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
  )) {
    console.log(`\n${file}:${line} (${operator}) survives and is not listed\n  ${lineText}`);
    console.log(`  ${JSON.stringify({ from, to })}`);
  }
  for (const { file, line, from, to } of gone) {
    console.log(
      `\n${file}: listed as a survivor, but no such mutant survives\n  ${line}\n  ${JSON.stringify({ from, to })}`,
    );
  }
  console.log(`\n${survived.length} survived, ${unlisted.length} of them not listed; ${gone.length} listed in vain`);
  return unlisted.length === 0 && gone.length === 0;
}

const begun = performance.now();
const runners = Array.from({ length: PROCESSES }, () => new Runner());
const { tests, loaded } = await baseline(runners[0] as Runner);
console.log(`${mutants.length} mutants, ${loaded.size} of them reached while loading; ${tests.length} tests`);
for (const { name, ms } of tests.toSorted((a, b) => b.ms - a.ms).slice(0, process.env.MUTATION_PROGRESS ? 12 : 0))
  console.log(`  ${Math.round(ms)} ms ${name}`);
// Those that need a process of their own last.
const queue = mutants.map((_, i) => i + 1).sort((a, b) => Number(loaded.has(a)) - Number(loaded.has(b)) || a - b);
await Promise.all(runners.map((runner) => tryAll(runner, queue, tests, loaded)));
const { killedShare } = table();
const agrees = compareWithList();
console.log(`${Math.round((performance.now() - begun) / 1000)} s`);
process.exitCode = killedShare >= KILLED_MIN && agrees ? 0 : 1;
