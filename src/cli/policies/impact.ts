/** `postern policies impact`: replays the recorded decisions of a policy with other rules. */
import type { Command } from 'commander';
import type { Postern } from '../../../client/src/client.ts';
import type { Answered, Body } from '../../../client/src/types.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import { whoText } from '../../reports/usage/who.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { EXIT, failed } from '../outcome.ts';
import { counted, print, type Terminal, type TerminalCell, table } from '../terminal.ts';
import { findPolicy, getPolicy, listPolicies } from './find.ts';

type Impact = Answered<'previewPolicyImpact'>;

interface Options {
  ofVersion?: string;
  from?: string;
  to?: string;
}

export function impactCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('impact')
    .argument('<file-or-policy>', 'a policy file; or, with --of-version, the id or name of a policy')
    .description('Shows how other rules would have decided the recorded checks of a policy.')
    .option('--of-version <n>', 'use the rules of this version instead of a file')
    .option('--from <time>', 'decisions from this time on (default: 30 days before --to)')
    .option('--to <time>', 'decisions before this time (default: now)');
  examples(
    command,
    '$ postern policies impact policies/research.yaml',
    '$ postern policies impact "Research partners" --of-version 2 --from 2026-11-01T00:00:00Z',
  );
  calls<Options>(command, context, async ({ postern, terminal }, { ofVersion, from, to, ...options }, name = '') => {
    const draft =
      ofVersion === undefined ? await readDraft(terminal, postern, name) : await getDraft(postern, name, ofVersion);
    if (draft === undefined) return EXIT.usage;
    const body = { ...draft.rules, from, to } as Body<'previewPolicyImpact'>;
    const report = await postern.previewPolicyImpact(draft.policyId, body);
    await print(terminal, options, report, () => toText(terminal, report));
    return EXIT.ok;
  });
}

/** The rules to replay, and the policy whose decisions they replay. */
interface Draft {
  policyId: string;
  rules: object;
}

const getDraft = async (postern: Postern, name: string, version: string): Promise<Draft> => ({
  policyId: (await getPolicy(postern, name)).id,
  rules: { version: Number(version) },
});

/** Returns undefined after reporting an invalid file. */
async function readDraft(terminal: Terminal, postern: Postern, path: string): Promise<Draft | undefined> {
  const { loadPolicyFile } = await import('./files.ts');
  const file = await loadPolicyFile(terminal, path);
  if (file === undefined) return undefined;
  const policy = findPolicy(await listPolicies(postern), file);
  if (policy === undefined) {
    throw failed(`The service has no policy "${plain(file.name)}", so no decision was made by it yet.`);
  }
  return { policyId: policy.id, rules: { policy: { rules: file.rules, defaultAction: file.defaultAction ?? 'deny' } } };
}

function toText(terminal: Terminal, report: Impact): string {
  const { allowToDeny, denyToAllow, otherPermissions, otherReason, limited, unknown } = report;
  const n = (count: number): string => count.toLocaleString('en');
  const line = (count: number, text: string): string => (count > 0 ? `  ${n(count)} ${text}\n` : '');
  const part = (title: string, rows: TerminalCell[][]): string =>
    rows.length === 0 ? '' : `\n${table(terminal, [title, 'now denied', 'now allowed'], rows)}`;
  return [
    `${counted(report.decisions, 'decision')} from ${report.from.slice(0, 16)} to ${report.to.slice(0, 16)}\n`,
    `  ${n(report.unchanged)} would be the same\n`,
    `  ${paint(terminal, 'red', n(allowToDeny))} allowed ones would be denied\n`,
    `  ${paint(terminal, 'green', n(denyToAllow))} denied ones would be allowed\n`,
    line(otherPermissions, 'would be allowed with other permissions'),
    line(otherReason, 'would be denied for another reason'),
    line(limited, 'were denied by a rate limit, which cannot be replayed'),
    line(unknown.decisions, 'cannot be replayed: their facts are gone'),
    part(
      'who',
      report.byWho.map(({ who, ...turns }) => [whoText(who), turns.allowToDeny, turns.denyToAllow]),
    ),
    part(
      'item',
      report.byContent.map((row) => [row.title, row.allowToDeny, row.denyToAllow]),
    ),
  ].join('');
}
