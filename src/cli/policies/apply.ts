/**
 * `postern policies apply`: makes the service match policy files. It shows the plan, asks, and writes only
 * differences. It never overwrites an edit made since the plan.
 */
import type { Command } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import type { Answered } from '../../../client/src/types.ts';
import { plain } from '../../lib/terminal-text.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { getAddress } from '../connection.ts';
import { EXIT } from '../outcome.ts';
import { confirmed } from '../prompts.ts';
import { counted, json, type Terminal } from '../terminal.ts';
import { writeCollection } from './collections.ts';
import { countWrites, type Plan, planAll, planText } from './plan.ts';
import { resultsText } from './test.ts';

export function applyCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('apply')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Makes the service match policy files: shows the plan, asks, creates new policies and edits different ones. Applying again changes nothing. A file belongs to the policy with its id, else with its name. So does a collection of a file. The cases of the files must pass. Policies and collections without a file stay as they are.',
    )
    .option('--yes', 'skip the confirmation, for CI')
    .option('--dry-run', 'only show the plan');
  examples(
    command,
    '$ postern policies apply policies/*.yaml',
    '$ postern policies apply policies/*.yaml --yes   # in CI',
  );
  calls<{ yes?: boolean; dryRun?: boolean }>(command, context, async ({ postern, terminal }, options, ...paths) => {
    const plans = await planAll(terminal, postern, paths);
    if (plans === undefined) return EXIT.usage;
    if (!(await casesPass(terminal, plans))) return EXIT.failed;
    const text = `${plans.map((plan) => planText(terminal, plan)).join('')}${summarize(plans)}\n`;
    if (options.json === true) terminal.err(text);
    else await terminal.out(text);
    const writes = plans.reduce((sum, plan) => sum + countWrites(plan), 0);
    if (options.dryRun !== true && writes > 0) {
      const question = `Write ${counted(writes, 'change')} to ${getAddress(terminal, options.url)}?`;
      if (!(await confirmed(terminal, question, options.yes))) return EXIT.failed;
      for (const plan of plans) await writeAll(terminal, postern, plan);
    }
    if (options.json === true) await terminal.out(json(plans.map(toRecord)));
    return EXIT.ok;
  });
}

const toRecord = ({ path, file, action, before, collections }: Plan): object => ({
  path,
  action,
  id: before?.id ?? null,
  version: before?.version ?? null,
  ...(file.collections === undefined
    ? {}
    : {
        collections: collections.plans.map((plan) => ({
          name: plan.wanted.name,
          action: plan.action,
          id: plan.before?.id ?? null,
          version: plan.before?.version ?? null,
        })),
      }),
});

function summarize(plans: readonly Plan[]): string {
  const all = plans.flatMap(({ action, collections }) => [action, ...collections.plans.map((plan) => plan.action)]);
  const count = (action: Plan['action']): number => all.filter((one) => one === action).length;
  return `${count('create')} to create, ${count('update')} to edit, ${count('none')} unchanged`;
}

async function casesPass(terminal: Terminal, plans: readonly Plan[]): Promise<boolean> {
  const { runCases } = await import('./cases.ts');
  let pass = true;
  for (const { path, file } of plans) {
    const failures = runCases(file, terminal.now()).filter(({ passed }) => !passed);
    if (failures.length === 0) continue;
    terminal.err(resultsText(terminal, path, file, failures));
    pass = false;
  }
  if (!pass) terminal.err('Nothing was written, because these cases fail.\n');
  return pass;
}

/** Writes the policy before its collections, which need its id. */
async function writeAll(terminal: Terminal, postern: Postern, plan: Plan): Promise<void> {
  if (plan.action !== 'none') await write(terminal, postern, plan);
  const { before, collections } = plan;
  for (const one of collections.plans) {
    if (one.action !== 'none' && before !== undefined) await writeCollection(terminal, postern, one, before.id);
  }
}

/** Writes the file's policy, and puts the new version into the plan. */
async function write(terminal: Terminal, postern: Postern, plan: Plan): Promise<void> {
  const { name, description = null, rules, defaultAction = 'deny' } = plan.file;
  const body = { name, description, rules, defaultAction };
  const { before } = plan;
  const written: Answered<'createPolicy'> =
    before === undefined
      ? await postern.createPolicy(body)
      : await postern.updatePolicy(before.id, body, { ifMatch: `"${before.version}"` });
  plan.before = written;
  terminal.err(`${plain(name)}: ${written.id}, version ${written.version}\n`);
  for (const { message } of written.warnings) terminal.err(`  ! ${plain(message)}\n`);
}
