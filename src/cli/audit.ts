/**
 * `postern audit`: reports the crawlers in access logs. It uses no service and no store, and the network only with
 * --fetch: an identity that no published address proves stays unknown.
 */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { Given } from '../../audit/src/range-files.ts';
import type { AuditReport } from '../../audit/src/report.ts';
import { parseRange } from '../lib/ip-range.ts';
import { VERSION } from '../lib/version.ts';
import { type CommandContext, collect, does, examples, toWholeNumber } from './command.ts';
import { isAddress, openSource } from './import/source.ts';
import { EXIT, misused } from './outcome.ts';
import { counted, json, progress, type Terminal } from './terminal.ts';

interface Options {
  policy?: string;
  host?: string;
  ranges?: string[];
  fetch?: boolean;
  trustedProxies?: string;
  html?: string;
  top: string;
  threads?: string;
}

const THREADS_MAX = 8;
/** Paths of each crawler in the report. */
const PATHS = 10;

export function auditCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('audit')
    .argument('<file...>', 'access logs, plain or gzip; - reads standard input')
    .description(
      'Shows which crawlers an access log names, whether they are who they say, what they fetched, and which programs the crawler directory does not name. It needs no service. Reads the formats "combined" and "common" of nginx and Apache, and JSON lines of nginx, Cloudflare, CloudFront and Caddy. Guide: docs/audit.md',
    )
    .option('--policy <file>', 'policy file; also shows what this policy would have answered')
    .option('--host <name>', 'host of requests whose line names none, for the policy')
    .option(
      '--ranges <[crawler=]file>',
      'published addresses of a crawler, to verify it; the name is optional for a file that has the name of its list, such as gptbot.json; or a folder of files with the names of lists or crawlers; may be repeated',
      collect,
    )
    .option(
      '--trusted-proxies <ranges>',
      'addresses or ranges of your proxies, separated by commas; the visitor is the first address from the right that is none (default: those of inner networks)',
    )
    .option('--fetch', 'fetch the lists of addresses that the crawler directory names; without it, nothing is fetched')
    .option('--html <file>', 'also write the report as one HTML page')
    .option('--top <n>', 'rows in the tables of crawlers and of programs', '20')
    .option('--threads <n>', 'threads that count (default: one for each core, at most 8)');
  examples(
    command,
    '$ postern audit /var/log/nginx/access.log',
    '$ postern audit /var/log/nginx/access.log* --html report.html',
    '$ zcat logs/*.gz | postern audit - --json',
    '$ postern audit access.log --fetch',
    '$ postern audit access.log --ranges gptbot.json --ranges ClaudeBot=bots.json',
    '$ postern audit access.log --ranges lists/',
    '$ postern audit access.log --fetch --trusted-proxies 203.0.113.0/24,10.0.0.0/8',
    '$ postern audit access.log --policy policies/articles.yaml --host www.example.com',
  );
  does<Options>(command, context, async (options, ...files) => {
    const { terminal } = context;
    const report = await audit(terminal, options, files);
    if (report === undefined) return EXIT.usage;
    if (options.html !== undefined) await writeHtml(terminal, report, options.html);
    if (options.json === true) await terminal.out(json(report));
    else {
      const { auditText } = await import('../../audit/src/text.ts');
      await terminal.out(auditText(terminal, report, { top: toWholeNumber('--top', options.top) }));
    }
    return report.faults.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** Returns undefined after reporting an invalid policy file. */
async function audit(terminal: Terminal, options: Options, logs: string[]): Promise<AuditReport | undefined> {
  const { loadRanges, toKnownRanges } = await import('../../audit/src/range-files.ts');
  const { given: files, ignored } = loadRanges(options.ranges ?? []);
  if (options.host !== undefined && options.policy === undefined) throw misused('--host needs --policy.');
  const policy = options.policy === undefined ? null : await loadPolicy(terminal, options.policy, options.host);
  if (policy === undefined) return undefined;
  const web = logs.find(isAddress);
  if (web !== undefined) throw misused(`${web} is not a file; download it first.`);
  const trusted = toTrusted(options.trustedProxies);
  const sources = logs.map(openSource);
  const { given: fetched, missed } = options.fetch === true ? await fetchLists(terminal, files) : NOTHING;
  const given = [...files, ...fetched];
  const [{ readLogs }, { toReport }] = await Promise.all([
    import('../../audit/src/read.ts'),
    import('../../audit/src/report.ts'),
  ]);
  const total = sources.reduce((sum, { size }) => sum + (size ?? Number.NaN), 0);
  const shown = progress(terminal, 'line');
  const read = await readLogs(sources, {
    seed: randomInt(2 ** 31),
    policy,
    ranges: toKnownRanges(given),
    trusted,
    threads: toThreads(options.threads),
    signal: terminal.signal,
    onProgress: (bytes, lines) => shown.show(lines, Number.isNaN(total) ? undefined : bytes / total),
  });
  shown.end();
  return toReport({ files: logs, read, policy, paths: PATHS, given, missed, ignored, now: terminal.now() });
}

function toTrusted(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const ranges = text.split(',').map((range) => range.trim());
  const bad = ranges.find((range) => parseRange(range) === undefined);
  if (bad !== undefined) throw misused(`--trusted-proxies: "${bad}" is no address or range such as 203.0.113.0/24.`);
  return ranges;
}

const NOTHING = { given: [], missed: [] };

/** Says what it fetched: it is the only network that an audit uses. */
async function fetchLists(terminal: Terminal, files: readonly Given[]) {
  const [{ openGetter }, { fetchRanges }] = await Promise.all([
    import('../lib/outgoing/get.ts'),
    import('../../audit/src/fetch-ranges.ts'),
  ]);
  const getter = openGetter({ userAgent: `Postern/${VERSION}`, allowPrivate: false });
  const stop = (): void => void getter.close();
  terminal.signal.addEventListener('abort', stop);
  try {
    const found = await fetchRanges(getter, files);
    for (const { source, ranges } of found.given)
      terminal.err(`Fetched ${source}: ${counted(ranges.length, 'range')}\n`);
    for (const { source, error } of found.missed) terminal.err(`Not fetched: ${source}. ${error}\n`);
    return found;
  } finally {
    terminal.signal.removeEventListener('abort', stop);
    await getter.close();
  }
}

const toThreads = (text: string | undefined): number =>
  Math.min(THREADS_MAX, text === undefined ? availableParallelism() : toWholeNumber('--threads', text));

async function loadPolicy(terminal: Terminal, path: string, host: string | undefined) {
  const { parseHost } = await import('../lib/urls/locator.ts');
  const known = host === undefined ? null : parseHost(host);
  if (known === undefined) throw misused('--host must be a host name such as www.example.com.');
  const { loadPolicyFile } = await import('./policies/files.ts');
  const file = await loadPolicyFile(terminal, path);
  if (file === undefined) return undefined;
  const { name, rules, defaultAction = 'deny', collections } = file;
  return { name, rules, defaultAction, collections, host: known };
}

async function writeHtml(terminal: Terminal, report: AuditReport, file: string): Promise<void> {
  const { auditHtml } = await import('../../audit/src/html.ts');
  try {
    writeFileSync(file, auditHtml(report, terminal.now()));
  } catch (error) {
    throw misused(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
  terminal.err(`The report is in ${file}.\n`);
}
