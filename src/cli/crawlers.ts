/** `postern crawlers`: shows the crawler directory, and registers its rows as requesters. */
import { type Command, Option } from 'commander';
import type { Crawler } from '../../client/src/types.ts';
import { CRAWLER_PURPOSES } from '../rules/crawlers/crawler.ts';
import { type CommandContext, calls, collect, does, examples } from './command.ts';
import { connect } from './connection.ts';
import { directoryCommands } from './crawler-directory.ts';
import { listsCommands } from './identity-lists.ts';
import { misused } from './outcome.ts';
import { print, printList } from './terminal.ts';

export function crawlersCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('crawlers').description('The crawler directory: bots, their operators and purposes.');
  listCommand(group, context);
  addCommand(group, context);
  removeCommand(group, context);
  registerCommand(group, context);
  listsCommands(group, context);
  directoryCommands(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists the crawlers that the service knows, and how each can be verified.')
    .addOption(new Option('--purpose <purpose>', 'only crawlers with this purpose').choices([...CRAWLER_PURPOSES]))
    .option('--own', 'only entries of your own')
    .option('--search <text>', 'only crawlers with this text in their name, operator or user agent');
  examples(command, '$ postern crawlers list --purpose training', '$ postern crawlers list --search openai');
  calls<{ purpose?: Crawler['purpose']; search?: string; own?: true }>(
    command,
    context,
    async ({ postern, terminal }, options) => {
      const crawlers = await Array.fromAsync(
        postern.listCrawlers({ purpose: options.purpose, q: options.search, own: options.own, limit: 100 }),
      );
      await printList(terminal, options, crawlers, {
        name: ({ name }) => name,
        operator: ({ operator }) => operator,
        purpose: ({ purpose }) => purpose,
        'verified by': ({ identities }) => toKinds(identities),
      });
      const { directory } = await postern.listCrawlers({ limit: 1 });
      terminal.err(`The directory is of ${directory.date}${FROM[directory.source]}.\n`);
    },
  );
}

function addCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('add')
    .argument('<token>', 'a whole token of its user agents, such as foobot')
    .requiredOption('--purpose <purpose>', `what it is for: ${CRAWLER_PURPOSES.join(', ')}`)
    .option('--name <name>', 'how rules name it (default: the token)')
    .option('--operator <name>', 'who operates it')
    .option('--url <url>', 'a page about it')
    .description('Adds an entry of your own to the crawler directory. It stays when the directory is replaced.');
  examples(command, "$ postern crawlers add foobot --name Foobot --operator 'Foo Ltd' --purpose training");
  type Options = { purpose: Crawler['purpose']; name?: string; operator?: string; url?: string };
  calls<Options>(command, context, async ({ postern, terminal }, options, token = '') => {
    const { purpose, name, operator, url } = options;
    const crawler = await postern.createCrawler({ token, purpose, name, operator, url });
    await print(terminal, options, crawler, () => `${token}\n`);
    terminal.err(`Rules can name it as ${crawler.name}.\n`);
  });
}

function removeCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('remove')
    .argument('<token>', 'its token')
    .description('Removes an entry of your own from the crawler directory. Rules that name it match nothing then.');
  examples(command, '$ postern crawlers remove foobot');
  calls(command, context, async ({ postern, terminal }, _options, token = '') => {
    await postern.deleteCrawler(token);
    terminal.err(`${token} is no entry of your own any more.\n`);
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
  });
}

/** Where the directory is from, for the end of a sentence. */
export const FROM = { package: ', from this version', file: ', from your file', url: ', from your URL' } as const;

const toKinds = (identities: Crawler['identities']): string | null =>
  identities.length === 0 ? null : [...new Set(identities.map(({ kind }) => kind))].join(' ');
