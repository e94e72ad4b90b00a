/** `postern crawlers`: shows the crawler directory. */
import { type Command, Option } from 'commander';
import type { Crawler } from '../../client/src/types.ts';
import { CRAWLER_PURPOSES } from '../crawlers/crawler.ts';
import { type Context, does, examples } from './command.ts';
import { connect } from './connection.ts';
import { print, table } from './terminal.ts';

export function crawlersCommand(parent: Command, context: Context): void {
  const group = parent.command('crawlers').description('The crawler directory: bots, their operators and purposes.');
  const command = group
    .command('list')
    .description('Lists the crawlers that this version of the service knows, and how each can be verified.')
    .addOption(new Option('--purpose <purpose>', 'only crawlers with this purpose').choices([...CRAWLER_PURPOSES]))
    .option('--search <text>', 'only crawlers with this text in their name, operator or user agent');
  examples(command, '$ postern crawlers list --purpose training', '$ postern crawlers list --search openai');
  does<{ purpose?: Crawler['purpose']; search?: string }>(command, context, async (options) => {
    const { terminal } = context;
    const postern = await connect(terminal, options);
    const crawlers = await Array.fromAsync(
      postern.listCrawlers({ purpose: options.purpose, q: options.search, limit: 100 }),
    );
    await print(terminal, options, crawlers, () =>
      table(
        terminal,
        ['name', 'operator', 'purpose', 'verified by'],
        crawlers.map(({ name, operator, purpose, identities }) => [name, operator, purpose, toKinds(identities)]),
      ),
    );
    return undefined;
  });
}

const toKinds = (identities: Crawler['identities']): string | null =>
  identities.length === 0 ? null : [...new Set(identities.map(({ kind }) => kind))].join(' ');
