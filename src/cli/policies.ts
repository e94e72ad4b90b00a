/** `postern policies`: manages policies as files in git. The longer commands are in `policies/`. */
import type { Command } from 'commander';
import type { Policy } from '../../client/src/types.ts';
import { type Context, does, examples } from './command.ts';
import { connect } from './connection.ts';
import { applyCommand } from './policies/apply.ts';
import { diffCommand } from './policies/diff.ts';
import { getPolicy, listPolicies, toVersion } from './policies/find.ts';
import { impactCommand } from './policies/impact.ts';
import { lintCommand } from './policies/lint.ts';
import { rollbackCommand } from './policies/rollback.ts';
import { testCommand } from './policies/test.ts';
import { json, print, table } from './terminal.ts';

export function policiesCommand(parent: Command, context: Context): void {
  const group = parent
    .command('policies')
    .description('Policies, as files in git: list, get, apply, diff, lint, test, impact, rollback.');
  listCommand(group, context);
  getCommand(group, context);
  applyCommand(group, context);
  diffCommand(group, context);
  lintCommand(group, context);
  testCommand(group, context);
  impactCommand(group, context);
  rollbackCommand(group, context);
}

function listCommand(parent: Command, context: Context): void {
  const command = parent.command('list').description('Lists policies, newest first.');
  examples(command, '$ postern policies list');
  does(command, context, async (options) => {
    const { terminal } = context;
    const policies = await listPolicies(await connect(terminal, options));
    await print(terminal, options, policies, () => {
      const rows = policies.map(({ id, name, version, rules, isDefault, updated }) => [
        id,
        name,
        version,
        rules.length,
        isDefault ? 'default' : null,
        updated.slice(0, 10),
      ]);
      return table(terminal, ['id', 'name', 'version', 'rules', '', 'updated'], rows);
    });
    return undefined;
  });
}

function getCommand(parent: Command, context: Context): void {
  const command = parent
    .command('get')
    .argument('<policy>', 'id or name')
    .description('Writes a policy as a policy file, to keep in git and apply again: YAML, or JSON with --json.')
    .option('--of-version <n>', 'this version of it');
  examples(command, '$ postern policies get "Research partners" > research.yaml');
  does<{ ofVersion?: string }>(command, context, async ({ ofVersion, ...options }, name = '') => {
    const { terminal } = context;
    const postern = await connect(terminal, options);
    const policy = await getPolicy(postern, name);
    const version = ofVersion === undefined ? policy : await postern.getPolicyVersion(policy.id, toVersion(ofVersion));
    const file = toFile(policy.id, version);
    if (options.json === true) await terminal.out(json(file));
    else await terminal.out((await import('yaml')).stringify(file, { lineWidth: 100 }));
    return undefined;
  });
}

type Version = Pick<Policy, 'name' | 'description' | 'rules' | 'defaultAction'>;

const toFile = (id: string, { name, description, rules, defaultAction }: Version) => ({
  id,
  name,
  ...(description === null ? {} : { description }),
  rules,
  defaultAction,
});
