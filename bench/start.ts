/**
 * Measures the time from `postern serve` on an empty data directory until the service is ready, from the package and
 * from the clone, built as `npm start` does. Also measures memory: empty, and with 100,000 items and a million
 * decisions, after checks of every item and usage reports. A bare Fastify server is the comparison.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, type Part, type PartOptions } from './figure.ts';
import { FLOOR_HEADERS, startBareFastify } from './floor/servers.ts';
import { monthUntil, openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { openLoader } from './load.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const ITEMS = 100_000;
const DECISIONS = 1_000_000;
/** Times a bare Fastify's. */
const READY_PACKAGE = 1.3;
const READY_CLONE = 1.8;
const EMPTY_MIB = 170;
const RESIDENT_MIB = 300;
/** The columns give back memory a second after the last question. */
const REST_MS = 3_000;

export const startPart: Part = {
  name: 'start',
  about: 'Start on an empty data directory; memory with 100,000 items and 1,000,000 decisions',
  async run(options) {
    using dir = temporaryFolder();
    const installed = await install(dir.path);
    return {
      figures: [...(await starts(installed, options)), ...(await memory(installed, options))],
      notes: [
        'Warm: the compile cache is there from a start before, as after the first start of an installation.',
        'Memory: resident set of the whole process, threads and the columns included; warm.',
      ],
    };
  },
};

/** The clone and the package, each started once, so that their compile caches are there. */
interface Installed {
  /** The folder of the compile caches. */
  cache: string;
  /** The command of the package. */
  packed: string;
  /** Makes a folder. */
  fresh(name: string): string;
}

async function install(root: string): Promise<Installed> {
  let count = 0;
  const fresh = (name: string): string => {
    const path = join(root, `${name}-${count++}`);
    mkdirSync(path);
    return path;
  };
  const installed = { cache: fresh('cache'), packed: packedIn(fresh('package')), fresh };
  for (const command of [undefined, installed.packed]) await (await started(installed, { command })).stop();
  return installed;
}

interface Starting {
  dataDir?: string;
  cache?: string;
  command?: string | undefined;
}

/** Starts the clone or a command; the compile cache is in the system's folder for temporary files. */
function started({ cache: warm, fresh }: Installed, { dataDir = fresh('data'), cache = warm, command }: Starting) {
  const options = { dataDir, env: { TMPDIR: cache } };
  return startPostern(command === undefined ? options : { ...options, command });
}

interface Start {
  /** From the spawn until the first answer. */
  ms: number;
  /** Processor time taken by then. */
  cpuMs: number;
}

async function starts(installed: Installed, { quick, say }: PartOptions): Promise<Figure[]> {
  const { cache, packed, fresh } = installed;
  const postern = async (starting: Starting): Promise<Start> => {
    await using server = await started(installed, starting);
    return { ms: server.readyMs, cpuMs: server.cpuMs() };
  };
  const bare = async (compiled: string): Promise<Start> => {
    await using server = await startBareFastify({ env: { NODE_COMPILE_CACHE: compiled } });
    return { ms: server.readyMs, cpuMs: server.cpuMs() };
  };
  await bare(cache);
  const [warm, cold, theirs, theirsCold]: [Start[], Start[], Start[], Start[]] = [[], [], [], []];
  const ofPackage: Start[] = [];
  for (let i = 0; i < (quick ? 3 : 9); i++) {
    warm.push(await postern({}));
    ofPackage.push(await postern({ command: packed }));
    theirs.push(await bare(cache));
    cold.push(await postern({ cache: fresh('cache') }));
    theirsCold.push(await bare(fresh('cache')));
    say(`start: warm ${warm.at(-1)?.ms.toFixed(0)} ms, cold ${cold.at(-1)?.ms.toFixed(0)} ms`);
  }
  const figure = (what: string, unit: keyof Start, ours: Start[], others: Start[]): Figure => {
    const value = median(ours.map((one) => one[unit]));
    const other = median(others.map((one) => one[unit]));
    return { what, value, unit: 'ms', against: { what: 'bare Fastify', value: other, ratio: value / other } };
  };
  const ready = (what: string, ours: Start[], most: number): Figure => {
    const figured = figure(what, 'ms', ours, theirs);
    const met = (figured.against?.ratio ?? 0) <= most;
    return { ...figured, target: { text: `≤ ${most} × bare Fastify`, met } };
  };
  return [
    ready('ready from the package, warm', ofPackage, READY_PACKAGE),
    figure('processor time until ready from the package, warm', 'cpuMs', ofPackage, theirs),
    ready('ready from the clone, warm', warm, READY_CLONE),
    figure('processor time until ready from the clone, warm', 'cpuMs', warm, theirs),
    figure('ready from the clone, cold', 'ms', cold, theirsCold),
    figure('processor time until ready from the clone, cold', 'cpuMs', cold, theirsCold),
  ];
}

