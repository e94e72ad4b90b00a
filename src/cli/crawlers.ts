/** `postern crawlers`: shows the crawler directory, and registers its rows as requesters. */
import { type Command, Option } from 'commander';
import type { Crawler } from '../../client/src/types.ts';
import { CRAWLER_PURPOSES } from '../rules/crawlers/crawler.ts';
import { type CommandContext, collect, does, examples } from './command.ts';
import { connect } from './connection.ts';
import { directoryCommands } from './crawler-directory.ts';
import { listsCommands } from './identity-lists.ts';
import { EXIT, misused } from './outcome.ts';
import { print, table } from './terminal.ts';

export function crawlersCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('crawlers').description('The crawler directory: bots, their operators and purposes.');
  listCommand(group, context);
  registerCommand(group, context);
  listsCommands(group, context);
  directoryCommands(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists the crawlers that the service knows, and how each can be verified.')
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
    const { directory } = await postern.listCrawlers({ limit: 1 });
    terminal.err(`The directory is of ${directory.date}${FROM[directory.source]}.\n`);
    return undefined;
  });
}

function registerCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('register')
    .argument('[names...]', 'names of crawlers')
    .description(
      'Makes requesters of crawlers, with their user agents, identities and tags; existing ones stay as they are.',
    )
    .addOption(
      new Option('--purpose <purpose>', 'all crawlers with this purpose; may be repeated')
        .choices([...CRAWLER_PURPOSES])
        .argParser(collect),
    );
  examples(
    command,
    '$ postern crawlers register GPTBot ClaudeBot',
    '$ postern crawlers register --purpose training --purpose search',
  );
  does<{ purpose?: Crawler['purpose'][] }>(command, context, async (options, ...names) => {
    const { purpose: purposes } = options;
    if (names.length === 0 && purposes === undefined) throw misused('Name crawlers, or a --purpose.');
    const { terminal } = context;
    const postern = await connect(terminal, options);
    const registered = await postern.registerCrawlers({ ...(names.length === 0 ? {} : { names }), purposes });
    const { created, unchanged, requesters } = registered;
    await print(terminal, options, registered, () => requesters.map(({ requesterId }) => `${requesterId}\n`).join(''));
    terminal.err(`${created} registered, ${unchanged} already there.\n`);
    return EXIT.ok;
  });
}

/** Where the directory is from, for the end of a sentence. */
export const FROM = { package: ', from this version', file: ', from your file', url: ', from your URL' } as const;

const toKinds = (identities: Crawler['identities']): string | null =>
  identities.length === 0 ? null : [...new Set(identities.map(({ kind }) => kind))].join(' ');
