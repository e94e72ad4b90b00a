/**
 * The mutation run: each mutant of the rules (see scope.ts) is tried by the tests that reach it. Exit status 1 when
 * fewer than 90 % are killed, when one survives that survivors.ts does not list, or when one that it lists is killed.
 *
 *   npm run mutation                 all of it
 *   npm run mutation -- decide.ts    the files whose path ends so
 *   npm run mutation -- decide.ts:40 of those only the mutants of that line; what is listed in vain is not looked for
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, mutate } from './mutants.ts';
import type { FromProcess, Setup, ToProcess } from './process.ts';
import { SCOPE, TESTS } from './scope.ts';
import { SURVIVORS } from './survivors.ts';

const KILLED_MIN = 0.9;
const PROCESSES = Math.min(2, availableParallelism());
/** The time limit for the tests of a mutant, beside a multiple of their time without it. */
const GRACE_MS = 3_000;
/** An endless loop asks for its mutant again and again. */
const HITS_MORE = 100;

type Outcome = 'killed' | 'endless' | 'survived' | 'unreached';

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'postern-mutation-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const only = process.argv.slice(2).map((one) => one.split(':'));
const files = Object.keys(SCOPE).filter((file) => only.length === 0 || only.some(([end = '']) => file.endsWith(end)));
const isWanted = ({ file, line }: Mutant): boolean =>
  only.length === 0 || only.some(([end = '', of]) => file.endsWith(end) && (of === undefined || Number(of) === line));
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
  async start(alive = 0, testFiles?: readonly string[]): Promise<FromProcess | null> {
    this.stop();
    const folder = join(scratch, 'tmp');
    mkdirSync(folder, { recursive: true });
    this.#child = fork(join(import.meta.dirname, 'process.ts'), {
      cwd: root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-old-space-size=768', '--no-warnings'],
      env: { ...process.env, TMPDIR: folder, SEED: '1' },
    });
    const setup: Setup = { built, alive, root, testFiles: testFiles ?? TESTS.map(({ file }) => file) };
    return this.ask({ kind: 'setup', setup }, 120_000);
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
  file: string;
  name: string;
  ms: number;
  hits: Map<number, number>;
  /** The mutants that its file reaches while it loads. */
  loaded: ReadonlySet<number>;
  /** Mutants it killed: who kills one of a file often kills the next. */
  kills: Map<string, number>;
}

/** File by file, each in a process of its own: what a file reaches while loading is what it imports. */
async function baseline(runner: Runner): Promise<Test[]> {
  const tests: Test[] = [];
  for (const { file } of TESTS) {
    const ready = await runner.start(0, [file]);
    if (ready?.kind !== 'ready') {
      throw new Error(`${file} cannot be loaded: ${ready?.kind === 'unloadable' ? ready.message : 'no answer'}`);
    }
    const loaded = new Set(ready.loaded);
    for (const [i, { name }] of ready.tests.entries()) {
      const ran = await runner.ask({ kind: 'baseline', test: i }, 120_000);
      if (ran?.kind !== 'baseline' || ran.failure !== null) {
        const failure = ran?.kind === 'baseline' ? ran.failure : 'no answer';
        throw new Error(`${file}: "${name}" fails without a mutant: ${failure}`);
      }
      tests.push({ file, name, ms: ran.ms, hits: new Map(ran.hits), loaded, kills: new Map() });
    }
  }
  runner.stop();
  return tests;
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
  const worth = ({ kills, ms }: Test): number => (kills.get(file) ?? 0) / (ms + 5);
  const reaching = tests
    .filter((test) => test.hits.has(number) || test.loaded.has(number))
    .toSorted((a, b) => worth(b) - worth(a) || a.ms - b.ms);
  if (reaching.length === 0) return 'unreached';
  if (!isLoaded) {
    const begin = (): Promise<unknown> => runner.start();
    if (!runner.isUp) await begin();
    return run(runner, number, reaching, tests, begin);
  }
  // What is worked out while loading asks for a process of its own: of one test file at a time, the best first.
  for (const testFile of new Set(reaching.map((test) => test.file))) {
    const ready = await runner.start(number, [testFile]);
    const own = tests.filter((test) => test.file === testFile);
    const isOther = ready?.kind === 'ready' && ready.tests.length !== own.length;
    const outcome =
      ready?.kind === 'ready' && !isOther
        ? await run(
            runner,
            number,
            reaching.filter((test) => test.file === testFile),
            own,
            () => runner.start(number, [testFile]),
          )
        : 'killed';
    runner.stop();
    if (outcome !== 'survived') return outcome;
  }
  return 'survived';
}

/** `present`: the tests that the process has, in its order; `begin` starts it anew. */
async function run(
  runner: Runner,
  number: number,
  reaching: Test[],
  present: Test[],
  begin: () => Promise<unknown>,
): Promise<Outcome> {
  const { file } = mutants[number - 1] as Mutant;
  const time = reaching.reduce((sum, { ms }) => sum + ms, 0);
  const hits = reaching.reduce((sum, test) => sum + (test.hits.get(number) ?? 0), 0);
  const message: ToProcess = {
    kind: 'try',
    mutant: number,
    tests: reaching.map((test) => present.indexOf(test)),
    hitsMax: hits === 0 ? 1e9 : HITS_MORE * hits + 10_000,
  };
  let result = await runner.ask(message, 5 * time + GRACE_MS);
  if (result === null) {
    // An endless loop, or a busy machine: it is asked again, with time enough for the second.
    await begin();
    result = await runner.ask(message, 10 * time + 10 * GRACE_MS);
  }
  if (result?.kind !== 'tried' || result.endless) return 'endless';
  if (result.by === null) return 'survived';
  const { kills } = present[result.by] as Test;
  kills.set(file, (kills.get(file) ?? 0) + 1);
  return 'killed';
}

function progress(number: number): void {
  const { file, line } = mutants[number - 1] as Mutant;
  console.log(`#${number} ${outcomes.size}/${mutants.length} ${file}:${line} ${outcomes.get(number)}`);
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
  const isWhole = (file: string): boolean =>
    only.length === 0 || only.some(([end = '', of]) => of === undefined && file.endsWith(end));
  const gone = SURVIVORS.filter((one) => isWhole(one.file) && !survived.some((mutant) => isOf(mutant, one)));
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
const tests = await baseline(runners[0] as Runner);
const loaded = tests.reduce((all, test) => all.union(test.loaded), new Set<number>());
console.log(`${mutants.length} mutants, ${loaded.size} of them reached while loading; ${tests.length} tests`);
for (const { file, name, ms } of tests.toSorted((a, b) => b.ms - a.ms).slice(0, process.env.MUTATION_PROGRESS ? 12 : 0))
  console.log(`  ${Math.round(ms)} ms ${file}: ${name}`);
// Those that need a process of their own last.
const queue = mutants
  .flatMap((mutant, i) => (isWanted(mutant) ? [i + 1] : []))
  .toSorted((a, b) => Number(loaded.has(a)) - Number(loaded.has(b)) || a - b);
await Promise.all(runners.map((runner) => tryAll(runner, queue, tests, loaded)));
const { killedShare } = table();
const agrees = compareWithList();
console.log(`${Math.round((performance.now() - begun) / 1000)} s`);
process.exitCode = killedShare >= KILLED_MIN && agrees ? 0 : 1;
