/**
 * `postern policies apply`: brings the service to what the files say. It shows the plan, asks, writes only what is different,
 * and nothing that somebody else has edited since the plan.
 */
import type { Command } from 'commander';
import { type Context, does, examples } from '../command.ts';
import { type Answer, type Connection, connect } from '../connection.ts';
import { EXIT } from '../outcome.ts';
import { agreed } from '../prompts.ts';
import { counted, json, plain, type Terminal } from '../terminal.ts';
import { shown as shownCases } from './cases.ts';
import { type Plan, planAll, planText } from './plan.ts';

export function applyCommand(parent: Command, context: Context): void {
  const command = parent
    .command('apply')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Brings the service to what policy files say: shows the plan, asks, creates what is new and edits what is different. Applying again changes nothing. A file is of the policy of its id, or else of its name. The cases of the files must pass. Policies without a file are left alone.',
    )
    .option('--yes', 'do not ask, for CI')
    .option('--dry-run', 'show the plan only');
  examples(
    command,
    '$ postern policies apply policies/*.yaml',
    '$ postern policies apply policies/*.yaml --yes   # in CI',
  );
  does<{ yes?: boolean; dryRun?: boolean }>(command, context, async (options, ...paths) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const plans = await planAll(terminal, connection, paths);
    if (plans === undefined) return EXIT.usage;
    const say = options.json === true ? async (text: string) => terminal.err(text) : terminal.out;
    if (!(await casesPass(terminal, plans))) return EXIT.failed;
    for (const plan of plans) await say(planText(terminal, plan));
    const open = plans.filter(({ action }) => action !== 'none');
    await say(`${summaryOf(plans)}\n`);
    if (options.dryRun !== true && open.length > 0) {
      const question = `Write ${counted(open.length, 'change')} to ${connection.url}?`;
      if (!(await agreed(terminal, question, options.yes))) return EXIT.failed;
      for (const plan of open) await write(terminal, connection, plan);
    }
    if (options.json === true) {
      const written = plans.map(({ path, action, before }) => ({
        path,
        action,
        id: before?.id ?? null,
        version: before?.version ?? null,
      }));
      await terminal.out(json(written));
    }
    return EXIT.ok;
  });
}

function summaryOf(plans: readonly Plan[]): string {
  const of = (action: Plan['action']): number => plans.filter((plan) => plan.action === action).length;
  return `${of('create')} to create, ${of('update')} to edit, ${of('none')} unchanged`;
}

async function casesPass(terminal: Terminal, plans: readonly Plan[]): Promise<boolean> {
  const { runCases } = await import('../../access/policy-cases.ts');
  let pass = true;
  for (const { path, file } of plans) {
    const results = runCases(file, terminal.now()).filter(({ passed }) => !passed);
    if (results.length === 0) continue;
    terminal.err(shownCases(terminal, path, file, results));
    pass = false;
  }
  if (!pass) terminal.err('Nothing was written: these cases do not pass.\n');
  return pass;
}

/** Leaves the policy as it is now in the plan. */
async function write(terminal: Terminal, connection: Connection, plan: Plan): Promise<void> {
  const { file, before } = plan;
  const { name, description = null, rules, defaultAction = 'deny' } = file;
  const body = { name, description, rules, defaultAction };
  const answer =
    before === undefined
      ? await connection.ask('POST', '/v1/policies', { body })
      : await connection.ask('PATCH', `/v1/policies/${before.id}`, {
          body,
          headers: { 'if-match': `"${before.version}"` },
        });
  plan.before = answer;
  terminal.err(`${plain(file.name)}: ${answer.id}, version ${answer.version}\n`);
  for (const warning of answer.warnings as Answer[]) terminal.err(`  ! ${plain(warning.message)}\n`);
}
