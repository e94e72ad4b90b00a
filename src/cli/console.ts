/** `postern console link`: a way in to the console that works once, for people without a key. */
import { type Command, Option } from 'commander';
import type { Answered } from '../../client/src/types.ts';
import { ROLE_NAMES, type Role } from '../api/permissions.ts';
import { OPERATOR } from '../api/users/links.ts';
import { makeLinkOffline } from '../service/storage/offline.ts';
import { type CommandContext, does, examples } from './command.ts';
import { connect, getAddress, readKey } from './connection.ts';
import { withRecords } from './offline.ts';
import { misused } from './outcome.ts';
import { print } from './terminal.ts';

type Link = Answered<'createSignInLink'>;

interface LinkOptions {
  name: string;
  role: Role;
  offline?: boolean;
  dataDir?: string;
}

export function consoleCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('console').description('The web console: sign in.');
  const command = group
    .command('link')
    .description('Writes a link to stdout that signs one person in to the console, once, within 15 minutes.')
    .option('--name <name>', 'who the link is for; the audit log names them', OPERATOR)
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLE_NAMES]).default('admin'))
    .option('--offline', 'create it directly in the data folder or the database; the default without POSTERN_KEY')
    .option(
      '--data-dir <folder>',
      'with --offline: folder of the installation (default: POSTERN_DATA_DIR, or ./data); overrides POSTERN_DATABASE_URL',
    );
  examples(
    command,
    '$ postern console link',
    '$ postern console link --name "Ada Lovelace" --role licensing',
    '$ postern console link --offline --data-dir /var/lib/postern --url https://postern.example.com',
  );
  does<LinkOptions>(command, context, async (options) => {
    const { terminal } = context;
    const { name, role, dataDir } = options;
    const offline = options.offline ?? readKey(terminal.env) === undefined;
    if (dataDir !== undefined && !offline) throw misused('--data-dir needs --offline.');
    const address = getAddress(terminal, options.url);
    const link = offline
      ? ((await withRecords(terminal, dataDir, (records) => makeLinkOffline(records, { name, role }))) as Link)
      : await (await connect(terminal, options)).createSignInLink({ name, role });
    terminal.err(`Signs ${link.user.name} in as ${role}, once, until ${link.expiresAt}.\n`);
    await print(terminal, options, { ...link, url: address + link.path }, () => `${address}${link.path}\n`);
  });
}
