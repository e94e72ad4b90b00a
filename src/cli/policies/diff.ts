/** `postern policies diff`: what applying files would change, or what lies between two versions of a policy. */
import type { Command } from 'commander';
import type { PolicyDiff } from '../../policies/diff.ts';
import { type Context, does, examples } from '../command.ts';
import { type Connection, connect } from '../connection.ts';
import { EXIT } from '../outcome.ts';
import { json } from '../terminal.ts';
import { getPolicy } from './find.ts';
import { diffText, planAll, planText } from './plan.ts';

export function diffCommand(parent: Command, context: Context): void {
  const command = parent
    .command('diff')
    .argument('<what...>', 'policy files; or a policy and two of its versions')
    .description('Shows what applying files would change, or what lies between two versions of a policy.')
    .option('--exit-code', 'end with 1 when there is a difference');
  examples(
    command,
    '$ postern policies diff policies/*.yaml --exit-code',
    '$ postern policies diff "Research partners" 1 3',
  );
  does<{ exitCode?: boolean }>(command, context, async (options, ...what) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const versions = what.length === 3 && what.slice(1).every((text) => /^\d+$/.test(text));
    const found = versions ? await versionDiff(connection, what) : await planAll(terminal, connection, what);
    if (found === undefined) return EXIT.usage;
    if (options.json === true) {
      await terminal.out(
        json(Array.isArray(found) ? found.map(({ path, action, changes }) => ({ path, action, ...changes })) : found),
      );
    } else if (Array.isArray(found)) {
      for (const plan of found) await terminal.out(planText(terminal, plan));
    } else await terminal.out(diffText(terminal, found) || 'No difference.\n');
    const same = Array.isArray(found)
      ? found.every(({ action }) => action === 'none')
      : found.fields.length + found.rules.length === 0;
    return options.exitCode === true && !same ? EXIT.failed : EXIT.ok;
  });
}

async function versionDiff(connection: Connection, [name = '', from = '', to = '']: string[]): Promise<PolicyDiff> {
  const { id } = await getPolicy(connection, name);
  return connection.ask('GET', `/v1/policies/${id}/versions/${from}/diff/${to}`);
}