/** Builds the package in a folder, apart from the sources; returns its command. */
function packedIn(folder: string): string {
  const root = join(import.meta.dirname, '..');
  execFileSync(process.execPath, [join(root, 'scripts/build.ts')], { stdio: 'ignore' });
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/postern.js');
}

/** The resident memory of a service without items: at rest, after its first report, and at rest again. */
async function emptyMiB(installed: Installed, command?: string) {
  await using postern = await started(installed, { command });
  await setTimeout(REST_MS);
  const unasked = postern.residentMiB();
  await postern.get(REPORT);
  const asked = postern.residentMiB();
  await setTimeout(REST_MS);
  return { unasked, asked, resting: postern.residentMiB() };
}

const REPORT = '/v1/analytics/usage?period=all';

/** Writes the items and decisions into a data folder. */
async function write(dataDir: string, { quick }: PartOptions): Promise<void> {
  const store = await openStore(dataDir);
  await store.addItems(ITEMS, await store.addPolicy('Ten rules', TEN_RULES));
  const decisions = quick ? DECISIONS / 10 : DECISIONS;
  await store.addDecisions({ count: decisions, items: ITEMS, ...monthUntil(Date.now() - 60_000) });
  await store.close();
}

/** The resident memory after each step of use, and that of a bare Fastify after the same load. */
async function usedMiB(postern: Postern, { quick, say }: PartOptions) {
  const atStart = postern.residentMiB();
  for (let i = 0; i < ITEMS; i += 1000) {
    const checks = Array.from({ length: 1000 }, (_, n) => ({ contentId: itemAt(i + n).externalId }));
    await postern.post('/v1/access/check/batch', { checks });
  }
  const items = postern.residentMiB();
  const next = skewed(ITEMS, seeded(5));
  const bodies = checksOf(20_000, () => itemAt(next()).externalId).map((check) => JSON.stringify(check));
  const load = { path: '/v1/access/check', bodies, connections: 64, warmupMs: 0, measureMs: quick ? 2000 : 10_000 };
  await using loader = openLoader();
  await loader.run({ port: postern.port, headers: HEADERS, ...load });
  const checks = postern.residentMiB();
  for (let i = 0; i < 5; i++) await postern.get(REPORT);
  const reports = postern.residentMiB();
  await setTimeout(REST_MS);
  const resting = postern.residentMiB();
  say(`MiB ${[atStart, items, checks, reports, resting].map((one) => one.toFixed(0)).join(', ')}`);
  await using fastify = await startBareFastify();
  await loader.run({ port: fastify.port, headers: FLOOR_HEADERS, ...load, path: '/check' });
  return { atStart, items, checks, reports, resting, theirs: fastify.residentMiB() };
}

async function memory(installed: Installed, options: PartOptions): Promise<Figure[]> {
  const prepared = installed.fresh('prepared');
  await write(prepared, options);
  const figures: Figure[] = [];
  for (const [from, command] of [
    ['the clone', undefined],
    ['the package', installed.packed],
  ] as const) {
    const dataDir = installed.fresh('data');
    cpSync(prepared, dataDir, { recursive: true });
    await using postern = await started(installed, { dataDir, command });
    const { atStart, items, checks, reports, resting, theirs } = await usedMiB(postern, options);
    await postern.stop();
    const empty = await emptyMiB(installed, command);
    const figure = (what: string, value: number, most?: number): Figure => ({
      what: `${from}, resident ${what}`,
      value,
      unit: 'MiB',
      against: { what: 'bare Fastify', value: theirs, ratio: value / theirs },
      ...(most === undefined ? {} : { target: { text: `≤ ${most} MiB`, met: value <= most } }),
    });
    figures.push(
      figure('when empty', empty.unasked, EMPTY_MIB),
      figure('when empty, after its first report', empty.asked),
      figure('when empty, three seconds after its first report', empty.resting),
      figure('after the start', atStart),
      figure('after a check of every item', items),
      figure('after single checks at full load', checks),
      figure('after usage reports', reports, RESIDENT_MIB),
      figure('three seconds after usage reports', resting),
    );
  }
  return figures;
}
