/** `postern collections`: creates, lists, shows, edits and deletes collections. */
import { type Command, Option } from 'commander';
import type { Body } from '../../../client/src/types.ts';
import { type CommandContext, calls, collect, does, examples, idArgument, requireFields } from '../command.ts';
import { connect } from '../connection.ts';
import { EXIT } from '../outcome.ts';
import { confirmed } from '../prompts.ts';
import { readersCommand } from '../reach.ts';
import { json, print, printList, report, type Terminal } from '../terminal.ts';
import { matchCommand } from './match.ts';
import { unregisteredCommand } from './unregistered.ts';

type NewCollection = Body<'createCollection'>;

export function collectionsCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('collections')
    .description(
      'Collections, which give a policy to addresses: list, show, match, unregistered, readers, create, edit, delete.',
    );
  listCommand(group, context);
  showCommand(group, context);
  matchCommand(group, context);
  unregisteredCommand(group, context);
  readersCommand('collection')(group, context);
  createCommand(group, context);
  editCommand(group, context);
  deleteCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists collections, newest first.')
    .option('--search <words>', 'only collections with these words in the name')
    .option('--policy <id>', 'only collections that this policy is in force for');
  examples(command, '$ postern collections list --search news');
  calls<{ search?: string; policy?: string }>(command, context, async ({ postern, terminal }, options) => {
    const query = { q: options.search, policyId: options.policy, limit: 100 };
    const collections = await Array.fromAsync(postern.listCollections(query));
    await printList(terminal, options, collections, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      mode: ({ mode }) => mode,
      hosts: ({ hosts }) => hosts.join(' '),
      paths: ({ paths }) => paths.join(' '),
      kinds: ({ contentTypes, contentTags }) => [...contentTypes, ...contentTags].join(' '),
      policy: ({ policyId }) => policyId ?? 'the default',
    });
  });
}

function showCommand(parent: Command, context: CommandContext): void {
  const command = parent.command('show').addArgument(idArgument()).description('Shows a collection as JSON.');
  examples(command, '$ postern collections show col_…');
  calls(command, context, async ({ postern, terminal }, _options, id = '') => {
    await terminal.out(json(await postern.getCollection(id)));
  });
}

function createCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent
      .command('create')
      .argument('<name>')
      .description('Creates a collection of everything that matches all given selectors, each by any of its values.'),
  );
  examples(
    command,
    "$ postern collections create 'The site' --host www.example.com --path / --mode observe",
    "$ postern collections create Premium --host '*.example.com' --path /premium/ --path '/*.pdf$' --policy pol_…",
  );
  calls<Fields>(command, context, async ({ postern, terminal }, options, name = '') => {
    const collection = await postern.createCollection({ ...toBody(options), name });
    warn(terminal, collection.warnings);
    await print(terminal, options, collection, () => `${collection.id}\n`);
  });
}

function editCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent
      .command('edit')
      .addArgument(idArgument())
      .description('Changes the given fields and keeps the others; a list replaces the old list.')
      .option('--name <name>'),
  );
  examples(
    command,
    '$ postern collections edit col_… --path / --policy default',
    '$ postern collections edit col_… --mode enforce',
  );
  does<Fields & { name?: string }>(command, context, async (options, id = '') => {
    const { terminal } = context;
    const body = { name: options.name, ...toBody(options) };
    requireFields(body);
    const postern = await connect(terminal, options);
    const collection = await postern.updateCollection(id, body);
    warn(terminal, collection.warnings);
    await report(terminal, options, collection, `${collection.id} is updated.\n`);
  });
}

function deleteCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('delete')
    .addArgument(idArgument())
    .description('Deletes a collection. Its policy and its items stay.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern collections delete col_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const { name } = await postern.getCollection(id);
    if (!(await confirmed(terminal, `Delete the collection ${name}?`, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.deleteCollection(id), `${id} is deleted.\n`);
    return EXIT.ok;
  });
}

interface Fields {
  host?: string[];
  path?: string[];
  contentType?: NewCollection['contentTypes'];
  tag?: string[];
  policy?: string;
  mode?: NewCollection['mode'];
  description?: string;
}

const addFields = (command: Command): Command =>
  command
    .option('--host <host>', 'such as www.example.com, *.example.com or localhost:8080; may be repeated', collect)
    .option('--path <pattern>', 'such as /news/ or /*.pdf$; may be repeated', collect)
    .option('--content-type <type>', 'registered items of this type; may be repeated', collect)
    .option('--tag <tag>', 'registered items with this tag; may be repeated', collect)
    .option('--policy <id>', 'policy for the collection; "default" for the default policy')
    .addOption(
      new Option('--mode <mode>', 'observe: record the decisions, and let every request pass').choices([
        'enforce',
        'observe',
      ]),
    )
    .option('--description <text>');

const toBody = ({ host, path, contentType, tag, policy, mode, description }: Fields) => ({
  hosts: host,
  paths: path,
  contentTypes: contentType,
  contentTags: tag,
  mode,
  policyId: policy === 'default' ? null : policy,
  description,
});

function warn(terminal: Pick<Terminal, 'err'>, warnings: readonly { param: string; message: string }[]): void {
  for (const { param, message } of warnings) terminal.err(`Warning: ${param}: ${message}\n`);
}
