/** `postern witness`: this service as a witness of logs of others. */
import type { Command } from 'commander';
import { type CommandContext, calls, examples } from './command.ts';
import { failed } from './outcome.ts';
import { print } from './terminal.ts';

export function witnessCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('witness').description('This service as a witness, which cosigns logs of others: key.');
  const key = group
    .command('key')
    .description('Shows the verifier key of the witness, which readers of those logs need. Guide: docs/witnesses.md');
  examples(key, '$ postern witness key');
  calls(key, context, async ({ postern, terminal }, options) => {
    const { witness } = await postern.getStatus();
    if (witness === null) throw failed('The service is no witness. Set POSTERN_WITNESS_LOGS first.');
    await print(terminal, options, { key: witness.key }, () => `${witness.key}\n`);
  });
}
