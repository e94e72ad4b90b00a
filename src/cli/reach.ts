/** `postern requesters reach`, `content readers` and `collections readers`: who may have what now. */
import type { Command } from 'commander';
import type { Answered } from '../../client/src/types.ts';
import { type CsvValue, csvRow } from '../lib/csv-cell.ts';
import { type CommandContext, type Common, calls, examples, idArgument } from './command.ts';
import { openCsv } from './output.ts';
import { counted, json, type Terminal, table } from './terminal.ts';

type Reach = Answered<'listReach'>;
type Readers = Answered<'listContentReaders'>;

interface Stated {
  purpose?: string;
  permission?: string;
  csv?: boolean;
}

export function reachCommand(parent: Command, context: CommandContext): void {
  const command = addStated(
    parent
      .command('reach')
      .addArgument(idArgument())
      .description('Lists what a requester may have now: pages of collections, then items, newest first.'),
  ).option('--collection <id>', 'only what is in this collection');
  examples(
    command,
    '$ postern requesters reach university --purpose training',
    '$ postern requesters reach university --csv > reach.csv',
  );
  calls<Stated & { collection?: string }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const query = { ...toQuery(options), collectionId: options.collection };
    await write<Reach>(terminal, options, (cursor) => postern.listReach(id, { ...query, cursor }), {
      item: ({ externalId }) => externalId,
      title: ({ title }) => title,
      source: ({ source }) => source,
      collection: ({ collectionId }) => collectionId,
      ...GRANTED,
    });
  });
}

/** `of`: an item or a collection. */
export const readersCommand =
  (of: 'item' | 'collection') =>
  (parent: Command, context: CommandContext): void => {
    const about = of === 'item' ? 'an item' : 'the pages of a collection';
    const command = addStated(
      parent
        .command('readers')
        .addArgument(idArgument())
        .description(`Lists the requesters that may have ${about} now.`),
    );
    const example = of === 'item' ? 'content readers tides' : 'collections readers col_…';
    examples(command, `$ postern ${example} --permission training`, `$ postern ${example} --csv > readers.csv`);
    calls<Stated>(command, context, async ({ postern, terminal }, options, id = '') => {
      const query = toQuery(options);
      const read = of === 'item' ? postern.listContentReaders : postern.listCollectionReaders;
      const { anonymous } = await write<Readers>(terminal, options, (cursor) => read(id, { ...query, cursor }), {
        requester: ({ requesterId }) => requesterId,
        name: ({ name }) => name,
        ...GRANTED,
      });
      if (anonymous.allowed) terminal.err('Requests that name no requester may have it, too.\n');
    });
  };

const addStated = (command: Command): Command =>
  command
    .option('--purpose <purpose>', 'decide for this purpose')
    .option('--permission <permission>', 'decide for this permission')
    .option('--csv', 'print CSV');

const toQuery = ({ purpose, permission }: Stated) => ({ purpose, permission, limit: 100 });

type Row<P extends { data: readonly unknown[] }> = P['data'][number];
type Columns<R> = Record<string, (row: R) => CsvValue>;

const GRANTED: Columns<Row<Reach> | Row<Readers>> = {
  permissions: ({ permissions }) => permissions.join(' '),
  license: ({ licenseId }) => licenseId,
  'depends on': ({ dependsOn }) => dependsOn.join(' '),
};

/** Writes all pages, names on stderr what was assumed, and returns the last page. */
async function write<P extends Reach | Readers>(
  terminal: Terminal,
  { csv, json: asJson }: Stated & Common,
  read: (cursor: string | undefined) => PromiseLike<P>,
  columns: Columns<Row<P>>,
): Promise<P> {
  const output = csv === true ? await openCsv(terminal, undefined) : undefined;
  const rows: Row<P>[] = [];
  await output?.write(csvRow(Object.keys(columns)));
  let page = await read(undefined);
  for (;;) {
    if (output === undefined) rows.push(...page.data);
    for (const row of output === undefined ? [] : page.data) {
      await output?.write(csvRow(Object.values(columns).map((show) => show(row))));
    }
    if (page.nextCursor === null) break;
    page = await read(page.nextCursor);
  }
  if (asJson === true) await terminal.out(json(rows));
  else if (output === undefined) {
    const cells = rows.map((row) => Object.values(columns).map((show) => show(row)));
    await terminal.out(table(terminal, Object.keys(columns), cells));
    terminal.err(`${counted(rows.length, 'entry').replace(/entrys$/, 'entries')}.\n`);
  }
  if (page.assumptions.length > 0) {
    const taken = page.assumptions.map(({ condition, taken: as }) => `${condition} (${as})`);
    terminal.err(`Rules also ask for what was not given: ${taken.join(', ')}.\n`);
  }
  return page;
}
