/** `postern policies`: policies as files in git, one file here for each command; the two that only read are below. */
import type { Command } from 'commander';
import { type Context, does, examples } from './command.ts';
import { type Answer, type Connection, connect } from './connection.ts';
import { EXIT } from './outcome.ts';
import { applyCommand } from './policies/apply.ts';
import { testCommand } from './policies/cases.ts';
import { diffCommand } from './policies/diff.ts';
import { allPolicies, getPolicy } from './policies/find.ts';
import { impactCommand } from './policies/impact.ts';
import { lintCommand } from './policies/lint.ts';
import { rollbackCommand } from './policies/rollback.ts';
import { json, table } from './terminal.ts';

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
  const command = parent.command('list').description('Lists policies, the newest first.');
  examples(command, '$ postern policies list');
  does(command, context, async (options) => {
    const { terminal } = context;
    const policies = await allPolicies(await connect(terminal, options));
    const rows = policies.map((one) => [
      one.id,
      one.name,
      one.version,
      one.rules.length,
      one.isDefault ? 'default' : null,
      one.updated.slice(0, 10),
    ]);
    const heads = ['id', 'name', 'version', 'rules', '', 'updated'];
    await terminal.out(options.json === true ? json(policies) : table(terminal, heads, rows));
    return EXIT.ok;
  });
}

function getCommand(parent: Command, context: Context): void {
  const command = parent
    .command('get')
    .argument('<policy>', 'id or name')
    .description('Writes a policy as a policy file, to be kept in git and applied again: YAML, or JSON with --json.')
    .option('--of-version <n>', 'as it was in this version');
  examples(command, '$ postern policies get "Research partners" > research.yaml');
  does<{ ofVersion?: string }>(command, context, async (options, name) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const policy = await getPolicy(connection, name ?? '');
    const record =
      options.ofVersion === undefined ? policy : await getVersion(connection, policy.id, options.ofVersion);
    const file = fileOf({ ...record, id: policy.id });
    if (options.json === true) await terminal.out(json(file));
    else await terminal.out((await import('yaml')).stringify(file, { lineWidth: 100 }));
    return EXIT.ok;
  });
}

const getVersion = (connection: Connection, id: string, version: string): Promise<Answer> =>
  connection.ask('GET', `/v1/policies/${id}/versions/${encodeURIComponent(version)}`);

const fileOf = ({ id, name, description, rules, defaultAction }: Answer) => ({
  id,
  name,
  ...(description === null ? {} : { description }),
  rules,
  defaultAction,
});
