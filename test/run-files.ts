/** Runs test files in the order given, several at once, and prints what their tests report. */
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface RunOptions {
  cwd: string;
  concurrency: number;
  /** No test takes longer, ms. One that hangs fails, so that the others run. */
  timeout: number;
  /** Given to the process of each file. */
  execArgv: readonly string[];
}

/** Absolute paths. A test that a file has from another, as those on PostgreSQL do, counts for the one that was run. */
export interface RunFiles {
  succeeded: boolean;
  failed: Set<string>;
  took: { file: string; ms: number }[];
}

export async function runFiles(files: readonly string[], { cwd, timeout, ...options }: RunOptions): Promise<RunFiles> {
  const execArgv = [`--test-timeout=${timeout}`, ...options.execArgv];
  const absolute = files.map((file) => resolve(cwd, file));
  const events = run({ cwd, concurrency: options.concurrency, timeout, execArgv, files: absolute });
  let succeeded = false;
  const failed = new Set<string>();
  const took: RunFiles['took'] = [];
  events.on('test:summary', ({ file, success, duration_ms: ms }) => {
    if (file === undefined) succeeded = success;
    else took.push({ file, ms });
    if (file !== undefined && !success) failed.add(file);
  });
  events.on('test:fail', ({ file, name }) => {
    // A file that ends by itself fails as a test of its own name.
    if (file !== undefined && file === resolve(cwd, name)) failed.add(file);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  return { succeeded, failed, took };
}
