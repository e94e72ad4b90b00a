/**
 * `postern content import`: a catalogue from NDJSON, CSV, a sitemap or a feed, upserted a thousand items at a time. A bad
 * item is reported and spoils no other. After each answer a file beside the input says how far it came, so that an
 * interrupted import goes on where it was.
 */

import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs';
import { type Command, Option } from 'commander';
import { CONTENT_TYPES } from '../content/content.ts';
import { type Context, collect, does, examples } from './command.ts';
import { type Connection, connect } from './connection.ts';
import { readCsv } from './import/csv.ts';
import type { Entries, Entry } from './import/entry.ts';
import { readFeed } from './import/feeds.ts';
import { readNdjson } from './import/ndjson.ts';
import { type Opened, type Source, sourceOf } from './import/source.ts';
import { CommandError, EXIT, type ExitStatus, misused } from './outcome.ts';
import { counted, json, plain, progress, type Terminal } from './terminal.ts';

const FORMATS = ['ndjson', 'csv', 'xml'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  format?: Format;
  type?: string;
  policy?: string;
  tag?: string[];
  failures?: string;
  dryRun?: boolean;
  resume?: boolean;
  url?: string;
  json?: boolean;
}

/** As the service takes them at once; its bodies have at most 16 MiB. */
const BATCH_ITEMS = 1_000;
const BATCH_CHARS = 4 << 20;
const TOLD_MAX = 10;

export function importCommand(parent: Command, context: Context): void {
  const command = parent
    .command('import')
    .argument('<input>', 'a file, an http(s) address, or - for standard input')
    .summary('register or update items from NDJSON, CSV, a sitemap or a feed')
    .description(
      'Registers the items of a file or an address, and updates those that are there already (by externalId). The format is told by the beginning of the input: NDJSON, CSV, or XML: sitemap.xml, an index of sitemaps, RSS, Atom; gzip is opened. Ends with 1 when an item failed.',
    )
    .addOption(new Option('--format <format>', 'what the input is, when its beginning misleads').choices(FORMATS))
    .addOption(
      new Option('--type <type>', 'type of items that name none (default: article for sitemaps and feeds)').choices(
        CONTENT_TYPES,
      ),
    )
    .option('--policy <id>', 'policy of items that name none')
    .option('--tag <tag>', 'a tag for every item, beside its own; may be repeated', collect)
    .option('--failures <file>', 'write every item that failed, and why, to this file as NDJSON')
    .option('--dry-run', 'read and check everything, send nothing; no service is needed')
    .option('--resume', 'go on where an interrupted import of the same file was');
  examples(
    command,
    '$ postern content import https://example.com/sitemap.xml --policy pol_…',
    '$ postern content import catalogue.ndjson --failures failed.ndjson',
    '$ postern content import catalogue.ndjson --resume',
    '$ generate-catalogue | postern content import - --dry-run',
  );
  does<Options>(command, context, (options, input) => importContent(context.terminal, options, input as string));
}

interface Tally {
  created: number;
  updated: number;
  failed: number;
}

async function importContent(terminal: Terminal, options: Options, input: string): Promise<ExitStatus> {
  const source = sourceOf(input);
  const place = placeOf(source, options);
  // Before anything is read: a missing key is told at once.
  const connection = options.dryRun === true ? undefined : await connect(terminal, options);
  const { signal } = terminal;
  const opened = await source.open(signal);
  const open = async (url: string) => (await sourceOf(url).open(signal)).bytes;
  const format = options.format ?? formatOf(opened.head);
  const entries = entriesOf(opened, format, open);
  const send = connection === undefined ? await checker() : sender(connection);
  const failures = failureReport(terminal, options.failures, place.done > 0);
  const shown = progress(terminal, 'item');
  const tally: Tally = { created: place.created, updated: place.updated, failed: place.failed };
  let done = place.done;
  try {
    for await (const batch of ahead(batches(entries, prepare(options, format), place.done))) {
      signal.throwIfAborted();
      const errors = await send(batch, tally);
      for (const error of errors) await failures.add(error);
      tally.failed += errors.length;
      done += batch.length;
      place.save({ done, ...tally });
      shown.show(done, source.size === undefined ? undefined : opened.read() / source.size);
    }
  } catch (error) {
    shown.end();
    if (done > place.done && options.dryRun !== true) {
      const again = place.resumable
        ? 'Run it again with --resume to go on.'
        : 'Run it again: items that are there are updated.';
      terminal.err(`Interrupted after ${counted(done, 'item')}. ${again}\n`);
    }
    throw error;
  } finally {
    shown.end();
    await failures.end();
  }
  place.forget();
  await report(terminal, options, tally, done);
  return tally.failed > 0 ? EXIT.failed : EXIT.ok;
}

