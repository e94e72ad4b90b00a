/**
 * `npm run demo`: a real catalog, thirty days of past decisions, tens of thousands of live checks, and the usage
 * report. Then the service keeps running on that data. Every number comes from the API, and the decisions that were
 * written are compared with the report.
 */
import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createPostern, type Postern } from '../client/src/client.ts';
import { PosternError, PosternUnreachable } from '../client/src/errors.ts';
import { seeded } from '../kit/random.ts';
import { startService } from '../src/service/app.ts';
import { readConfig } from '../src/service/config.ts';
import { type Listed, readCatalog } from './catalog.ts';
import { type Data, openData, Refusal } from './data.ts';
import { sendChecks } from './live.ts';
import { fillInbox, finalizeLastMonth } from './partners.ts';
import { writePast } from './past.ts';
import type { PolicyName } from './policies.ts';
import { publish } from './publish.ts';
import { showReport } from './report.ts';
import { requireFreePort, runService } from './service.ts';
import { HOST } from './site.ts';
import { bold, count, cyan, dim, green, red, say, seconds, status } from './terminal.ts';
import { openTraffic } from './traffic.ts';

const HELP = `npm run demo -- [flags]

  --data-dir DIR   folder for the demo's data (./demo-data)
  --fresh          discard an earlier run and start over
  --port PORT      port of the service (8080; 0 picks a free one)
  --past N         past decisions on the first run (150000)
  --live N         live checks (6000)
  --catalog N      about this many items instead of all
  --once           stop the service after the report
  --url URL --key KEY
                   use a running service; it gets the catalog and the live checks, no past
`;

const DAY = 86_400_000;
/** Today and the days before that a report of 30 days shows. */
const DAYS = 30;

/** Numbers of items and checks. */
interface Sizes {
  catalog: number;
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
    catalog: numberOf('catalog', Number.POSITIVE_INFINITY),
    past: numberOf('past', 150_000),
    live: numberOf('live', 6_000),
  };
  await (flags.url === undefined ? onOwnService(sizes) : onRunningService(flags.url, sizes));
} catch (error) {
  process.exitCode = interrupt.signal.aborted ? 130 : 1;
  if (interrupt.signal.aborted) say(`\n   ${dim('Stopped.')}`);
  else if (error instanceof Refusal || error instanceof PosternError) say(red(`   ${error.message}`));
  else if (error instanceof PosternUnreachable) say(red(`   No answer from ${flags.url ?? 'the service'}.`));
  else throw error;
}

async function onOwnService(sizes: Sizes): Promise<void> {
  const began = performance.now();
  await requireFreePort(flags.port);
  const data = openData(resolve(flags['data-dir']), flags.fresh);
  const catalog = readCatalog(sizes.catalog);
  const shown = relative(process.cwd(), data.dir) || '.';
  say();
  say(`   ${bold('Postern')} ${dim(`demo, data in ${shown}`)}`);

  let past = 0;
  if (data.first) {
    const robots = await publishInThePast(data, catalog);
    chapter('Thirty days of traffic', 'written with the clock of the demo, while no service runs');
    past = sizes.past;
    const random = seeded(1);
    const now = Date.now();
    const from = Math.floor(now / DAY) * DAY - (DAYS - 1) * DAY;
    const traffic = openTraffic(catalog, random);
    const { dir: dataDir } = data;
    const { signal } = interrupt;
    const { allowed } = await writePast({
      dataDir,
      catalog,
      traffic,
      random,
      decisions: past,
      from,
      until: now - 1_000,
      robots,
      signal,
    });
    say(`   ${dim(`${count(allowed)} allowed, ${count(past - allowed)} denied`)}`);
    data.complete();
  }

  chapter('The service', `node src/main.ts on ${shown}`);
  const service = await runService(data, flags.port);
  const postern = open(service.url, data.key);
  try {
    say(`   answers on ${cyan(service.url)}`);
    if (!data.first) await publish(postern, catalog, interrupt.signal);
    const before = await waitForReports(postern);
    if (data.first && before !== past) throw new Error(`${past} decisions were written, ${before} are reported`);
    if (data.first) await fillInbox(postern, service.url);
    await finalizeLastMonth(postern);
    await checkAndReport({ url: service.url, key: data.key }, catalog, sizes.live, before);
    say(`   ${dim(`The whole run took ${seconds(performance.now() - began)}.`)}`);
    if (flags.once) return;
    invite(service.url, catalog, data.key);
    say(`   ${dim('The service keeps running on this data. Ctrl-C stops it.')}`);
    await Promise.race([service.gone, aborted(interrupt.signal)]);
    say(`\n   ${dim('Stopping.')}`);
  } finally {
    await service.stop();
  }
}

async function onRunningService(url: string, sizes: Sizes): Promise<void> {
  if (flags.key === undefined) throw new Refusal('--url needs --key with a secret key of that service.');
  if (!URL.canParse(url)) throw new Refusal(`--url must be an address such as http://127.0.0.1:8080, not "${url}".`);
  const catalog = readCatalog(sizes.catalog);
  say();
  say(`   ${bold('Postern')} ${dim(`demo on ${url}`)}`);
  const postern = open(url, flags.key);
  chapter('The catalog');
  await publish(postern, catalog, interrupt.signal);
  await checkAndReport({ url, key: flags.key }, catalog, sizes.live, await waitForReports(postern));
  invite(url, catalog, undefined);
}

