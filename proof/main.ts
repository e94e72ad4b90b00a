/**
 * `npm run proof`: the long forms of the tests of reliability and of decisions. Prints the seed, a summary table, and
 * ends with status 1 when a proof failed. What this machine cannot do is listed as "not run", with the reason, never
 * left out.
 *
 *   npm run proof -- --kills 500 --seed 7 --only kills,fsync
 *   npm run proof -- --items 3000000 --only console
 */
import { parseArgs } from 'node:util';
import { anySeed } from '../kit/random.ts';
import { runLedgers } from '../test/oracle/ledgers.ts';
import { runClickHouse } from './clickhouse/clickhouse.ts';
import { runTakenOut } from './clickhouse/taken-out.ts';
import { runClockJumps } from './cluster/clock-jumps.ts';
import { runCluster } from './cluster/cluster.ts';
import { runClusterEdits } from './cluster/cluster-edits.ts';
import { runClusterWriters } from './cluster/cluster-writers.ts';
import { runFailover } from './cluster/failover.ts';
import { runLogFailover } from './cluster/log-failover.ts';
import { runRolling } from './cluster/rolling.ts';
import { cannotMount, runDiskFull, runFailingCalls } from './crash/disk-faults.ts';
import { runFirstStartKills, runFsyncKills } from './crash/fsync-kills.ts';
import { runInterruptions } from './crash/interruptions.ts';
import { runKills } from './crash/kills.ts';
import { runLogKills } from './crash/log-kills.ts';
import { runPowerCuts } from './crash/power-cuts.ts';
import { runRevocations } from './crash/revocations.ts';
import { cannotTrace } from './crash/strace.ts';
import { runUpgrade } from './crash/upgrade.ts';
import { runWebhookKills } from './crash/webhook-kills.ts';
import { runWriters } from './crash/writers.ts';
import { runExhaustive } from './exhaustive.ts';
import { runLinear } from './linear.ts';
import { runMillion } from './million.ts';
import { cannotFetchPostgres, runPostgresRest, runPostgresVersions } from './postgres/versions.ts';
import { runSignals } from './signals/invariant.ts';

interface Context {
  seed: number;
  kills: number;
  items: number;
  tell(line: string): void;
}

interface Proof {
  name: string;
  promise: string;
  /** Why it cannot be run on this machine. */
  impossible?: () => string | undefined | Promise<string | undefined>;
  run(context: Context): Promise<object>;
}

/** With the connection's real settings nothing may be lost. A short WAL is copied into the file again and again. */
const cuts = (name: string, pragmas: string | undefined): Proof => ({
  name,
  promise: `power cuts${pragmas === undefined ? '' : ` with ${pragmas}`}: what was acknowledged is there, the file is sound`,
  impossible: cannotTrace,
  async run({ kills, seed }) {
    const given = pragmas === undefined ? {} : { pragmas };
    const figures = await runPowerCuts({ cuts: kills * 5, seed, starts: Math.ceil(kills / 20), ...given });
    if (figures.lossy > 0) throw new Error(`${figures.lossy} of ${figures.cuts} power cuts lost what was acknowledged`);
    return figures;
  },
});

/** The same with a weaker setting must lose something; else this proof would see nothing. */
const cutsUndefended = (name: string, pragmas: string): Proof => ({
  name,
  promise: `power cuts with ${pragmas} do lose it: the setting matters, and the proof sees it`,
  impossible: cannotTrace,
  async run({ kills, seed }) {
    const figures = await runPowerCuts({ cuts: kills, seed, pragmas });
    if (figures.lossy === 0) throw new Error('no loss was seen where there must be some');
    return figures;
  },
});