async function report(terminal: Terminal, options: Options, { created, updated, failed }: Tally, done: number) {
  if (options.json === true) {
    const sent = options.dryRun === true ? { valid: done - failed } : { created, updated };
    return terminal.out(json({ object: 'import', items: done, ...sent, failed }));
  }
  const parts =
    options.dryRun === true
      ? [`${(done - failed).toLocaleString('en')} could be sent`]
      : [`${created.toLocaleString('en')} created`, `${updated.toLocaleString('en')} updated`];
  if (failed > 0) parts.push(`${failed.toLocaleString('en')} failed`);
  return terminal.out(`${counted(done, 'item')}: ${parts.join(', ')}\n`);
}

function formatOf(head: Uint8Array): Format {
  const text = new TextDecoder().decode(head.subarray(0, 1000)).trimStart();
  if (text.startsWith('[')) throw misused('The input is a JSON array; make it a line per item first: jq -c ".[]"');
  if (text.startsWith('{')) return 'ndjson';
  return text.startsWith('<') ? 'xml' : 'csv';
}

function entriesOf(
  { bytes, head }: Opened,
  format: Format,
  open: (url: string) => Promise<AsyncIterable<Uint8Array>>,
): Entries {
  if (format === 'xml') return readFeed(bytes, head, open);
  return format === 'csv' ? readCsv(bytes) : readNdjson(bytes);
}

/** Adds what the options say for items that do not say it themselves. */
function prepare({ type, policy, tag }: Options, format: Format): (entry: Entry) => Entry {
  const typeDefault = type ?? (format === 'xml' ? 'article' : undefined);
  return ({ at, item, fault }) => {
    if (item === undefined || fault !== undefined) return { at, fault: fault ?? 'nothing' };
    if (typeDefault !== undefined) item.type ??= typeDefault;
    if (policy !== undefined) item.policyId ??= policy;
    if (tag !== undefined) item.tags = [...new Set([...(Array.isArray(item.tags) ? item.tags : []), ...tag])];
    return { at, item };
  };
}

/** A text for the body beside each entry, so that it is made once. */
type Batch = (Entry & { text?: string })[];

async function* batches(entries: Entries, prepared: (entry: Entry) => Entry, skip: number): AsyncGenerator<Batch> {
  let batch: Batch = [];
  let chars = 0;
  let seen = 0;
  for await (const some of entries) {
    for (const entry of some) {
      if (seen++ < skip) continue;
      const { at, item, fault } = prepared(entry);
      const text = item === undefined ? '' : JSON.stringify(item);
      if (batch.length === BATCH_ITEMS || (batch.length > 0 && chars + text.length > BATCH_CHARS)) {
        yield batch;
        batch = [];
        chars = 0;
      }
      chars += text.length;
      batch.push(item === undefined ? { at, fault: fault ?? '' } : { at, item, text });
    }
  }
  if (batch.length > 0) yield batch;
}

/** The next one is read while the last one is on its way. */
async function* ahead<T>(values: AsyncGenerator<T>): AsyncGenerator<T> {
  let coming = values.next();
  for (;;) {
    const { value, done } = await coming;
    if (done === true) return;
    coming = values.next();
    // Told when it is waited for.
    coming.catch(() => {});
    yield value;
  }
}

/** An item that did not come in. */
interface Failed {
  at: string;
  code: string;
  message: string;
  item?: unknown;
}

type Send = (batch: Batch, tally: Tally) => Promise<Failed[]>;

const unread = ({ at, fault = '' }: Entry): Failed => ({ at, code: 'not_read', message: fault });

