/** `postern requesters`: registers, lists, edits, suspends and activates requesters. */
import { type Command, Option } from 'commander';
import { PosternError } from '../../client/src/errors.ts';
import type { Requester } from '../../client/src/types.ts';
import { REQUESTER_STATUSES } from '../requesters/requester.ts';
import { type CommandContext, calls, collect, does, examples, idArgument, requireFields } from './command.ts';
import { connect } from './connection.ts';
import { misused } from './outcome.ts';
import { reachCommand } from './reach.ts';
import { readTextOrInput } from './read-file.ts';
import { tokensCommand } from './requester-tokens.ts';
import { print, printList, report } from './terminal.ts';

export function requestersCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('requesters')
    .description('Requesters: list, create, edit, suspend, activate, import; their reach and tokens.');
  listCommand(group, context);
  createCommand(group, context);
  editCommand(group, context);
  statusCommand(group, context, {
    name: 'suspend',
    status: 'suspended',
    description: 'Denies every check of a requester, at once, until it is activated again.',
  });
  statusCommand(group, context, {
    name: 'activate',
    status: 'active',
    description: 'Ends the suspension of a requester; the rules decide again.',
  });
  importCommand(group, context);
  reachCommand(group, context);
  tokensCommand(group, context);
}

interface Filter {
  type?: string;
  tag?: string;
  status?: Requester['status'];
  search?: string;
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists requesters, newest first.')
    .option('--type <type>', 'only requesters of this type')
    .option('--tag <tag>', 'only requesters with this tag')
    .addOption(new Option('--status <status>', 'only requesters with this status').choices([...REQUESTER_STATUSES]))
    .option('--search <words>', 'only requesters with these words in the name');
  examples(command, '$ postern requesters list --type crawler');
  calls<Filter>(command, context, async ({ postern, terminal }, options) => {
    const { type, tag, status, search: q } = options;
    const requesters = await Array.fromAsync(postern.listRequesters({ type, tag, status, q, limit: 100 }));
    await printList(terminal, options, requesters, {
      id: (one) => one.id,
      name: (one) => one.name,
      type: (one) => one.type,
      tags: (one) => one.tags.join(' '),
      status: (one) => one.status,
    });
  });
}

function createCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent.command('create').argument('<id>', 'id, as checks name it').description('Registers a requester.'),
  );
  examples(command, '$ postern requesters create gptbot --name GPTBot --type crawler --tag ai --user-agent GPTBot');
  calls<Fields>(command, context, async ({ postern, terminal }, options, id = '') => {
    const requester = await postern.createRequester({ id, ...toBody(options) });
    await print(terminal, options, requester, () => `${requester.id}\n`);
  });
}

function editCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent
      .command('edit')
      .addArgument(idArgument())
      .description('Changes the given fields and keeps the others; a list replaces the old list.'),
  );
  examples(command, '$ postern requesters edit gptbot --tag ai --tag trains');
  does<Fields>(command, context, async (options, id = '') => {
    const { terminal } = context;
    const body = toBody(options);
    requireFields(body);
    const postern = await connect(terminal, options);
    const requester = await postern.updateRequester(id, body);
    await report(terminal, options, requester, `${requester.id} is updated.\n`);
  });
}

function importCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('import')
    .argument('<file>', 'CSV with a row of names: id, name, type, tags, userAgents, contactName, email, billingAddress')
    .description(
      'Registers and edits requesters from CSV: all lines, or none if one is bad. Repeating it changes nothing.',
    )
    .option('--dry-run', 'check each line and write nothing')
    .option('--update', 'change registered requesters, too; without it, a line that would change one is an error');
  examples(command, '$ postern requesters import partners.csv --dry-run', '$ postern requesters import partners.csv');
  calls<{ dryRun?: boolean; update?: boolean }>(command, context, async ({ postern, terminal }, options, file = '') => {
    const { dryRun = false, update = false } = options;
    const csv = readTextOrInput(file);
    const done = await postern.importRequesters(csv, { dryRun, update }).catch((error: unknown) => {
      throw error instanceof PosternError && error.code === 'invalid_request' ? misused(listFaults(error)) : error;
    });
    const { created, updated, unchanged } = done;
    const counts = `${created} created, ${updated} updated, ${unchanged} unchanged`;
    await report(
      terminal,
      options,
      done,
      `${dryRun ? 'Nothing was written. An import would give' : 'Requesters'}: ${counts}.\n`,
    );
  });
}

/** Returns a line for each bad line of the file. */
const listFaults = ({ details = [], message }: PosternError): string =>
  ['Nothing was imported.', ...(details.length === 0 ? [message] : details.map((one) => one.message))].join('\n');

interface Status {
  name: string;
  status: Requester['status'];
  description: string;
}

function statusCommand(parent: Command, context: CommandContext, { name, status, description }: Status): void {
  const command = parent.command(name).addArgument(idArgument()).description(description);
  examples(command, `$ postern requesters ${name} gptbot`);
  calls(command, context, async ({ postern, terminal }, options, id = '') => {
    const requester = await postern.updateRequester(id, { status });
    await report(terminal, options, requester, `${requester.id} is ${requester.status}.\n`);
  });
}

interface Fields {
  name?: string;
  type?: string;
  tag?: string[];
  userAgent?: string[];
  ip?: string[];
  ipList?: string[];
  dns?: string[];
  signatureAgent?: string[];
}

const addFields = (command: Command): Command =>
  command
    .option('--name <name>')
    .option('--type <type>', 'type, as conditions name it, such as crawler')
    .option('--tag <tag>', 'may be repeated', collect)
    .option('--user-agent <text>', 'part of its user agent, which identifies it at a proxy; may be repeated', collect)
    .option('--ip <range>', 'address or CIDR range that verifies it; may be repeated', collect)
    .option('--ip-list <url>', 'published list of its ranges; may be repeated', collect)
    .option('--dns <suffix>', 'end of the host names of its addresses; may be repeated', collect)
    .option('--signature-agent <url>', 'signature agent that it signs as; may be repeated', collect);

const toBody = ({ name, type, tag, userAgent, ...verified }: Fields) => ({
  name,
  type,
  tags: tag,
  userAgents: userAgent,
  identities: toIdentities(verified),
});

/** Returns undefined if no option names an identity. */
function toIdentities({ ip, ipList, dns, signatureAgent }: Fields): Requester['identities'] | undefined {
  const identities: Requester['identities'] = [
    ...(ip === undefined ? [] : [{ kind: 'ip' as const, ranges: ip }]),
    ...(ipList ?? []).map((list) => ({ kind: 'ip' as const, list })),
    ...(dns === undefined ? [] : [{ kind: 'dns' as const, suffixes: dns }]),
    ...(signatureAgent ?? []).map((agent) => ({ kind: 'signature' as const, agent })),
  ];
  return identities.length === 0 ? undefined : identities;
}
