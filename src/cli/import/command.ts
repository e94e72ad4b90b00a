/**
 * `postern content import`: upserts a catalog from NDJSON, CSV, a sitemap or a feed, a thousand items at a time. A bad
 * item is reported and does not stop the others. A checkpoint beside the file lets an interrupted import resume.
 */
import { type Command, Option } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import { PosternError } from '../../../client/src/errors.ts';
import { invocation } from '../../lib/invocation.ts';
import { CONTENT_TYPES } from '../../rules/content-types.ts';
import { type CommandContext, collect, does, examples, toId } from '../command.ts';
import { connect } from '../connection.ts';
import { CommandError, EXIT, type ExitStatus, misused } from '../outcome.ts';
import { counted, print, progress, type Terminal } from '../terminal.ts';
import { ahead, batches, type Defaults } from './batches.ts';
import { type Checkpoint, openCheckpoint } from './checkpoint.ts';
import { readCsv } from './csv.ts';
import type { Entries, ImportEntry } from './entry.ts';
import { openFailures } from './failures.ts';
import { readFeed } from './feeds.ts';
import { type MissingOptions, openMissing, type SettledCounts } from './missing.ts';
import { readNdjson } from './ndjson.ts';
import { openRepeated } from './repeated.ts';
import { type ImportTally, openChecker, openSender, type Send } from './send.ts';
import { type OpenedSource, openSource } from './source.ts';
import { isTextSitemap, readTextSitemap } from './text-sitemap.ts';

const FORMATS = ['ndjson', 'csv', 'xml', 'text'] as const;
type Format = (typeof FORMATS)[number];

interface Options extends Omit<Defaults, 'metadata'>, MissingOptions {
  format?: Format;
  failures?: string;
  resume?: boolean;
  url?: string;
  json?: boolean;
}

export function importCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('import')
    .argument('<input>', 'a file, an http(s) address, or - for standard input')
    .summary('create or update items from NDJSON, CSV, a sitemap or a feed')
    .description(
      'Creates the items of a file or an address, and updates existing ones (by externalId). The beginning of the input decides the format: NDJSON, CSV, XML (sitemap, sitemap index, RSS, Atom), or text with an address on each line; gzip is unpacked. Ends with 1 when an item failed.',
    )
    .addOption(new Option('--format <format>', 'format of the input, if detection fails').choices(FORMATS))
    .addOption(
      new Option('--type <type>', 'type of items without one (default: article for sitemaps and feeds)').choices(
        CONTENT_TYPES,
      ),
    )
    .addOption(new Option('--policy <id>', 'policy of items without one').argParser(toId))
    .option('--tag <tag>', 'a tag for every item, in addition to its own; may be repeated', collect)
    .option('--failures <file>', 'write failed items, with the reason, to this file as NDJSON')
    .option('--dry-run', 'read and check everything, send nothing; needs no service')
    .option('--resume', 'resume an interrupted import of the same file')
    .option('--archive-missing', 'archive items that an earlier import with this option brought and the input lacks')
    .option('--archive-max <n>', 'archive at most this many; without it, at most 20 % of the items of this import')
    .option('--source-name <name>', 'name of the input for --archive-missing (default: its address)');
  examples(
    command,
    '$ postern content import https://example.com/sitemap.xml --policy pol_…',
    '$ postern content import catalog.ndjson --failures failed.ndjson',
    '$ postern content import catalog.ndjson --resume',
    '$ postern content import https://example.com/sitemap.xml --archive-missing   # every day',
    '$ generate-catalog | postern content import - --dry-run',
  );
  does<Options>(command, context, (options, input) => importContent(context.terminal, options, input));
}

async function importContent(terminal: Terminal, options: Options, input: string): Promise<ExitStatus> {
  const source = openSource(input);
  const missing = openMissing(input, options);
  const checkpoint = openCheckpoint(source, options);
  // Before the input is read, so that a missing key is reported at once.
  const postern = options.dryRun === true ? undefined : await openService(terminal, options);
  const send = postern === undefined ? await openChecker() : openSender(postern);
  const { signal } = terminal;
  const opened = await source.open(signal);
  const format = options.format ?? detectFormat(opened.head);
  const open = (url: string) => source.follow(url, signal);
  const repeated = openRepeated(listsPages(format));
  const entries = repeated.watch(missing.watch(readEntries(opened, format, open, missing.mark !== undefined)));
  const type = options.type ?? (listsPages(format) ? 'article' : undefined);
  const left = batches(entries, { ...options, type, metadata: missing.mark }, checkpoint.done);
  const toShare = () => (source.size === undefined ? undefined : opened.read() / source.size);
  const { done, tally } = await sendAll(terminal, options, { left, send, checkpoint, toShare });
  const { counts, refusal } = (await missing.settle(postern, terminal.now())) ?? {};
  checkpoint.remove();
  await printTally(terminal, options, { ...tally, ...counts, repeated: repeated.count }, done);
  if (refusal !== undefined) terminal.err(`${refusal}\n`);
  return tally.failed > 0 || refusal !== undefined ? EXIT.failed : EXIT.ok;
}

