/**
 * Divides the time of slow checks among its causes. One core carries the whole service: at any time one of its threads
 * runs there, or another process, or none of them because the disk is waited for. Measured for the slowest 1 % of the
 * checks, and for those around the median.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { loadCatalogue } from './check.ts';
import type { Figure, Part } from './figure.ts';
import { TEN_RULES } from './inputs.ts';
import { type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';
import { type Happened, watchThreads } from './threads.ts';

const CONNECTIONS = 64;
const WARM = 60_000;

/** Where the time of checks went, in their order; the rest of it is the disk's. */
const CAUSES = {
  'the event loop': ({ loop }) => loop,
  'the storage thread (the writes of the commit)': ({ storage }) => storage,
  'reads of the records': ({ reader }) => reader,
  'the columns': ({ columns }) => columns,
  'threads of V8 (garbage collection and compiling)': ({ V8 }) => V8,
  'other processes on this core': (happened) => Math.max(0, happened.delayed - own(happened)),
} as const satisfies Record<string, (happened: Happened) => number>;
const own = ({ storage, reader, columns, V8 }: Happened): number => storage + reader + columns + V8;

type Cause = keyof typeof CAUSES | 'waiting for the disk (fsync)';

interface Divided {
  meanMs: number;
  causes: Map<Cause, number>;
}

export const p99Part: Part = {
  name: 'p99',
  about: `What slow checks wait for, at ${CONNECTIONS} connections, ten rules`,
  async run({ quick, say }) {
    using dir = temporaryFolder();
    const cores = splitCores();
    await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server });
    const { checks } = await loadCatalogue(postern, 'slow', 'Ten rules', TEN_RULES);
    const bodies = checks.map((check) => JSON.stringify(check));
    const plan = { path: '/v1/access/check', headers: HEADERS, bodies, port: postern.port, connections: CONNECTIONS };
    await using loader = openLoader(cores.load);
    for (let answered = 0; answered < (quick ? 1_000 : WARM); ) {
      answered += (await loader.run({ ...plan, warmupMs: 0, measureMs: 1_000 })).answered;
    }
    const collected = await gcSeconds(postern);
    const watch = watchThreads(postern.pid);
    const measureMs = quick ? 2_000 : 30_000;
    const result = await loader.run({ ...plan, warmupMs: 0, measureMs, withTimes: true });
    const happened = watch.stop();
    const gcMs = ((await gcSeconds(postern)) - collected) * 1_000;
    say(`${Math.round(result.perSecond)}/s, p50 ${result.p50Ms.toFixed(2)} ms, p99 ${result.p99Ms.toFixed(2)} ms`);
    const usual = divide(result, happened, 0.45, 0.55);
    const slow = divide(result, happened, 0.99, 1);
    return {
      figures: figuresOf(usual, slow, gcMs / measureMs),
      notes: [
        cores.note,
        'A check waits for the requests before it too: the event loop is theirs and its own.',
        'Other processes: at least. What the scheduler counts is sampled every 4 ms.',
      ],
    };
  },
};

/** Divides the mean time of the checks between two quantiles. */
function divide({ times }: LoadResult, happened: (from: number, to: number) => Happened, low: number, high: number) {
  const { fromMs, tookMs } = times as NonNullable<LoadResult['times']>;
  const order = Array.from(tookMs.keys()).toSorted((a, b) => (tookMs[a] as number) - (tookMs[b] as number));
  const chosen = order.slice(Math.floor(order.length * low), Math.ceil(order.length * high));
  const causes = new Map<Cause, number>();
  let sumMs = 0;
  for (const i of chosen) {
    const [from, took] = [fromMs[i] as number, tookMs[i] as number];
    const within = happened(from, from + took);
    let rest = took;
    sumMs += took;
    for (const [name, read] of Object.entries(CAUSES) as [Cause, (one: Happened) => number][]) {
      const ms = Math.min(rest, read(within));
      rest -= ms;
      causes.set(name, (causes.get(name) ?? 0) + ms / chosen.length);
    }
    const disk = 'waiting for the disk (fsync)';
    causes.set(disk, (causes.get(disk) ?? 0) + rest / chosen.length);
  }
  return { meanMs: sumMs / chosen.length, causes };
}

/** The time that the main thread has been stopped by garbage collection. */
async function gcSeconds(postern: Postern): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${postern.port}/metrics`);
  const text = await response.text();
  const sums = text.matchAll(/^postern_nodejs_gc_duration_seconds_sum\{[^}]*\} (\S+)$/gm);
  return [...sums].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

function figuresOf(usual: Divided, slow: Divided, gcShare: number): Figure[] {
  const figure = (what: string, value: number, other: number): Figure => ({
    what,
    value,
    unit: 'ms',
    ...(other === 0 ? {} : { against: { what: 'checks around the median', value: other, ratio: value / other } }),
  });
  return [
    figure('the slowest 1 % of checks', slow.meanMs, usual.meanMs),
    ...[...slow.causes].map(([name, ms]) => figure(`of it, ${name}`, ms, usual.causes.get(name) ?? 0)),
    { what: 'garbage collection on the main thread', value: gcShare * 100, unit: '% of the time' },
  ];
}
