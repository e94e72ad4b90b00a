/** `postern statements receipt`: writes the receipt of a final statement. */
import type { Command } from 'commander';
import { type CommandContext, calls, examples, idArgument } from '../command.ts';
import { openOutput } from '../output.ts';

interface Options {
  decision?: string;
  since?: string;
  output?: string;
}

export function receiptCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('receipt')
    .addArgument(idArgument())
    .description(
      'Writes the receipt of a final statement, which proves it without the service. Guide: docs/receipts.md',
    )
    .option('--decision <id>', 'also prove that a line of the statement counts this decision')
    .option('--since <n>', 'also prove that the log continues its checkpoint of this size')
    .option('--output <file>', 'write to this file instead of stdout');
  examples(
    command,
    '$ postern statements receipt stm_… --output stm.tlog-proof',
    '$ postern statements receipt stm_… --decision dec_… --output line.tlog-proof',
  );
  calls<Options>(command, context, async ({ postern, terminal }, { decision: decisionId, since, output: file }, id) => {
    const receipt = await postern.getStatementProof(id, {
      ...(decisionId === undefined ? {} : { decisionId }),
      ...(since === undefined ? {} : { since: Number(since) }),
    });
    const output = openOutput(terminal, file);
    await output.write(receipt);
    await output.end();
  });
}
