/** `postern policies`: manages policies as files in git. The longer commands are in `policies/`. */
import type { Command } from 'commander';
import type { Policy } from '../../../client/src/types.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { json, printList } from '../terminal.ts';
import { applyCommand } from './apply.ts';
import { candidateCommand } from './candidate.ts';
import { collectionEntries } from './collections.ts';
import { diffCommand } from './diff.ts';
import { getPolicy, listPolicies, toVersion } from './find.ts';
import { impactCommand } from './impact.ts';
import { lintCommand } from './lint.ts';
import { rollbackCommand } from './rollback.ts';
import { testCommand } from './test.ts';

export function policiesCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('policies')
    .description('Policies, as files in git: list, get, apply, diff, lint, test, impact, rollback, candidate.');
  listCommand(group, context);
  getCommand(group, context);
  applyCommand(group, context);
  diffCommand(group, context);
  lintCommand(group, context);
  testCommand(group, context);
  impactCommand(group, context);
  rollbackCommand(group, context);
  candidateCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent.command('list').description('Lists policies, newest first.');
  examples(command, '$ postern policies list');
  calls(command, context, async ({ postern, terminal }, options) => {
    const policies = await listPolicies(postern);
    await printList(terminal, options, policies, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      version: ({ version }) => version,
      rules: ({ rules }) => rules.length,
      '': ({ isDefault }) => (isDefault ? 'default' : null),
      updated: ({ updated }) => updated.slice(0, 10),
    });
  });
}

function getCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('get')
    .argument('<policy>', 'id or name')
    .description(
      'Writes a policy with its collections as a policy file, to keep in git and apply again: YAML, or JSON with --json.',
    )
    .option('--of-version <n>', 'this version of it, without collections');
  examples(command, '$ postern policies get "Research partners" > research.yaml');
  calls<{ ofVersion?: string }>(
    command,
    context,
    async ({ postern, terminal }, { ofVersion, ...options }, name = '') => {
      const policy = await getPolicy(postern, name);
      const version =
        ofVersion === undefined ? policy : await postern.getPolicyVersion(policy.id, toVersion(ofVersion));
      const entries = ofVersion === undefined ? await collectionEntries(postern, policy) : [];
      if (entries === undefined) terminal.err('Without its collections: your key may not read content.\n');
      const file = { ...toFile(policy.id, version), ...(entries?.length ? { collections: entries } : {}) };
      if (options.json === true) await terminal.out(json(file));
      else await terminal.out((await import('yaml')).stringify(file, { lineWidth: 100 }));
    },
  );
}

type Version = Pick<Policy, 'name' | 'description' | 'rules' | 'defaultAction'>;

const toFile = (id: string, { name, description, rules, defaultAction }: Version) => ({
  id,
  name,
  ...(description === null ? {} : { description }),
  rules,
  defaultAction,
});
