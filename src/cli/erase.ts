/** `postern erase`: removes what is known of a requester. */
import type { Command } from 'commander';
import { type CommandContext, does, examples, idArgument } from './command.ts';
import { connect } from './connection.ts';
import { EXIT } from './outcome.ts';
import { confirmed } from './prompts.ts';
import { report } from './terminal.ts';

export function eraseCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('erase').description('Erase a requester from everything past.');
  const command = group
    .command('requester')
    .addArgument(idArgument())
    .description('Deletes a requester and replaces its id by a pseudonym in everything past. This cannot be undone.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern erase requester acme');
  does<{ yes?: boolean }>(command, context, async (options, id = '') => {
    const { terminal } = context;
    const question = `Erase ${id} for good, with its licenses, tokens and names?`;
    if (!(await confirmed(terminal, question, options.yes))) return EXIT.failed;
    const postern = await connect(terminal, options);
    const erasure = await postern.eraseRequester(id, { confirm: id });
    await report(terminal, options, erasure, `${id} is being erased. Its pseudonym is ${erasure.pseudonym}.\n`);
    return EXIT.ok;
  });
}
