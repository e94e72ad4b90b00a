/**
 * Measures `postern audit` of a log of a month, from the start of the process to its end: time, processor time of all
 * threads, and the most memory.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { logLine } from '../kit/access-log.ts';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded } from '../kit/random.ts';
import { type Figure, median, type Part, type PartOptions } from './figure.ts';

const POSTERN = join(import.meta.dirname, '../src/postern.ts');
const LINES = 10_000_000;
const QUICK_LINES = 200_000;
const ARTICLES = 1_000_000;
/** A minute of two cores. Other load changes the time, and hardly the processor time. */
const MOST_CPU_SECONDS = 120;
const MOST_MIB = 512;
const SEED = 15;
const MONTH_MS = 30 * 86_400_000;

export const auditPart: Part = {
  name: 'audit',
  about: 'Auditing the access log of a month with `postern audit`, from the start of the process to its end',
  async run({ quick, say }: PartOptions) {
    using dir = temporaryFolder();
    const lines = quick ? QUICK_LINES : LINES;
    const file = join(dir.path, 'access.log');
    writeLog(file, lines);
    const gigabytes = statSync(file).size / 1e9;
    say(`${lines.toLocaleString('en')} lines, ${gigabytes.toFixed(2)} GB`);
    const runs: Run[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const audited = await timed(process.execPath, [POSTERN, 'audit', file, '--json', '--threads', '2']);
      const report = JSON.parse(audited.stdout) as { lines: number; unreadable: { count: number } };
      if (report.lines !== lines || report.unreadable.count > 0) throw new Error(audited.stdout.slice(0, 1000));
      say(
        `${audited.seconds.toFixed(1)} s, ${audited.cpuSeconds.toFixed(1)} s of processor time, ${audited.peakMiB.toFixed(0)} MiB`,
      );
      runs.push(audited);
    }
    const seconds = median(runs.map((run) => run.seconds));
    const peak = Math.max(...runs.map(({ peakMiB }) => peakMiB));
    const cpu = median(runs.map(({ cpuSeconds }) => cpuSeconds));
    const figures: Figure[] = [
      {
        what: 'processor time of all threads',
        value: cpu,
        unit: 's',
        target: { text: `≤ ${MOST_CPU_SECONDS} s`, met: cpu <= MOST_CPU_SECONDS },
      },
      { what: 'time, on the machine as it was', value: seconds, unit: 's' },
      { what: 'lines for each second of a core', value: lines / cpu, unit: '/s' },
      { what: 'most memory', value: peak, unit: 'MiB', target: { text: `≤ ${MOST_MIB} MiB`, met: peak <= MOST_MIB } },
    ];
    return {
      figures,
      notes: [`${lines.toLocaleString('en')} lines in the format combined, ${gigabytes.toFixed(2)} GB; two threads.`],
    };
  },
};

function writeLog(file: string, lines: number): void {
  const random = seeded(SEED);
  const log = openSync(file, 'w');
  const begun = Date.UTC(2026, 9, 1);
  for (let i = 0; i < lines; ) {
    const some: string[] = [];
    for (const end = Math.min(lines, i + 20_000); i < end; i++) {
      some.push(logLine(random, begun + Math.floor((i / lines) * MONTH_MS), ARTICLES));
    }
    writeSync(log, `${some.join('\n')}\n`);
  }
  closeSync(log);
}

interface Run {
  stdout: string;
  seconds: number;
  cpuSeconds: number;
  peakMiB: number;
}

const WATCH_EVERY_MS = 50;

/** Runs a command and watches what Linux says of it; see proc(5). */
function timed(command: string, args: readonly string[]): Promise<Run> {
  const began = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const run: Run = { stdout: '', seconds: 0, cpuSeconds: 0, peakMiB: 0 };
  const watch = setInterval(() => look(child.pid as number, run), WATCH_EVERY_MS);
  child.stdout.on('data', (text: Buffer) => (run.stdout += text.toString()));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      clearInterval(watch);
      run.seconds = (performance.now() - began) / 1000;
      if (code === 0) done(run);
      else failed(new Error(`the audit ended with ${code}`));
    });
  });
}

function look(pid: number, run: Run): void {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    run.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
    // A process that has just ended has no memory left.
    if (peak !== undefined) run.peakMiB = Number(peak) / 1024;
  } catch {
    // It has ended.
  }
}
