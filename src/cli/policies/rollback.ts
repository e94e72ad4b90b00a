/** `postern policies rollback`: writes an old version as the newest one, after showing the changes. */
import type { Command } from 'commander';
import { plain } from '../../lib/terminal-text.ts';
import type { PolicyDiff } from '../../rules/diff.ts';
import { type CommandContext, does, examples } from '../command.ts';
import { connect } from '../connection.ts';
import { EXIT } from '../outcome.ts';
import { confirmed } from '../prompts.ts';
import { report } from '../terminal.ts';
import { getPolicy, toVersion } from './find.ts';
import { diffText } from './plan.ts';

export function rollbackCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('rollback')
    .argument('<policy>', 'id or name')
    .argument('<version>')
    .description('Writes an old version of a policy as its newest one: shows the changes, and asks.')
    .option('--yes', 'skip the confirmation, for CI');
  examples(command, '$ postern policies rollback "Research partners" 3');
  does<{ yes?: boolean }>(command, context, async (options, name = '', text = '') => {
    const { terminal } = context;
    const version = toVersion(text);
    const postern = await connect(terminal, options);
    const policy = await getPolicy(postern, name);
    const changes = (await postern.diffPolicyVersions(policy.id, policy.version, version)) as unknown as PolicyDiff;
    terminal.err(diffText(terminal, changes) || 'The rules are the same; a new version would still be written.\n');
    const question = `Roll ${plain(policy.name)} back to version ${version}?`;
    if (!(await confirmed(terminal, question, options.yes))) return EXIT.failed;
    const written = await postern.rollbackPolicy(policy.id, { version }, { ifMatch: `"${policy.version}"` });
    const message = `${plain(written.name)} is at version ${written.version}, with the rules of version ${version}.\n`;
    await report(terminal, options, written, message);
    return EXIT.ok;
  });
}
