/** `postern users`: the people who sign in to the console. */
import { type Command, Option } from 'commander';
import type { Query } from '../../client/src/types.ts';
import { ROLE_NAMES } from '../api/permissions.ts';
import { type CommandContext, calls, examples, idArgument } from './command.ts';
import { EXIT } from './outcome.ts';
import { confirmed } from './prompts.ts';
import { printList, report } from './terminal.ts';
import { toDay } from './time.ts';

export function usersCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('users').description('People who sign in to the console: list, suspend, delete.');
  listCommand(group, context);
  suspendCommand(group, context);
  reinstateCommand(group, context);
  deleteCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists the users, newest first.')
    .addOption(new Option('--role <role>', 'only this role').choices([...ROLE_NAMES]))
    .addOption(new Option('--status <status>', 'only this status').choices(['active', 'suspended']));
  examples(command, '$ postern users list', '$ postern users list --role admin');
  calls<Pick<NonNullable<Query<'listUsers'>>, 'role' | 'status'>>(command, context, async (connected, options) => {
    const { postern, terminal } = connected;
    const { role, status } = options;
    const users = await Array.fromAsync(postern.listUsers({ role, status, limit: 100 }));
    await printList(terminal, options, users, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      email: ({ email }) => email,
      role: (user) => user.role,
      status: (user) => user.status,
      'last seen': ({ lastSeen }) => toDay(lastSeen),
    });
  });
}

function suspendCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('suspend')
    .addArgument(idArgument())
    .description('Suspends a user: their sessions end at once, and they cannot sign in.');
  examples(command, '$ postern users suspend usr_…');
  calls(command, context, async ({ postern, terminal }, options, id = '') => {
    const user = await postern.suspendUser(id);
    await report(terminal, options, user, `${user.name} is suspended.\n`);
  });
}

function reinstateCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('reinstate')
    .addArgument(idArgument())
    .description('Lets a suspended user sign in again.');
  examples(command, '$ postern users reinstate usr_…');
  calls(command, context, async ({ postern, terminal }, options, id = '') => {
    const user = await postern.reinstateUser(id);
    await report(terminal, options, user, `${user.name} may sign in again.\n`);
  });
}

function deleteCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('delete')
    .addArgument(idArgument())
    .description(
      'Deletes a user and ends their sessions. Their provider can still sign them in: suspend to prevent that.',
    )
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern users delete usr_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const { name } = await postern.getUser(id);
    if (!(await confirmed(terminal, `Delete ${name}?`, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.deleteUser(id), `${id} is deleted.\n`);
    return EXIT.ok;
  });
}
