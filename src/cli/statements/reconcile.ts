/** `postern statements reconcile`: compares a statement with a partner's counts. */
import type { Command } from 'commander';
import type { Answered } from '../../../client/src/types.ts';
import { type CommandContext, calls, examples, idArgument } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { readText } from '../read-file.ts';
import { json } from '../terminal.ts';

type Reconciliation = Answered<'reconcileStatement'>;

/** Rows of the text; JSON has all. */
const SHOWN_MAX = 20;

export function reconcileCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('reconcile')
    .addArgument(idArgument())
    .argument('<file>', "the partner's counts as CSV, with a row of names: count, date, url or contentId, purpose")
    .description("Compares a statement with a partner's counts: agreed, only ours, only theirs. Nothing is written.");
  examples(command, '$ postern statements reconcile stm_… acme-october.csv');
  calls<{ json?: boolean }>(command, context, async ({ postern, terminal }, options, id = '', file = '') => {
    const found = await postern.reconcileStatement(id, readText(file));
    await terminal.out(options.json === true ? json(found) : toText(found));
    return found.differing === 0 ? EXIT.ok : EXIT.failed;
  });
}

function toText({ agreed, onlyOurs, onlyTheirs, differing, rows }: Reconciliation): string {
  const parts = [
    `Agreed: ${agreed.decisions}. Only ours: ${onlyOurs.decisions}. Only theirs: ${onlyTheirs.decisions}.`,
  ];
  for (const { date, contentId, url, purpose, ours, theirs } of rows.slice(0, SHOWN_MAX)) {
    const name = [date, contentId ?? url, purpose].filter((one) => one !== null).join(' ');
    parts.push(`  ${name || 'no purpose'}: ours ${ours}, theirs ${theirs}`);
  }
  if (differing > SHOWN_MAX) parts.push(`  and ${differing - SHOWN_MAX} more rows; --json has the first 1,000.`);
  return `${parts.join('\n')}\n`;
}
