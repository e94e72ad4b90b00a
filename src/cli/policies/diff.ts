/**
 * `postern policies diff`: shows what applying files would change, or the difference between two versions of a policy.
 */
import type { Command } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import type { PolicyDiff } from '../../rules/diff.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { print } from '../terminal.ts';
import { getPolicy } from './find.ts';
import { countWrites, diffText, type Plan, planAll, planText } from './plan.ts';

export function diffCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('diff')
    .argument('<what...>', 'policy files; or a policy and two of its versions')
    .description('Shows what applying files would change, or the difference between two versions of a policy.')
    .option('--exit-code', 'end with 1 when there is a difference');
  examples(
    command,
    '$ postern policies diff policies/*.yaml --exit-code',
    '$ postern policies diff "Research partners" 1 3',
  );
  calls<{ exitCode?: boolean }>(command, context, async ({ postern, terminal }, options, ...what) => {
    let same: boolean;
    if (what.length === 3 && what.slice(1).every((text) => /^\d+$/.test(text))) {
      const changes = await diffVersions(postern, what);
      await print(terminal, options, changes, () => diffText(terminal, changes) || 'No difference.\n');
      same = changes.fields.length + changes.rules.length === 0;
    } else {
      const plans = await planAll(terminal, postern, what);
      if (plans === undefined) return EXIT.usage;
      const text = (): string => plans.map((plan) => planText(terminal, plan)).join('');
      await print(terminal, options, plans.map(toRecord), text);
      same = plans.every((plan) => countWrites(plan) === 0);
    }
    return options.exitCode === true && !same ? EXIT.failed : EXIT.ok;
  });
}

const toRecord = ({ path, file, action, changes, collections }: Plan): object => ({
  path,
  action,
  ...changes,
  ...(file.collections === undefined
    ? {}
    : {
        collections: collections.plans.map(({ wanted, action: of, fields }) => ({
          name: wanted.name,
          action: of,
          fields,
        })),
      }),
});

async function diffVersions(postern: Postern, [name = '', from = '', to = '']: string[]): Promise<PolicyDiff> {
  const { id } = await getPolicy(postern, name);
  return (await postern.diffPolicyVersions(id, from, to)) as unknown as PolicyDiff;
}
