/** `postern attention`: shows what needs attention now. */
import type { Command } from 'commander';
import { type CommandContext, calls, examples } from './command.ts';
import { print, table } from './terminal.ts';

const COLORS = { high: 'red', medium: 'yellow', low: 'green' } as const;

export function attentionCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('attention')
    .description('Shows what needs attention now, the most severe first: licenses, quotas, failures, visitors.');
  examples(
    command,
    '$ postern attention',
    '$ postern attention --json | jq ".data[] | select(.severity == \\"high\\")"',
  );
  calls(command, context, async ({ postern, terminal }, options) => {
    const answer = await postern.getAttention();
    await print(terminal, options, answer, () => {
      if (answer.data.length === 0) return 'Nothing needs attention.\n';
      const rows = answer.data.map(({ severity, message, since, path }) => [
        { text: severity, style: COLORS[severity] },
        message,
        since ?? '',
        path,
      ]);
      return `${table(terminal, ['severity', 'what', 'since', 'path'], rows)}${answer.hasMore ? 'There is more.\n' : ''}`;
    });
  });
}
