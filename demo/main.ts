/**
 * `npm run demo`: a real catalogue, thirty days of past decisions, tens of thousands of live checks, and the usage report.
 * Then the service is left running on that data. Promise: every number shown came through the API, and what was written and
 * asked is compared with what is reported.
 */
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startService } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { type Api, ApiError, apiAt } from './api.ts';
import { type Listed, readCatalogue } from './catalogue.ts';
import { type Data, openData, Refusal } from './data.ts';
import { askLive } from './live.ts';
import { writePast } from './past.ts';
import type { PolicyName } from './policies.ts';
import { publish } from './publish.ts';
import { seeded } from './random.ts';
import { showReport, usage } from './report.ts';
import { requireFreePort, runService } from './service.ts';
import { bold, count, cyan, dim, green, red, say, seconds, status } from './terminal.ts';
import { trafficOn } from './traffic.ts';

const HELP = `npm run demo -- [flags]

  --data-dir DIR   where the demo keeps its data (./demo-data)
  --fresh          forget an earlier run and start over
  --port PORT      where its service answers (8080; 0 takes a free port)
  --past N         past decisions on the first run (1000000)
  --live N         live checks (24000)
  --catalogue N    about so many items instead of all
  --once           end after the report instead of leaving the service running
  --url URL --key KEY
                   use a service that runs already; it gets the catalogue and the live checks, no past
`;

const DAY = 86_400_000;
/** Today and the days before that a report of 30 days shows. */
const DAYS = 30;

/** How much of everything. */
interface Sizes {
  catalogue: number;
  past: number;
  live: number;
}

const { values: flags } = parseFlags();
if (flags.help === true) {
  process.stdout.write(HELP);
  process.exit(0);
}

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());

try {
  const sizes = {
    catalogue: numberOf('catalogue', Number.POSITIVE_INFINITY),
    past: numberOf('past', 1_000_000),
    live: numberOf('live', 24_000),
  };
  await (flags.url === undefined ? onOwnService(sizes) : onRunningService(flags.url, sizes));
} catch (error) {
  process.exitCode = interrupt.signal.aborted ? 130 : 1;
  if (interrupt.signal.aborted) say(`\n   ${dim('Stopped.')}`);
  else if (error instanceof Refusal || error instanceof ApiError) say(red(`   ${error.message}`));
  else if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') say(red(`   Nothing answers on ${flags.url}.`));
  else throw error;
}

async function onOwnService(sizes: Sizes): Promise<void> {
  const began = performance.now();
  await requireFreePort(flags.port);
  const data = openData(resolve(flags['data-dir']), flags.fresh);
  const catalogue = readCatalogue(sizes.catalogue);
  const shown = relative(process.cwd(), data.dir) || '.';
  say();
  say(`   ${bold('Postern')} ${dim(`demo, data in ${shown}`)}`);

  let past = 0;
  if (data.first) {
    await publishInThePast(data, catalogue);
    chapter('Thirty days of traffic', 'written by the clock of the demo, while no service runs');
    past = sizes.past;
    const random = seeded(1);
    const now = Date.now();
    const from = Math.floor(now / DAY) * DAY - (DAYS - 1) * DAY;
    const traffic = trafficOn(catalogue, now, random);
    const { dir: dataDir } = data;
    const { signal } = interrupt;
    const { allowed } = await writePast({
      dataDir,
      catalogue,
      traffic,
      random,
      decisions: past,
      from,
      until: now - 1_000,
      signal,
    });
    say(`   ${dim(`${count(allowed)} allowed, ${count(past - allowed)} denied`)}`);
    data.complete();
  }

  chapter('The service', `node src/main.ts on ${shown}`);
  const service = await runService({ ...settingsOf(data), POSTERN_PORT: flags.port }, join(data.dir, 'service.log'));
  const api = apiAt(service.url, data.key);
  try {
    say(`   answers on ${cyan(service.url)}`);
    if (!data.first) await publish(api, catalogue, interrupt.signal);
    const before = await waitForReports(api);
    if (data.first && before !== past) throw new Error(`${past} decisions were written, ${before} are reported`);
    await askAndReport(api, catalogue, sizes.live, before);
    say(`   ${dim(`The whole run took ${seconds(performance.now() - began)}.`)}`);
    if (flags.once) return;
    invite(api, catalogue, data.key);
    say(`   ${dim('The service keeps running on this data. Ctrl-C stops it.')}`);
    await Promise.race([service.gone, aborted(interrupt.signal)]);
    say(`\n   ${dim('Stopping.')}`);
  } finally {
    api.close();
    await service.stop();
  }
}

async function onRunningService(url: string, sizes: Sizes): Promise<void> {
  if (flags.key === undefined) throw new Refusal('--url needs --key with a secret key of that service.');
  if (!URL.canParse(url)) throw new Refusal(`--url must be an address such as http://127.0.0.1:8080, not "${url}".`);
  const catalogue = readCatalogue(sizes.catalogue);
  say();
  say(`   ${bold('Postern')} ${dim(`demo on ${url}`)}`);
  const api = apiAt(url, flags.key);
  try {
    chapter('The catalogue');
    await publish(api, catalogue, interrupt.signal);
    await askAndReport(api, catalogue, sizes.live, await waitForReports(api));
    invite(api, catalogue, undefined);
  } finally {
    api.close();
  }
}

