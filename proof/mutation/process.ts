/**
 * A process of the mutation run: the code with all mutants built in and the tests, loaded once. It activates the
 * requested mutant and runs tests until one fails. A mutant reached far more often than before is in an endless loop.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Collected, collect } from './collect.ts';
import { SWITCH } from './mutants.ts';
import { TESTS } from './scope.ts';

export interface Setup {
  /** Absolute path of a source file to the path of the same with its mutants built in. */
  built: Record<string, string>;
  testFiles: readonly string[];
  /** Alive from the beginning, for what is worked out while the code is loaded; 0: none. */
  alive: number;
  root: string;
}

export type ToProcess =
  | { kind: 'setup'; setup: Setup }
  | { kind: 'baseline'; test: number }
  | { kind: 'try'; mutant: number; tests: readonly number[]; hitsMax: number };

export type FromProcess =
  | { kind: 'ready'; tests: { file: string; name: string }[] /** Asked for while loading. */; loaded: number[] }
  | { kind: 'unloadable'; message: string }
  | { kind: 'baseline'; test: number; ms: number; hits: [mutant: number, times: number][]; failure: string | null }
  | { kind: 'tried'; mutant: number; by: number | null; endless: boolean };

let alive = 0;
let hits = 0;
let hitsMax = Infinity;
let recorded: Map<number, number> | null = new Map();

class Endless extends Error {}

function isAlive(mutant: number): boolean {
  if (recorded !== null) recorded.set(mutant, (recorded.get(mutant) ?? 0) + 1);
  if (mutant !== alive) return false;
  if (++hits > hitsMax) throw new Endless();
  return true;
}

const post = (message: FromProcess): void => void process.send?.(message);
const tests: Collected[] = [];

async function load(setup: Setup): Promise<void> {
  alive = setup.alive;
  Object.assign(globalThis, { [SWITCH]: isAlive });
  const stands: Record<string, string> = {
    'node:test': new URL('collect.ts', import.meta.url).href,
    'fast-check': new URL('fast-check.ts', import.meta.url).href,
  };
  registerHooks({
    resolve(specifier, context, next) {
      const stand = stands[specifier];
      if (stand === undefined || context.parentURL === stand) return next(specifier, context);
      return { url: stand, shortCircuit: true };
    },
    load(url, context, next) {
      const built = url.startsWith('file:') ? setup.built[fileURLToPath(url)] : undefined;
      if (built === undefined) return next(url, context);
      return { format: 'module-typescript', source: readFileSync(built, 'utf8'), shortCircuit: true };
    },
  });
  for (const { file, env, only } of TESTS) {
    if (!setup.testFiles.includes(file)) continue;
    Object.assign(process.env, env);
    const collected = await collect(file, () => import(pathToFileURL(join(setup.root, file)).href));
    tests.push(...collected.filter(({ name }) => only === undefined || only.test(name)));
  }
}

/** null: it passed. */
async function failureOf(test: Collected): Promise<unknown> {
  try {
    await test.run();
    return null;
  } catch (error) {
    return error ?? new Error('thrown without a reason');
  }
}

process.on('message', (message: ToProcess) => void answer(message));

async function answer(message: ToProcess): Promise<void> {
  if (message.kind === 'setup') {
    try {
      await load(message.setup);
    } catch (error) {
      post({ kind: 'unloadable', message: String((error as Error)?.stack ?? error) });
      return;
    }
    post({
      kind: 'ready',
      tests: tests.map(({ file, name }) => ({ file, name })),
      loaded: [...(recorded ?? new Map<number, number>()).keys()],
    });
    recorded = null;
  } else if (message.kind === 'baseline') {
    recorded = new Map();
    const begun = performance.now();
    const error = await failureOf(tests[message.test] as Collected);
    const failure = error === null ? null : String((error as Error).stack ?? error);
    post({ kind: 'baseline', test: message.test, ms: performance.now() - begun, hits: [...recorded], failure });
    recorded = null;
  } else {
    alive = message.mutant;
    hits = 0;
    hitsMax = message.hitsMax;
    for (const one of message.tests) {
      const error = await failureOf(tests[one] as Collected);
      if (error === null) continue;
      alive = 0;
      post({ kind: 'tried', mutant: message.mutant, by: one, endless: hits > hitsMax });
      return;
    }
    alive = 0;
    // A test may have swallowed what stopped the loop.
    post({ kind: 'tried', mutant: message.mutant, by: null, endless: hits > hitsMax });
  }
}
