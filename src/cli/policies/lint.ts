/** `postern policies lint`: what is valid in policy files and yet hardly meant. No service is needed. */
import type { Command } from 'commander';
import { type Context, does, examples } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { counted, json, paint, plain } from '../terminal.ts';

export function lintCommand(parent: Command, context: Context): void {
  const command = parent
    .command('lint')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Shows what is valid in policy files and yet hardly meant. No service is needed. Ends with 1 when there is a warning, with 2 when a file is not valid.',
    );
  examples(command, '$ postern policies lint policies/*.yaml');
  does(command, context, async (options, ...paths) => {
    const { terminal } = context;
    const [{ lint }, { loadPolicyFile }] = await Promise.all([import('../../policies/lint.ts'), import('./files.ts')]);
    const found: { path: string; warnings: ReturnType<typeof lint> }[] = [];
    for (const path of paths) {
      const file = await loadPolicyFile(terminal, path);
      if (file !== undefined) found.push({ path, warnings: lint(file.rules as never, file.defaultAction ?? 'deny') });
    }
    const lines = found.flatMap(({ path, warnings }) =>
      warnings.map(
        (one) => `${plain(path)}: ${paint(terminal, 'yellow', one.code)} at ${one.param}\n  ${plain(one.message)}\n`,
      ),
    );
    await terminal.out(options.json === true ? json(found) : lines.join(''));
    if (found.length < paths.length) return EXIT.usage;
    terminal.err(`${counted(found.length, 'file')}, ${counted(lines.length, 'warning')}\n`);
    return lines.length > 0 ? EXIT.failed : EXIT.ok;
  });
}
