/** `postern policies candidate`: rules that decide beside a policy, until they are published or discarded. */
import type { Command } from 'commander';
import { metaOf } from '../../../client/src/client.ts';
import type { Answered, Policy } from '../../../client/src/types.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import { whoText } from '../../reports/usage/who.ts';
import { diff } from '../../rules/diff.ts';
import type { Rule } from '../../rules/policy.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { EXIT, failed } from '../outcome.ts';
import { confirmed } from '../prompts.ts';
import { counted, print, report, type Terminal, type TerminalCell, table } from '../terminal.ts';
import { findPolicy, getPolicy, listPolicies } from './find.ts';
import { diffText } from './plan.ts';

type Candidate = Answered<'getPolicyCandidate'>;

export function candidateCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('candidate')
    .description('Rules that are tried beside a policy: put, show, publish, delete.');
  putCommand(group, context);
  showCommand(group, context);
  publishCommand(group, context);
  deleteCommand(group, context);
}

function putCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('put')
    .argument('<file>', 'policy file, JSON (.json) or YAML')
    .description(
      'Tries the rules of a file beside its policy: from now on they also decide its recorded checks. Answers stay those of the policy. Other rules replace the candidate and count anew.',
    );
  examples(command, '$ postern policies candidate put policies/research.yaml');
  calls(command, context, async ({ postern, terminal }, options, path = '') => {
    const { loadPolicyFile } = await import('./files.ts');
    const file = await loadPolicyFile(terminal, path);
    if (file === undefined) return EXIT.usage;
    const policy = findPolicy(await listPolicies(postern), file);
    if (policy === undefined) throw failed(`The service has no policy "${plain(file.name)}". Apply one first.`);
    const { rules, defaultAction = 'deny' } = file;
    const candidate = await postern.putPolicyCandidate(policy.id, { rules, defaultAction });
    const warnings = candidate.warnings.map(({ message }) => `  ! ${plain(message)}\n`).join('');
    const message = `${plain(policy.name)} has a candidate since ${candidate.since}.\n${warnings}`;
    await report(terminal, options, candidate, message);
    return EXIT.ok;
  });
}

function showCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('show')
    .argument('<policy>', 'id or name')
    .description('Shows how the decisions of the candidate differ from those of the policy.');
  examples(command, '$ postern policies candidate show "Research partners"');
  calls(command, context, async ({ postern, terminal }, options, name = '') => {
    const policy = await getPolicy(postern, name);
    const candidate = await postern.getPolicyCandidate(policy.id);
    await print(terminal, options, candidate, () => toText(terminal, policy, candidate));
  });
}

function publishCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('publish')
    .argument('<policy>', 'id or name')
    .description('Writes the candidate as the newest version of its policy: shows the changes, and asks.')
    .option('--yes', 'skip the confirmation, for CI');
  examples(command, '$ postern policies candidate publish "Research partners"');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, name = '') => {
    const policy = await getPolicy(postern, name);
    const candidate = await postern.getPolicyCandidate(policy.id);
    terminal.err(toText(terminal, policy, candidate));
    if (!(await confirmed(terminal, `Publish the candidate of ${plain(policy.name)}?`, options.yes))) {
      return EXIT.failed;
    }
    const etag = metaOf(candidate)?.etag ?? `"${policy.version}"`;
    const written = await postern.publishPolicyCandidate(policy.id, { ifMatch: etag });
    await report(terminal, options, written, `${plain(written.name)} is at version ${written.version}.\n`);
    return EXIT.ok;
  });
}

function deleteCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('delete')
    .argument('<policy>', 'id or name')
    .description('Discards the candidate of a policy. Its decisions stay in the log.');
  examples(command, '$ postern policies candidate delete "Research partners"');
  calls(command, context, async ({ postern, terminal }, options, name = '') => {
    const policy = await getPolicy(postern, name);
    const deleted = await postern.deletePolicyCandidate(policy.id);
    await report(terminal, options, deleted, `The candidate of ${plain(policy.name)} is discarded.\n`);
  });
}

function toText(terminal: Terminal, policy: Policy, candidate: Candidate): string {
  const n = (count: number): string => count.toLocaleString('en');
  const { decisions, agreements, newlyDenied, newlyAllowed, since } = candidate;
  const part = (title: string, rows: TerminalCell[][]): string =>
    rows.length === 0 ? '' : `\n${table(terminal, [title, 'newly denied', 'newly allowed'], rows)}`;
  return [
    `Candidate of ${plain(policy.name)}, version ${policy.version}\n`,
    changesText(terminal, policy, candidate),
    `${counted(decisions, 'decision')} since ${since.slice(0, 16)}\n`,
    `  ${n(agreements)} are the same\n`,
    `  ${paint(terminal, 'red', n(newlyDenied))} are newly denied\n`,
    `  ${paint(terminal, 'green', n(newlyAllowed))} are newly allowed\n`,
    part(
      'who',
      candidate.byWho.map((row) => [whoText(row.who), row.newlyDenied, row.newlyAllowed]),
    ),
    part(
      'crawler',
      candidate.byCrawler.map((row) => [row.crawler ?? 'none known', row.newlyDenied, row.newlyAllowed]),
    ),
    part(
      'item or URL',
      candidate.byContent.map((row) => [row.title ?? row.url, row.newlyDenied, row.newlyAllowed]),
    ),
  ].join('');
}

function changesText(terminal: Terminal, policy: Policy, candidate: Candidate): string {
  const { name, description } = policy;
  const of = ({ rules, defaultAction }: Pick<Policy, 'rules' | 'defaultAction'>) =>
    ({ name, description, rules: rules as Rule[], defaultAction }) as const;
  return diffText(terminal, diff(of(policy), of(candidate))) || '    the rules are the same\n';
}
