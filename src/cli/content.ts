/** `postern content`: imports, exports and lists a catalog. */
import { type Command, Option } from 'commander';
import type { Content, Query } from '../../client/src/types.ts';
import { STATUSES } from '../content/content.ts';
import { CONTENT_TYPES } from '../rules/content-types.ts';
import { type CommandContext, calls, examples, toWholeNumber } from './command.ts';
import { importCommand } from './import/command.ts';
import { CONTENT_HEAD, contentRow } from './import/csv.ts';
import { openCsv, openOutput } from './output.ts';
import { readersCommand } from './reach.ts';
import { printList, progress } from './terminal.ts';

interface Filter {
  type?: Content['type'];
  status?: Content['status'];
  policy?: string;
  collection?: string;
  tag?: string;
  search?: string;
}

const addFilter = (command: Command): Command =>
  command
    .addOption(new Option('--type <type>', 'only items of this type').choices(CONTENT_TYPES))
    .addOption(new Option('--status <status>', 'only items with this status').choices(STATUSES))
    .option('--policy <id>', 'only items under this policy')
    .option('--collection <id>', 'only items in this collection')
    .option('--tag <tag>', 'only items with this tag')
    .option('--search <words>', 'only items with these words in the title');

const toQuery = ({ type, status, policy, collection, tag, search }: Filter): Query<'listContent'> => ({
  type,
  status,
  policyId: policy,
  collectionId: collection,
  tag,
  q: search,
});

export function contentCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('content').description('Items: import, export, list, readers.');
  importCommand(group, context);
  exportCommand(group, context);
  listCommand(group, context);
  readersCommand('item')(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = addFilter(parent.command('list').description('Lists items, newest first.')).option(
    '--limit <n>',
    'maximum number of items',
    '50',
  );
  examples(
    command,
    '$ postern content list --type report --search tides',
    '$ postern content list --limit 1000 --json',
  );
  calls<Filter & { limit: string }>(command, context, async ({ postern, terminal }, options) => {
    const limit = toWholeNumber('--limit', options.limit);
    const items: Content[] = [];
    for await (const item of postern.listContent({ ...toQuery(options), limit: Math.min(limit, 100) })) {
      items.push(item);
      if (items.length === limit) break;
    }
    await printList(terminal, options, items, {
      externalId: ({ externalId }) => externalId,
      title: ({ title }) => title,
      type: ({ type }) => type,
      status: ({ status }) => status,
      policy: ({ policyId }) => policyId,
      created: ({ created }) => created.slice(0, 10),
    });
  });
}

function exportCommand(parent: Command, context: CommandContext): void {
  const command = addFilter(
    parent
      .command('export')
      .description(
        'Writes items to stdout or a file: NDJSON, one per line, or CSV for spreadsheets. Both can be imported again.',
      ),
  )
    .addOption(new Option('--format <format>', 'format of the lines').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--output <file>', 'write to this file instead of stdout');
  examples(
    command,
    '$ postern content export > catalog.ndjson',
    '$ postern content export --format csv --status active --output catalog.csv',
  );
  calls<Filter & { format: string; output?: string }>(command, context, async ({ postern, terminal }, options) => {
    const csv = options.format === 'csv';
    const output = csv ? await openCsv(terminal, options.output) : openOutput(terminal, options.output);
    const shown = progress(terminal, 'item');
    let done = 0;
    if (csv) await output.write(CONTENT_HEAD);
    for await (const item of postern.listContent({ ...toQuery(options), limit: 100 })) {
      const own = withOwnPolicy(item);
      await output.write(csv ? contentRow(own) : `${JSON.stringify(own)}\n`);
      shown.show(++done);
    }
    shown.end();
    await output.end();
  });
}

/** An item that follows a collection or the default must do so after an import, too. */
const withOwnPolicy = (item: Content): Omit<Content, 'policyId'> & { policyId: string | null } => ({
  ...item,
  policyId: item.policySource === 'content' ? item.policyId : null,
});