/** Reports are retried by `waitForReports`, and a check has its own options. */
function open(url: string, key: string): Postern {
  return createPostern({ url, key, timeoutMs: 60_000, retries: 0, signal: interrupt.signal });
}

function chapter(title: string, note = ''): void {
  interrupt.signal.throwIfAborted();
  say();
  say(`${cyan('▸')}  ${bold(title)}${note === '' ? '' : dim(`  ${note}`)}`);
}

/** Publishes before the past begins, with a service whose clock is set back. Returns the robots.txt of the site. */
async function publishInThePast(data: Data, catalog: readonly Listed[]): Promise<string> {
  chapter('The catalog', 'MDN articles, brand icons, data sets, with the licenses that they state');
  const service = await startService({
    config: readConfig({ POSTERN_DATA_DIR: data.dir, POSTERN_BOOTSTRAP_KEY: data.key, POSTERN_PORT: '0' }),
    logger: pino({ level: 'silent' }),
    clock: { now: () => Date.now() - (DAYS + 1) * DAY },
  });
  try {
    const postern = open(service.address, data.key);
    await publish(postern, catalog, interrupt.signal);
    return await postern.getRobotsTxtSignal(HOST);
  } finally {
    await service.close();
  }
}

/** Waits until reports cover all decisions. Returns their number. */
async function waitForReports(postern: Postern): Promise<number> {
  const began = performance.now();
  status('copying the decisions into columns for reports …');
  for (;;) {
    interrupt.signal.throwIfAborted();
    try {
      const { summary } = await postern.getUsage({ period: 'all', limit: 1 });
      say(
        `   ready to report on ${count(summary.totalRequests)} decisions ${dim(`after ${seconds(performance.now() - began)}`)}`,
      );
      return summary.totalRequests;
    } catch (error) {
      // 503 until the copy is complete.
      if (!(error instanceof PosternError) || error.status !== 503) throw error;
    }
  }
}

async function checkAndReport(
  { url, key }: { url: string; key: string },
  catalog: readonly Listed[],
  checks: number,
  before: number,
): Promise<void> {
  const postern = open(url, key);
  chapter('Live checks', 'through the API; every decision is on disk before it is returned');
  const traffic = openTraffic(catalog, seeded(before));
  const sent = await sendChecks(postern, traffic, checks, interrupt.signal);
  say(`   ${dim(`${count(sent.allowed)} allowed, ${count(sent.recorded - sent.allowed)} denied`)}`);
  for (const [code, times] of sent.errors) say(red(`   ${count(times)} checks failed with ${code}`));

  chapter('Usage', 'as the command reports it');
  await showReport(url, key, interrupt.signal);
  const { summary } = await postern.getUsage({ period: 'all', limit: 1 });
  const recorded = before + sent.recorded;
  const same = recorded === summary.totalRequests;
  const line = `${count(recorded)} decisions recorded, ${count(summary.totalRequests)} reported`;
  say();
  say(`   ${same ? green('✓') : red('✗')} ${bold(line)}`);
  if (!same) process.exitCode = 1;
}

/** Shows requests to try next, ready to paste. */
function invite(url: string, catalog: readonly Listed[], key: string | undefined): void {
  const known = (policy: PolicyName): string =>
    (catalog.find((one) => one.policy === policy && !one.archived) ?? catalog[0])?.item.externalId ?? '';
  const check = { contentId: known('licensedReference'), requesterId: 'GPTBot', purpose: 'training', explain: true };
  chapter('Your turn', `the API reference is at ${url}/docs`);
  say();
  say(dim('# The console: sign in with the key'));
  say(cyan(`${url}/console`));
  say();
  say(`KEY=${key ?? '…'}`);
  say();
  say(dim('# May GPTBot train on it? If not, why?'));
  say(`curl -s ${url}/v1/access/check -H "Authorization: Bearer $KEY" \\`);
  say(`  -H 'Content-Type: application/json' -d '${JSON.stringify(check)}'`);
  say();
  say(dim('# What did one requester do this week?'));
  say(`curl -s '${url}/v1/analytics/usage?period=7d&requesterId=GPTBot' -H "Authorization: Bearer $KEY"`);
  say();
  say(dim('# The decisions themselves, newest first, as CSV'));
  say(`curl -s '${url}/v1/access/decisions?requesterId=GPTBot&allowed=false' -H "Authorization: Bearer $KEY" \\`);
  say(`  -H 'Accept: text/csv' | head -n 5`);
  say();
}

async function aborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted || once(signal, 'abort');
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
        catalog: { type: 'string' },
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

function numberOf(name: 'past' | 'live' | 'catalog', preset: number): number {
  const text = flags[name];
  if (text === undefined) return preset;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Refusal(`--${name} takes a number from 1, not "${text}".`);
  return Number(text);
}