function sender(connection: Connection): Send {
  return async (batch, tally) => {
    const readable = batch.filter(({ item }) => item !== undefined);
    const failed = new Map(
      batch.filter(({ item }) => item === undefined).map((entry) => [entry as Entry, unread(entry)]),
    );
    if (readable.length > 0) {
      const body = `{"items":[${readable.map(({ text }) => text).join()}]}`;
      const answer = await connection.ask('POST', '/v1/content/bulk-upsert', { raw: body });
      tally.created += answer.created;
      tally.updated += answer.updated;
      for (const { index, code, message } of answer.errors as { index: number; code: string; message: string }[]) {
        const entry = readable[index] as Entry;
        failed.set(entry, { at: entry.at, code, message, item: entry.item });
      }
    }
    // In the order of the input.
    return batch.map((entry) => failed.get(entry)).filter((one) => one !== undefined);
  };
}

/** Holds items to the schema of the API without sending them, and notices an externalId that comes twice. */
async function checker(): Promise<Send> {
  const [{ CreateContent, requireExternalId }, { validItem }, { Compile }, { Failure }] = await Promise.all([
    import('../content/schema.ts'),
    import('../http/validate.ts'),
    import('typebox/compile'),
    import('../errors.ts'),
  ]);
  const compiled = Compile(CreateContent);
  const seen = new Map<string, string>();
  return async (batch) =>
    batch.flatMap((entry): Failed[] => {
      const { at, item } = entry;
      if (item === undefined) return [unread(entry)];
      try {
        const { externalId } = validItem(CreateContent, compiled, item, 'item');
        requireExternalId(externalId);
        const before = seen.get(externalId);
        if (before === undefined) seen.set(externalId, at);
        return before === undefined
          ? []
          : [{ at, code: 'twice', message: `The externalId is that of ${before} too.`, item }];
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return [{ at, code: error.code, message: error.message, item }];
      }
    });
}

interface FailureReport {
  add(failed: Failed): Promise<void>;
  end(): Promise<void>;
}

/** The first on stderr, all of them in the file. */
function failureReport(terminal: Terminal, file: string | undefined, goesOn: boolean): FailureReport {
  let out: WriteStream | undefined;
  let count = 0;
  return {
    async add(failed) {
      count++;
      if (count <= TOLD_MAX) terminal.err(`✗ ${plain(failed.at)}: ${plain(failed.message)}\n`);
      if (file === undefined) return;
      if (out === undefined) {
        out = createWriteStream(file, { flags: goesOn ? 'a' : 'w' });
        await once(out, 'open').catch((error: NodeJS.ErrnoException) => {
          throw misused(`${file} cannot be written (${error.code}).`);
        });
      }
      if (!out.write(`${JSON.stringify(failed)}\n`)) await once(out, 'drain');
    },
    async end() {
      if (count > TOLD_MAX) {
        const where =
          file === undefined ? 'name a file with --failures to have them all' : `all of them are in ${file}`;
        terminal.err(`… and ${count - TOLD_MAX} more; ${where}\n`);
      }
      if (out !== undefined) await new Promise((done) => out?.end(done));
    },
  };
}

/** How far an import came. */
interface Place extends Tally {
  /** Entries of the input that are dealt with, from its beginning. */
  done: number;
  resumable: boolean;
  save(place: Tally & { done: number }): void;
  forget(): void;
}

function placeOf({ name, mark }: Source, { resume, dryRun }: Options): Place {
  const none = { done: 0, created: 0, updated: 0, failed: 0 };
  if (mark === undefined || dryRun === true) {
    if (resume === true) throw misused('Only an import of a file can be resumed; download the input first.');
    return { ...none, resumable: false, save: () => {}, forget: () => {} };
  }
  const file = `${name}.import`;
  const save = (place: Tally & { done: number }): void => {
    writeFileSync(`${file}.new`, JSON.stringify({ of: mark, ...place }));
    renameSync(`${file}.new`, file);
  };
  const forget = (): void => rmSync(file, { force: true });
  if (resume !== true) return { ...none, resumable: true, save, forget };
  if (!existsSync(file))
    throw misused(`There is no ${file}: no import of this file was interrupted. Leave --resume out.`);
  try {
    const { of, ...place } = JSON.parse(readFileSync(file, 'utf8')) as Tally & { of: string; done: number };
    if (of === mark) return { ...place, resumable: true, save, forget };
  } catch (error) {
    throw new CommandError(EXIT.usage, `${file} cannot be read; remove it and begin again.`, { cause: error });
  }
  throw misused(`${name} has changed since the import was interrupted; remove ${file} and begin again.`);
}
