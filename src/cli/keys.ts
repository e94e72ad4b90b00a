/** `postern keys`: manages API keys. A new key is written to stdout once; nothing else shows it. */
import { type Command, Option } from 'commander';
import type { Answered, Body } from '../../client/src/types.ts';
import { KEY_TYPES } from '../api/keys/key.ts';
import { PERMISSIONS } from '../api/permissions.ts';
import { makeKeyOffline } from '../service/storage/offline.ts';
import { type CommandContext, type Common, calls, collect, does, examples, idArgument } from './command.ts';
import { connect } from './connection.ts';
import { withRecords } from './offline.ts';
import { EXIT, misused } from './outcome.ts';
import { confirmed } from './prompts.ts';
import { print, printList, report, type Terminal } from './terminal.ts';
import { toDay, toEnd, toLastDay } from './time.ts';

type NewKey = Body<'createApiKey'>;
type MadeKey = Pick<Answered<'createApiKey'>, 'id' | 'permissions' | 'key'>;

export function keysCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('keys').description('API keys: list, create, rotate, revoke.');
  listCommand(group, context);
  createCommand(group, context);
  rotateCommand(group, context);
  revokeCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent.command('list').description('Lists the keys, newest first.');
  examples(command, '$ postern keys list');
  calls(command, context, async ({ postern, terminal }, options) => {
    const keys = await Array.fromAsync(postern.listApiKeys({ limit: 100 }));
    await printList(terminal, options, keys, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      begins: ({ prefix }) => prefix,
      permissions: ({ permissions }) => permissions.join(' '),
      'last day': ({ expiresAt }) => toLastDay(expiresAt),
      'last used': ({ lastUsedAt }) => toDay(lastUsedAt),
      mode: ({ mode }) => mode,
    });
  });
}

interface Create {
  type: NewKey['type'];
  test?: boolean;
  permission?: NewKey['permissions'];
  allowIp?: string[];
  expires?: string;
  offline?: boolean;
  dataDir?: string;
}

function createCommand(parent: Command, context: CommandContext): void {
  const permissions = Object.keys(PERMISSIONS).join(', ');
  const command = parent
    .command('create')
    .argument('<name>')
    .description('Creates a key and writes it to stdout, once. Everything else goes to stderr.')
    .addOption(new Option('--type <type>').choices([...KEY_TYPES]).default('secret'))
    .addOption(
      new Option(
        '--permission <permission>',
        `may be repeated; one of ${permissions} (default: * for a secret key, content:read for a public one, reads and checks for a test key)`,
      ).argParser(collect),
    )
    .option('--test', 'create a test key: its checks are recorded and counted apart')
    .option('--allow-ip <range>', 'address or CIDR range that may use it; may be repeated', collect)
    .option('--expires <day>', 'last day (UTC) on which it works, or the time at which it stops')
    .option('--offline', 'create it directly in the data folder or the database, without a key or a running service')
    .option(
      '--data-dir <folder>',
      'with --offline: folder of the installation (default: POSTERN_DATA_DIR, or ./data); overrides POSTERN_DATABASE_URL',
    );
  examples(
    command,
    '$ postern keys create "Web server" --permission access:check > web-server.key',
    '$ postern keys create Reports --permission analytics:read --allow-ip 10.0.0.0/8 --expires 2027-12-31',
    '$ postern keys create Staging --test > staging.key',
    '$ postern keys create Recovery --offline --data-dir /var/lib/postern',
  );
  does<Create>(command, context, async (options, name = '') => {
    const { terminal } = context;
    const { type, test, permission, allowIp, expires, offline, dataDir } = options;
    if (dataDir !== undefined && offline !== true) throw misused('--data-dir needs --offline.');
    const expiresAt = expires === undefined ? undefined : toEnd('--expires', expires);
    const mode = test === true ? 'test' : undefined;
    const body: NewKey = { name, type, mode, permissions: permission, allowedIps: allowIp, expiresAt };
    const made: MadeKey =
      offline === true
        ? await withRecords(terminal, dataDir, (records) => makeKeyOffline(records, withoutUndefined(body)) as never)
        : await (await connect(terminal, options)).createApiKey(body);
    terminal.err(`${made.id} with ${made.permissions.join(', ')}. The key is shown only once.\n`);
    await printKey(terminal, options, made);
  });
}

function rotateCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('rotate')
    .addArgument(idArgument())
    .description('Creates a key that replaces another, and writes it to stdout, once.')
    .option('--grace <seconds>', 'how long the old key keeps working, up to 604800', '0');
  examples(command, '$ postern keys rotate key_… --grace 3600 > web-server.key');
  calls<{ grace: string }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const made = await postern.rotateApiKey(id, { graceSeconds: Number(options.grace) });
    terminal.err(`${made.id} replaces ${id}. The key is shown only once.\n`);
    await printKey(terminal, options, made);
  });
}

const printKey = (terminal: Terminal, options: Common, made: MadeKey): Promise<void> =>
  print(terminal, options, made, () => `${made.key}\n`);

function revokeCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('revoke')
    .addArgument(idArgument())
    .description('Revokes a key; it stops working at once.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern keys revoke key_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const { name, prefix } = await postern.getApiKey(id);
    if (!(await confirmed(terminal, `Revoke ${name} (${prefix}…)?`, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.revokeApiKey(id), `${id} is revoked.\n`);
    return EXIT.ok;
  });
}

/** Drops undefined fields, as the wire does. */
const withoutUndefined = (body: NewKey): unknown => JSON.parse(JSON.stringify(body));