const PROOFS: readonly Proof[] = [
  {
    name: 'kills',
    promise: 'kill -9 at random moments: what was acknowledged is there once',
    run: ({ kills, seed, tell }) => runKills({ kills, seed, tell }),
  },
  {
    name: 'writers',
    promise: '64 writers of policies and kill -9: versions without gap or duplicate, each what its writer sent',
    run: ({ kills, seed, tell }) => runWriters({ kills: Math.ceil(kills / 2), seed, tell }),
  },
  {
    name: 'exhaustive',
    promise: 'decide equals the second implementation for all policies of three rules on the larger vocabulary',
    run: async ({ tell }) => runExhaustive('full', tell),
  },
  {
    name: 'statements',
    promise:
      'statements of 1,000 random ledgers and what is outside of them are all allowed decisions, and cost what a second implementation says',
    run: ({ seed }) => runLedgers({ ledgers: 1_000, seed, postgresEvery: 5 }),
  },
  {
    name: 'linear',
    promise: 'eight times the size takes about eight times as long: every condition read, refused, linted and decided',
    run: async ({ tell }) => runLinear(tell),
  },
  {
    name: 'fsync',
    promise: 'kill -9 at the Nth fsync, while starting and under load: the same',
    impossible: cannotTrace,
    run: ({ kills, seed, tell }) => runFsyncKills({ points: Math.ceil(kills * 0.3), seed, tell }),
  },
  {
    name: 'first-start',
    promise: 'the first start killed at each fsync: the next one works, and a key that works was shown',
    impossible: cannotTrace,
    run: runFirstStartKills,
  },
  cuts('cuts', undefined),
  cuts('cuts-wal', 'wal_autocheckpoint=40'),
  cutsUndefended('cuts-normal', 'synchronous=normal'),
  cutsUndefended('cuts-off', 'synchronous=off,wal_autocheckpoint=40'),
  {
    name: 'full',
    promise: 'disk full: refused, nothing half done, reads go on, well again by itself',
    impossible: cannotMount,
    run: ({ kills, seed, tell }) => runDiskFull({ faults: Math.ceil(kills * 0.1), seed, tell }),
  },
  {
    name: 'io',
    promise: 'failing reads, writes and fsyncs: the same',
    impossible: cannotTrace,
    run: ({ kills, seed, tell }) => runFailingCalls({ faults: Math.ceil(kills * 0.1), seed, tell }),
  },
  {
    name: 'webhooks',
    promise: 'kill -9 while webhooks are delivered: every committed event arrives, no other does, the same every time',
    run: ({ kills, seed, tell }) => runWebhookKills({ kills, seed, tell }),
  },
  {
    name: 'cluster',
    promise:
      'nodes on PostgreSQL, killed, stopped, clocks wrong and jumping, the database restarted: limits, books and kept answers are exact',
    run: ({ kills, seed, tell }) => runCluster({ checks: kills * 5_000, seed, tell }),
  },
  {
    name: 'revocations',
    promise:
      'what was cut off through one node does not pass at another a second later, under load and with wrong clocks',
    run: ({ kills, seed, tell }) => runRevocations({ count: kills * 5, seed, tell }),
  },
  {
    name: 'interruptions',
    promise: 'a node that was stopped, or lost its line, when something was cut off elsewhere lets nothing of it pass',
    run: ({ kills, seed, tell }) => runInterruptions({ rounds: Math.ceil(kills / 2), seed, tell }),
  },
  {
    name: 'clock-jumps',
    promise: 'the clock is set back, or forward and back: time goes on, limits are free again, keys expire',
    run: ({ kills, seed }) => runClockJumps({ jumps: Math.ceil(kills / 5), seed }),
  },
  {
    name: 'cluster-edits',
    promise: 'every kind of edit with one Idempotency-Key on two nodes has one effect and one answer; upserts meet',
    run: ({ kills, seed, tell }) => runClusterEdits({ rounds: kills, seed, tell }),
  },
  {
    name: 'cluster-writers',
    promise: '64 writers over three nodes, one killed at a time: versions without gap or duplicate',
    run: ({ kills, seed, tell }) => runClusterWriters({ kills: Math.ceil(kills / 8), seed, tell }),
  },
  {
    name: 'rolling',
    promise: 'three nodes behind a TCP balancer restarted one after the other under load: no request fails',
    run: ({ kills, tell }) => runRolling({ rounds: Math.ceil(kills / 50), tell }),
  },
  {
    name: 'upgrade',
    promise: 'the next version, which changes the tables, takes over node by node under load: no request fails',
    run: ({ kills, tell }) => runUpgrade({ versions: Math.ceil(kills / 100), tell }),
  },
  {
    name: 'failover',
    promise:
      'the database is lost under load and a standby takes its place: nothing answered is lost, soon all works again',
    run: ({ kills, seed, tell }) => runFailover({ rounds: Math.ceil(kills / 10), seed, tell }),
  },
  {
    name: 'log-kills',
    promise: 'kill -9 while decisions are sealed and erased: every answered one is in one log, which never forks',
    run: ({ kills, seed, tell }) => runLogKills({ kills, seed, tell }),
  },
  {
    name: 'log-failover',
    promise: 'the node that seals is killed, or the database lost: every answered decision is in one log',
    run: ({ kills, seed, tell }) => runLogFailover({ rounds: Math.ceil(kills / 10), seed, tell }),
  },
  {
    name: 'clickhouse',
    promise:
      'ClickHouse killed, cut off, full, slow and restored beside kills of nodes: reports equal a fold over the answers',
    run: ({ kills, seed, tell }) => runClickHouse({ kills, seed, tell }),
  },
  {
    name: 'clickhouse-moved',
    promise: 'the same while decisions move out of PostgreSQL: reports, log, export and statements lack nothing',
    run: ({ kills, seed, tell }) => runClickHouse({ kills, seed, isMoving: true, tell }),
  },
  {
    name: 'clickhouse-defences',
    promise: 'without any of the defences of columns and of moved decisions, the test that is named fails',
    run: ({ tell }) => runTakenOut(tell),
  },
  {
    name: 'postgres',
    promise: 'the suites that the tests run on SQLite alone hold on PostgreSQL, too, and with decisions in partitions',
    run: runPostgresRest,
  },
  {
    name: 'postgres-versions',
    promise: 'PostgreSQL 14 to 17: all that is tested on the one that comes with the tests holds on these too',
    impossible: cannotFetchPostgres,
    run: ({ tell }) => runPostgresVersions({ tell }),
  },
  {
    name: 'signals',
    promise: 'what the files of sites say agrees with checks, and does not without any of their defences',
    run: ({ seed, tell }) => runSignals({ statements: 100_000, seed, tell }),
  },
  {
    name: 'console',
    promise: 'the console on a million items, or --items: each page can be used within a second and a half',
    run: ({ items, tell }) => runMillion({ items, withinMs: 1_500, tell }),
  },
];

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(anySeed()) },
    items: { type: 'string', default: '1000000' },
    only: { type: 'string', default: PROOFS.map(({ name }) => name).join(',') },
  },
});

