/** `postern policies rollback`: writes an old version as the new one, after showing what changes. */
import { type Command, Option } from 'commander';
import type { PolicyDiff } from '../../policies/diff.ts';
import { type Context, does, examples } from '../command.ts';
import { connect } from '../connection.ts';
import { EXIT, type ExitStatus, misused } from '../outcome.ts';
import { agreed } from '../prompts.ts';
import { json, plain, type Terminal } from '../terminal.ts';
import { getPolicy } from './find.ts';
import { diffText } from './plan.ts';

export function rollbackCommand(parent: Command, context: Context): void {
  const command = parent
    .command('rollback')
    .argument('<policy>', 'id or name')
    .argument('<version>')
    .description('Writes an old version of a policy as its new one: shows what changes, and asks.')
    .addOption(new Option('--yes', 'do not ask, for CI'));
  examples(command, '$ postern policies rollback "Research partners" 3');
  does<{ yes?: boolean }>(command, context, (options, name = '', version = '') =>
    rollback(context.terminal, options, name, version),
  );
}

async function rollback(
  terminal: Terminal,
  options: { yes?: boolean; json?: boolean; url?: string },
  name: string,
  version: string,
): Promise<ExitStatus> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw misused(`A version is a whole number from 1, not "${plain(version)}".`);
  const connection = await connect(terminal, options);
  const policy = await getPolicy(connection, name);
  const changes: PolicyDiff = await connection.ask(
    'GET',
    `/v1/policies/${policy.id}/versions/${policy.version}/diff/${version}`,
  );
  terminal.err(diffText(terminal, changes) || 'The rules are the same; a new version would be written all the same.\n');
  if (!(await agreed(terminal, `Bring ${plain(policy.name)} back to version ${version}?`, options.yes)))
    return EXIT.failed;
  const headers = { 'if-match': `"${policy.version}"` };
  const answer = await connection.ask('POST', `/v1/policies/${policy.id}/rollback`, {
    body: { version: Number(version) },
    headers,
  });
  if (options.json === true) await terminal.out(json(answer));
  else
    terminal.err(`${plain(answer.name)} is at version ${answer.version}, which says what version ${version} said.\n`);
  return EXIT.ok;
}
