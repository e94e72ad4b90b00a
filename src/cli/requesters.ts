/** `postern requesters`: register, edit, list, suspend and readmit who asks. */
import { type Command, Option } from 'commander';
import { REQUESTER_STATUSES } from '../requesters/requester.ts';
import { type Context, collect, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { EXIT, misused } from './outcome.ts';
import { json, table } from './terminal.ts';

export function requestersCommand(parent: Command, context: Context): void {
  const { terminal } = context;
  const group = parent.command('requesters').description('Requesters: list, create, edit, suspend, activate.');

  const list = group
    .command('list')
    .description('Lists requesters, the newest first.')
    .option('--type <type>', 'only of this type')
    .option('--tag <tag>', 'only with this tag')
    .addOption(new Option('--status <status>', 'only of this status').choices([...REQUESTER_STATUSES]))
    .option('--search <words>', 'only with these words in the name');
  examples(list, '$ postern requesters list --type crawler');
  does<{ type?: string; tag?: string; status?: string; search?: string }>(list, context, async (options) => {
    const connection = await connect(terminal, options);
    const { type, tag, status, search } = options;
    const requesters: Answer[] = await Array.fromAsync(
      connection.each('/v1/requesters', { type, tag, status, q: search }),
    );
    const rows = requesters.map((one) => [one.id, one.name, one.type, one.tags.join(' '), one.status]);
    await terminal.out(
      options.json === true ? json(requesters) : table(terminal, ['id', 'name', 'type', 'tags', 'status'], rows),
    );
    return EXIT.ok;
  });

  const create = withFields(
    group.command('create').argument('<id>', 'as checks will name it').description('Registers a requester.'),
  );
  examples(create, '$ postern requesters create gptbot --name GPTBot --type crawler --tag ai --user-agent GPTBot');
  does<Fields>(create, context, async (options, id) => {
    const connection = await connect(terminal, options);
    const made = await connection.ask('POST', '/v1/requesters', { body: { id, ...fieldsOf(options) } });
    await terminal.out(options.json === true ? json(made) : `${made.id}\n`);
    return EXIT.ok;
  });

  const edit = withFields(
    group
      .command('edit')
      .argument('<id>')
      .description('Changes what is given and leaves the rest; a list that is given replaces the one there was.'),
  );
  examples(edit, '$ postern requesters edit gptbot --tag ai --tag trains');
  does<Fields>(edit, context, async (options, id) => {
    const body = fieldsOf(options);
    if (Object.values(body).every((one) => one === undefined)) throw misused('Say what to change: see --help.');
    const connection = await connect(terminal, options);
    const edited = await connection.ask('PATCH', pathOf(id), { body });
    if (options.json === true) await terminal.out(json(edited));
    else terminal.err(`${edited.id} is changed.\n`);
    return EXIT.ok;
  });

  const changes = [
    ['suspend', 'suspended', 'Denies a requester everything, at once, until it is activated again.'],
    ['activate', 'active', 'Lets a suspended requester be decided by the rules again.'],
  ] as const;
  for (const [name, status, description] of changes) {
    const command = group.command(name).argument('<id>').description(description);
    examples(command, `$ postern requesters ${name} gptbot`);
    does(command, context, async (options, id) => {
      const connection = await connect(terminal, options);
      const edited = await connection.ask('PATCH', pathOf(id), { body: { status } });
      if (options.json === true) await terminal.out(json(edited));
      else terminal.err(`${edited.id} is ${edited.status}.\n`);
      return EXIT.ok;
    });
  }
}

interface Fields {
  name?: string;
  type?: string;
  tag?: string[];
  userAgent?: string[];
}

const withFields = (command: Command): Command =>
  command
    .option('--name <name>')
    .option('--type <type>', 'as conditions name it, such as crawler')
    .option('--tag <tag>', 'may be repeated', collect)
    .option('--user-agent <text>', 'part of the user agent it is known by at a proxy; may be repeated', collect);

const fieldsOf = ({ name, type, tag, userAgent }: Fields) => ({ name, type, tags: tag, userAgents: userAgent });

const pathOf = (id = ''): string => `/v1/requesters/${encodeURIComponent(id)}`;
