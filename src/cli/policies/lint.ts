/** `postern policies lint`: warns of policy files that are valid but probably wrong. It needs no service. */
import type { Command } from 'commander';
import { paint, plain } from '../../lib/terminal-text.ts';
import { type CommandContext, does, examples } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { counted, print } from '../terminal.ts';

export function lintCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('lint')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Warns of policy files that are valid but probably wrong. It needs no service. Ends with 1 when there is a warning, with 2 when a file is invalid.',
    );
  examples(command, '$ postern policies lint policies/*.yaml');
  does(command, context, async (options, ...paths) => {
    const { terminal } = context;
    const [{ lint }, { loadPolicyFile }] = await Promise.all([
      import('../../rules/lint/lint.ts'),
      import('./files.ts'),
    ]);
    const found: { path: string; warnings: ReturnType<typeof lint> }[] = [];
    for (const path of paths) {
      const file = await loadPolicyFile(terminal, path);
      if (file !== undefined) found.push({ path, warnings: lint(file.rules, file.defaultAction ?? 'deny') });
    }
    const lines = found.flatMap(({ path, warnings }) =>
      warnings.map(({ code, param, message }) => {
        const head = `${plain(path)}: ${paint(terminal, 'yellow', code)} at ${param}`;
        return `${head}\n  ${plain(message)}\n`;
      }),
    );
    await print(terminal, options, found, () => lines.join(''));
    if (found.length < paths.length) return EXIT.usage;
    terminal.err(`${counted(found.length, 'file')}, ${counted(lines.length, 'warning')}\n`);
    return lines.length > 0 ? EXIT.failed : EXIT.ok;
  });
}