function chapter(title: string, note = ''): void {
  interrupt.signal.throwIfAborted();
  say();
  say(`${cyan('▸')}  ${bold(title)}${note === '' ? '' : dim(`  ${note}`)}`);
}

/** The catalogue has been there for as long as it has been asked for: its service runs on the clock of that day. */
async function publishInThePast(data: Data, catalogue: readonly Listed[]): Promise<void> {
  chapter('The catalogue', 'MDN articles, brand icons, data sets, with the licenses they state');
  const service = await startService({
    config: readConfig({ ...settingsOf(data), POSTERN_PORT: '0' }),
    logger: pino({ level: 'silent' }),
    clock: { now: () => Date.now() - (DAYS + 1) * DAY },
  });
  const api = apiAt(service.address, data.key);
  try {
    await publish(api, catalogue, interrupt.signal);
  } finally {
    api.close();
    await service.close();
  }
}

function settingsOf({ dir, key }: Data): Record<string, string> {
  return { POSTERN_DATA_DIR: dir, POSTERN_BOOTSTRAP_KEY: key };
}

/** Reports are made from columns, a copy of the decisions that the service brings up to date by itself. Gives the total. */
async function waitForReports(api: Api): Promise<number> {
  const began = performance.now();
  status('copying the decisions into columns for reports …');
  for (;;) {
    interrupt.signal.throwIfAborted();
    try {
      const { summary } = await usage(api, { period: 'all', limit: 1 });
      say(
        `   ready to report on ${count(summary.totalRequests)} decisions ${dim(`after ${seconds(performance.now() - began)}`)}`,
      );
      return summary.totalRequests;
    } catch (error) {
      // 503 until the copy is complete.
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
    }
  }
}

async function askAndReport(api: Api, catalogue: readonly Listed[], checks: number, before: number): Promise<void> {
  chapter('Live checks', 'through the API; every answer is on disk before it is given');
  const traffic = trafficOn(catalogue, Date.now(), seeded(Date.now()));
  const asked = await askLive(api, traffic, checks, interrupt.signal);
  say(`   ${dim(`${count(asked.allowed)} allowed, ${count(asked.recorded - asked.allowed)} denied`)}`);
  for (const [code, times] of asked.errors) say(red(`   ${count(times)} checks were answered ${code}`));

  chapter('Usage', 'GET /v1/analytics/usage');
  await showReport(api);
  const { summary } = await usage(api, { period: 'all', limit: 1 });
  const recorded = before + asked.recorded;
  const same = recorded === summary.totalRequests;
  const line = `${count(recorded)} decisions recorded, ${count(summary.totalRequests)} reported`;
  say();
  say(`   ${same ? green('✓') : red('✗')} ${bold(line)}`);
  if (!same) process.exitCode = 1;
}

/** What to do next, ready to paste. */
function invite(api: Api, catalogue: readonly Listed[], key: string | undefined): void {
  const known = (policy: PolicyName): string =>
    (catalogue.find((one) => one.policy === policy && !one.archived) ?? catalogue[0])?.item.externalId ?? '';
  const check = { contentId: known('licensedReference'), requesterId: 'GPTBot', purpose: 'training', explain: true };
  chapter('Your turn', `the API is described at ${api.url}/docs`);
  say();
  say(`KEY=${key ?? '…'}`);
  say();
  say(dim('# May GPTBot train on it? And why not?'));
  say(`curl -s ${api.url}/v1/access/check -H "Authorization: Bearer $KEY" \\`);
  say(`  -H 'Content-Type: application/json' -d '${JSON.stringify(check)}'`);
  say();
  say(dim('# What has one requester been up to this week?'));
  say(`curl -s '${api.url}/v1/analytics/usage?period=7d&requesterId=GPTBot' -H "Authorization: Bearer $KEY"`);
  say();
  say(dim('# The decisions themselves, newest first, as CSV'));
  say(`curl -s '${api.url}/v1/access/decisions?requesterId=GPTBot&allowed=false' -H "Authorization: Bearer $KEY" \\`);
  say(`  -H 'Accept: text/csv' | head -n 5`);
  say();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener('abort', () => settle(), { once: true });
  });
}

function parseFlags() {
  try {
    return parseArgs({
      options: {
        'data-dir': { type: 'string', default: './demo-data' },
        fresh: { type: 'boolean', default: false },
        port: { type: 'string', default: '8080' },
        past: { type: 'string' },
        live: { type: 'string' },
        catalogue: { type: 'string' },
        once: { type: 'boolean', default: false },
        url: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(1);
  }
}

function numberOf(name: 'past' | 'live' | 'catalogue', preset: number): number {
  const text = flags[name];
  if (text === undefined) return preset;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Refusal(`--${name} takes a number from 1, not "${text}".`);
  return Number(text);
}
