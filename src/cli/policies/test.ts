/**
 * `postern policies test`: runs the cases of policy files and shows the results. It uses no service. It ends with 1
 * when a case fails and with 2 when a file is invalid; the other files still run.
 */
import type { Command } from 'commander';
import { paint, plain } from '../../lib/terminal-text.ts';
import { type CommandContext, does, examples } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { counted, json, type Terminal } from '../terminal.ts';
import type { CaseDifference, CaseResult } from './cases.ts';
import type { PolicyFile } from './policy-file.ts';

export function testCommand(parent: Command, { terminal, ...context }: CommandContext): void {
  const command = parent
    .command('test')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Runs the cases of policy files. It needs no service. Ends with 1 when a case fails, with 2 when a file is invalid. File format: docs/policy-tests.md',
    );
  examples(command, '$ postern policies test policies/*.yaml');
  does(command, { terminal, ...context }, async (options, ...paths) => {
    const [{ runCases }, { loadPolicyFile }] = await Promise.all([import('./cases.ts'), import('./files.ts')]);
    const all: { path: string; name: string; cases: CaseResult[] }[] = [];
    let invalid = 0;
    for (const path of paths) {
      const file = await loadPolicyFile(terminal, path);
      if (file === undefined) {
        invalid++;
        continue;
      }
      const cases = runCases(file, terminal.now());
      all.push({ path, name: file.name, cases });
      if (options.json !== true) await terminal.out(resultsText(terminal, path, file, cases));
    }
    const results = all.flatMap(({ cases }) => cases);
    const failures = results.filter(({ passed }) => !passed).length;
    if (options.json === true) await terminal.out(json(all));
    else await terminal.out(`${summary(terminal, results.length, failures, invalid)}\n`);
    if (invalid > 0) return EXIT.usage;
    return failures > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** Formats the results of a file's cases. */
export function resultsText(terminal: Terminal, path: string, file: PolicyFile, results: CaseResult[]): string {
  const lines = results.flatMap((result) => toLines(terminal, file, result));
  if (results.length === 0) lines.push('  no cases');
  return `${plain(path)}: ${plain(file.name)}\n${lines.join('\n')}\n\n`;
}

function toLines(terminal: Terminal, file: PolicyFile, result: CaseResult): string[] {
  const { name, passed, outcome, differences, refused } = result;
  if (passed) return [`  ${paint(terminal, 'green', '✓')} ${plain(name)}`];
  return [
    `  ${paint(terminal, 'red', '✗')} ${plain(name)}`,
    ...differences.map(
      ({ field, expected, actual }) => `      ${field}: expected ${toText(expected)}, got ${toText(actual)}`,
    ),
    refused === true ? `      ${REFUSED}` : `      decided by ${deciderText(file, outcome)}`,
  ];
}

const REFUSED = 'refused: servers may read this URL as another one, which the rules do not allow alike';

function toText(value: CaseDifference['actual']): string {
  if (value === null) return 'none';
  if (typeof value === 'number') return `rules[${value}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function deciderText(file: PolicyFile, { reason, rule }: CaseResult['outcome']): string {
  if (reason === 'content_archived') return 'no rule: the item is archived';
  if (reason === 'requester_suspended') return 'no rule: the requester is suspended';
  const decider = rule === null ? undefined : file.rules[rule];
  if (decider === undefined) return `the default action (${file.defaultAction ?? 'deny'}): no rule matches`;
  return `rules[${rule}] (${decider.action} ${plain(shortened(JSON.stringify(decider.conditions ?? {})))})`;
}

const TEXT_MAX = 100;
const shortened = (text: string): string => (text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`);

function summary(terminal: Terminal, total: number, failures: number, invalid: number): string {
  const parts = [`${counted(total, 'case')}: ${total - failures} passed, ${failures} failed`];
  if (invalid > 0) parts.push(`${counted(invalid, 'file')} invalid`);
  return paint(terminal, failures > 0 || invalid > 0 ? 'red' : 'green', parts.join('; '));
}
