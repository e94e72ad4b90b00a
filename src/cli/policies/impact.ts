/** `postern policies impact`: what other rules would have made of the recorded decisions of a policy. */
import type { Command } from 'commander';
import { type Context, does, examples } from '../command.ts';
import { type Answer, connect } from '../connection.ts';
import { EXIT, failed } from '../outcome.ts';
import { counted, json, paint, plain, type Terminal, table } from '../terminal.ts';
import { allPolicies, findPolicy, getPolicy } from './find.ts';

interface Impact {
  ofVersion?: string;
  from?: string;
  to?: string;
}

export function impactCommand(parent: Command, context: Context): void {
  const command = parent
    .command('impact')
    .argument('<file-or-policy>', 'a policy file; or, with --of-version, the id or name of a policy')
    .description('Shows what other rules would have made of the recorded decisions of a policy.')
    .option('--of-version <n>', 'by this version of the policy, instead of a file')
    .option('--from <moment>', 'decisions from then on (default: 30 days before --to)')
    .option('--to <moment>', 'decisions before then (default: now)');
  examples(
    command,
    '$ postern policies impact policies/research.yaml',
    '$ postern policies impact "Research partners" --of-version 2 --from 2026-11-01T00:00:00Z',
  );
  does<Impact>(command, context, async ({ ofVersion, from, to, ...options }, name = '') => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    let rules: object;
    let policy: Answer;
    if (ofVersion === undefined) {
      const { loadPolicyFile } = await import('./files.ts');
      const file = await loadPolicyFile(terminal, name);
      if (file === undefined) return EXIT.usage;
      policy = findPolicy(await allPolicies(connection), file);
      if (policy === undefined)
        throw failed(`The service has no policy "${plain(file.name)}": nothing was decided by it yet.`);
      rules = { policy: { rules: file.rules, defaultAction: file.defaultAction ?? 'deny' } };
    } else {
      policy = await getPolicy(connection, name);
      rules = { version: Number(ofVersion) };
    }
    const report = await connection.ask('POST', `/v1/policies/${policy.id}/impact`, { body: { ...rules, from, to } });
    await terminal.out(options.json === true ? json(report) : impactText(terminal, report));
    return EXIT.ok;
  });
}

function impactText(terminal: Terminal, report: Answer): string {
  const n = (count: number): string => count.toLocaleString('en');
  const turns = (rows: Answer[], name: (row: Answer) => string): Answer[] =>
    rows.map((row) => [name(row), row.allowToDeny, row.denyToAllow]);
  const part = (title: string, rows: Answer[]): string =>
    rows.length === 0 ? '' : `\n${table(terminal, [title, 'now denied', 'now allowed'], rows)}`;
  const { allowToDeny, denyToAllow, otherPermissions, otherReason, limited, unknown } = report;
  return [
    `${counted(report.decisions, 'decision')} from ${report.from.slice(0, 16)} to ${report.to.slice(0, 16)}\n`,
    `  ${n(report.unchanged)} would be the same\n`,
    `  ${paint(terminal, 'red', n(allowToDeny))} allowed ones would be denied\n`,
    `  ${paint(terminal, 'green', n(denyToAllow))} denied ones would be allowed\n`,
    otherPermissions > 0 ? `  ${n(otherPermissions)} would be allowed with other permissions\n` : '',
    otherReason > 0 ? `  ${n(otherReason)} would be denied for another reason\n` : '',
    limited > 0 ? `  ${n(limited)} were denied by a rate limit, which cannot be replayed\n` : '',
    unknown.decisions > 0 ? `  ${n(unknown.decisions)} cannot be known any more\n` : '',
    part(
      'requester',
      turns(report.byRequester, ({ id, name }) => name ?? id ?? 'anonymous'),
    ),
    part(
      'item',
      turns(report.byContent, ({ title }) => title),
    ),
  ].join('');
}