const kills = Number(values.kills);
const seed = Number(values.seed);
const items = Number(values.items);
const only = values.only.split(',');
const unknown = only.filter((name) => !PROOFS.some((proof) => proof.name === name));
const areWhole = [kills, seed, items].every(Number.isSafeInteger);
if (!areWhole || kills < 1 || items < 1 || unknown.length > 0) {
  process.stderr.write(`usage: --kills N --seed N --items N --only ${PROOFS.map(({ name }) => name).join(',')}\n`);
  process.exit(2);
}

interface Outcome {
  name: string;
  promise: string;
  outcome: 'held' | 'FAILED' | 'not run';
  seconds: number;
  detail: string;
}

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const outcomes: Outcome[] = [];
write(`seed ${seed}`);
for (const { name, promise, impossible, run } of PROOFS) {
  if (!only.includes(name)) continue;
  const why = await impossible?.();
  if (why !== undefined) {
    outcomes.push({ name, promise, outcome: 'not run', seconds: 0, detail: why });
    continue;
  }
  write(`\n${name}: ${promise}`);
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
  try {
    const figures = await run({ seed, kills, items, tell: (line) => write(`  ${line}`) });
    const detail = Object.entries(figures)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ');
    outcomes.push({ name, promise, outcome: 'held', seconds: seconds(), detail });
  } catch (error) {
    write(String((error as Error).stack));
    outcomes.push({
      name,
      promise,
      outcome: 'FAILED',
      seconds: seconds(),
      detail: (error as Error).message.split('\n')[0] ?? '',
    });
  }
}

write(`\nseed ${seed}, Node ${process.version}, ${process.platform} ${process.arch}\n`);
for (const { name, promise, outcome, seconds, detail } of outcomes) {
  write(`${outcome.padEnd(8)} ${name.padEnd(17)} ${String(seconds).padStart(5)} s  ${promise}`);
  write(`${' '.repeat(36)}${detail}`);
}
process.exit(outcomes.some(({ outcome }) => outcome === 'FAILED') ? 1 : 0);
