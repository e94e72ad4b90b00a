/** The processor time of each thread of a server, as Linux counts it (proc(5): schedstat), sampled under load. */
import { readdirSync, readFileSync } from 'node:fs';
import { monotonicMs } from '../src/lib/clock.ts';

/** The parts of the service that a core may be busy with. */
export const ROLES = ['loop', 'storage', 'reader', 'columns', 'V8'] as const;
export type Role = (typeof ROLES)[number];

/** Sums since the start of the process, ms. */
interface Sample extends Record<Role, number> {
  at: number;
  /** The event loop had work and no core. */
  delayed: number;
}

const EVERY_MS = 4;

/** The role of each thread: the storage threads start first, and DuckDB works in the threads that start later. */
function rolesOf(pid: number): Map<string, Role> {
  const roles = new Map<string, Role>();
  const workers: Role[] = ['storage', 'reader'];
  for (const tid of readdirSync(`/proc/${pid}/task`).toSorted((a, b) => Number(a) - Number(b))) {
    const name = readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trim();
    if (Number(tid) === pid) roles.set(tid, 'loop');
    else if (name === 'node-V8Worker') roles.set(tid, 'V8');
    else if (name === 'WorkerThread') roles.set(tid, workers.shift() ?? 'columns');
    else if (name === 'libuv-worker') roles.set(tid, 'columns');
  }
  return roles;
}

function sample(pid: number, roles: ReadonlyMap<string, Role>): Sample {
  const sums: Sample = { at: monotonicMs(), delayed: 0, loop: 0, storage: 0, reader: 0, columns: 0, V8: 0 };
  for (const [tid, role] of roles) {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ').map(Number);
    sums[role] += ran / 1e6;
    if (role === 'loop') sums.delayed = waited / 1e6;
  }
  return sums;
}

/** The part of the sums that falls into a span of time, ms. */
export type Happened = Omit<Sample, 'at'>;

/** Returns a function that reports the processor time of each thread since this call, ms. */
export function clockThreads(pid: number): () => Happened {
  const roles = rolesOf(pid);
  const before = sample(pid, roles);
  return () => difference(before, sample(pid, roles));
}

export interface Watch {
  /** Ends it and returns the function that looks a span up. */
  stop(): (fromMs: number, toMs: number) => Happened;
}

export function watchThreads(pid: number): Watch {
  const roles = rolesOf(pid);
  const samples = [sample(pid, roles)];
  const timer = setInterval(() => samples.push(sample(pid, roles)), EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      samples.push(sample(pid, roles));
      return (fromMs, toMs) => difference(sumsAt(samples, fromMs), sumsAt(samples, toMs));
    },
  };
}

const difference = (before: Happened, after: Happened): Happened => ({
  delayed: after.delayed - before.delayed,
  loop: after.loop - before.loop,
  storage: after.storage - before.storage,
  reader: after.reader - before.reader,
  columns: after.columns - before.columns,
  V8: after.V8 - before.V8,
});

/** The sums at any time: between two samples, on the line from one to the other. */
function sumsAt(samples: readonly Sample[], at: number): Happened {
  let low = 0;
  let high = samples.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((samples[middle] as Sample).at <= at) low = middle;
    else high = middle;
  }
  const [before, after] = [samples[low] as Sample, samples[high] as Sample];
  const part = Math.min(1, Math.max(0, (at - before.at) / (after.at - before.at || 1)));
  const between = (name: Role | 'delayed'): number => before[name] + (after[name] - before[name]) * part;
  return {
    delayed: between('delayed'),
    loop: between('loop'),
    storage: between('storage'),
    reader: between('reader'),
    columns: between('columns'),
    V8: between('V8'),
  };
}
