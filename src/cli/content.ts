/** `postern content`: a catalogue in, out, and at a glance. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type Command, Option } from 'commander';
import { CONTENT_TYPES, STATUSES } from '../content/content.ts';
import { type Context, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { importCommand } from './content-import.ts';
import { CSV_COLUMNS, csvCell, TAG_SEPARATOR } from './import/csv.ts';
import { EXIT, misused } from './outcome.ts';
import { json, progress, type Terminal, table } from './terminal.ts';

interface Filter {
  type?: string;
  status?: string;
  policy?: string;
  tag?: string;
  search?: string;
}

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--type <type>', 'only items of this type').choices(CONTENT_TYPES))
    .addOption(new Option('--status <status>', 'only items of this status').choices(STATUSES))
    .option('--policy <id>', 'only items under this policy')
    .option('--tag <tag>', 'only items with this tag')
    .option('--search <words>', 'only items with these words in the title');

const queryOf = ({ type, status, policy, tag, search }: Filter) => ({ type, status, policyId: policy, tag, q: search });

export function contentCommand(parent: Command, context: Context): void {
  const group = parent.command('content').description('Items: import, export, list.');
  importCommand(group, context);
  exportCommand(group, context);
  listCommand(group, context);
}

function listCommand(parent: Command, context: Context): void {
  const command = filtered(parent.command('list').description('Lists items, the newest first.')).option(
    '--limit <n>',
    'how many at most',
    '50',
  );
  examples(
    command,
    '$ postern content list --type report --search tides',
    '$ postern content list --limit 1000 --json',
  );
  does<Filter & { limit: string }>(command, context, async (options) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const limit = wholeNumber('--limit', options.limit);
    const items: Answer[] = [];
    for await (const item of connection.each('/v1/content', { ...queryOf(options), limit: Math.min(limit, 100) })) {
      items.push(item);
      if (items.length === limit) break;
    }
    if (options.json === true) await terminal.out(json(items));
    else {
      const rows = items.map((one) => [
        one.externalId,
        one.title,
        one.type,
        one.status,
        one.policyId,
        one.created.slice(0, 10),
      ]);
      await terminal.out(table(terminal, ['externalId', 'title', 'type', 'status', 'policy', 'created'], rows));
    }
    return EXIT.ok;
  });
}

function exportCommand(parent: Command, context: Context): void {
  const command = filtered(
    parent
      .command('export')
      .description('Writes items to stdout or a file, a line each. NDJSON can be imported again as it is.'),
  )
    .addOption(new Option('--format <format>', 'how they are written').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--output <file>', 'write to this file instead of stdout');
  examples(
    command,
    '$ postern content export > catalogue.ndjson',
    '$ postern content export --format csv --status active --output catalogue.csv',
  );
  does<Filter & { format: string; output?: string }>(command, context, async (options) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const output = outputOf(terminal, options.output);
    const shown = progress(terminal, 'item');
    const csv = options.format === 'csv';
    let done = 0;
    if (csv) await output.write(`${CSV_COLUMNS.join()}\r\n`);
    for await (const item of connection.each('/v1/content', queryOf(options))) {
      await output.write(csv ? csvLine(item) : `${JSON.stringify(item)}\n`);
      shown.show(++done);
    }
    shown.end();
    await output.end();
    return EXIT.ok;
  });
}

function csvLine(item: Answer): string {
  const cellOf = (name: (typeof CSV_COLUMNS)[number]): string => {
    if (name === 'tags') return item.tags.join(TAG_SEPARATOR);
    return name === 'metadata' ? JSON.stringify(item.metadata) : String(item[name]);
  };
  return `${CSV_COLUMNS.map((name) => csvCell(cellOf(name))).join()}\r\n`;
}

export interface Output {
  write(chunk: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Stdout, or the file. */
export function outputOf(terminal: Terminal, file: string | undefined): Output {
  if (file === undefined) {
    const decoder = new TextDecoder();
    const text = (chunk: string | Uint8Array): string =>
      typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    return { write: (chunk) => terminal.out(text(chunk)), end: async () => {} };
  }
  const stream = createWriteStream(file);
  let fault: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    fault = error;
  });
  const check = (): void => {
    if (fault !== undefined) throw misused(`${file} cannot be written (${fault.code}).`);
  };
  return {
    async write(chunk) {
      check();
      if (!stream.write(chunk)) await once(stream, 'drain').catch(check);
    },
    async end() {
      await new Promise<void>((done) => stream.end(() => done()));
      check();
    },
  };
}

export function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw misused(`${option} must be a whole number from 1, not "${text}".`);
  return Number(text);
}