interface Job {
  /** The batches that no earlier run has sent. */
  left: AsyncGenerator<ImportEntry[]>;
  send: Send;
  checkpoint: Checkpoint;
  /** Returns how much of the input has been read, 0 to 1. */
  toShare(): number | undefined;
}

async function sendAll(
  terminal: Terminal,
  options: Options,
  { left, send, checkpoint, toShare }: Job,
): Promise<{ done: number; tally: ImportTally }> {
  const failures = openFailures(terminal, options.failures, checkpoint.done > 0);
  const shown = progress(terminal, 'item');
  const tally: ImportTally = { ...checkpoint.tally };
  let { done } = checkpoint;
  try {
    for await (const batch of ahead(left)) {
      terminal.signal.throwIfAborted();
      const failed = await send(batch, tally);
      for (const failure of failed) await failures.add(failure);
      tally.failed += failed.length;
      done += batch.length;
      checkpoint.save(done, tally);
      shown.show(done, toShare());
    }
  } catch (error) {
    shown.end();
    // A request that failed may have had an effect; a fault of the input was found before a request.
    const told = done > checkpoint.done || (done === 0 && error instanceof CommandError);
    if (told && options.dryRun !== true) terminal.err(interruption(checkpoint, done));
    throw error;
  } finally {
    shown.end();
    await failures.end();
  }
  return { done, tally };
}

async function openService(terminal: Terminal, options: Options): Promise<Postern> {
  const postern = await connect(terminal, options);
  if (options.policy !== undefined) await requirePolicy(postern, options.policy);
  return postern;
}

/** Looks the policy up once, because without it every item would fail for the same reason. */
async function requirePolicy(postern: Postern, id: string): Promise<void> {
  try {
    await postern.getPolicy(id);
  } catch (error) {
    if (!(error instanceof PosternError)) throw error;
    if (error.code === 'policy_not_found') {
      throw misused(`There is no policy "${id}"; list the policies with: ${invocation()} policies list`);
    }
    // A key with content:write alone cannot read policies; the service then reports each item.
    if (error.code !== 'insufficient_permissions') throw error;
  }
}

const listsPages = (format: Format): boolean => format === 'xml' || format === 'text';

function detectFormat(head: Uint8Array): Format {
  const text = new TextDecoder().decode(head.subarray(0, 1000)).trimStart();
  if (text.startsWith('[')) throw misused('The input is a JSON array; convert it to one item per line: jq -c ".[]"');
  if (text.startsWith('{')) return 'ndjson';
  if (text.startsWith('<')) return 'xml';
  return isTextSitemap(head) ? 'text' : 'csv';
}

function readEntries(
  { bytes, head }: OpenedSource,
  format: Format,
  open: (url: string) => Promise<AsyncIterable<Uint8Array>>,
  complete: boolean,
): Entries {
  if (format === 'xml') return readFeed({ bytes, head, open, complete });
  if (format === 'text') return readTextSitemap(bytes);
  return format === 'csv' ? readCsv(bytes) : readNdjson(bytes);
}

function interruption({ resumable }: Checkpoint, done: number): string {
  if (done === 0) return 'Nothing was imported.\n';
  const next = resumable ? 'Run it again with --resume to continue.' : 'Run it again; existing items are updated.';
  return `Interrupted after ${counted(done, 'item')}. ${next}\n`;
}

function printTally(
  terminal: Terminal,
  options: Options,
  tally: ImportTally & Partial<SettledCounts> & { repeated: number },
  done: number,
): Promise<void> {
  const { created, updated, unchanged, failed, archived, restored = 0, repeated } = tally;
  const n = (count: number): string => count.toLocaleString('en');
  const sent = options.dryRun === true ? { valid: done - failed } : { created, updated, unchanged };
  const left = repeated > 0 ? { repeated } : {};
  const settled = archived === undefined ? {} : { archived, restored };
  return print(terminal, options, { object: 'import', items: done, ...sent, failed, ...left, ...settled }, () => {
    const parts =
      options.dryRun === true ? [`${n(done - failed)} valid`] : [`${n(created)} created`, `${n(updated)} updated`];
    if (unchanged > 0) parts.push(`${n(unchanged)} unchanged`);
    if (failed > 0) parts.push(`${n(failed)} failed`);
    if (repeated > 0) parts.push(`${n(repeated)} repeated and left out`);
    if (archived !== undefined) parts.push(`${n(archived)} archived`);
    if (restored > 0) parts.push(`${n(restored)} restored`);
    return `${counted(done, 'item')}: ${parts.join(', ')}\n`;
  });
}
