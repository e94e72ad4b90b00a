/**
 * `postern policies test`: runs the cases of policy files and shows what came of each. No service is needed, and none is
 * asked. Ends with 1 when a case failed and with 2 when a file is not valid; the other files are run all the same.
 */
import type { Command } from 'commander';
import type { CaseResult, Difference } from '../../access/policy-cases.ts';
import type { PolicyFile } from '../../access/policy-file.ts';
import { type Context, does, examples } from '../command.ts';
import { EXIT } from '../outcome.ts';
import { json, paint, plain, type Terminal } from '../terminal.ts';

export function testCommand(parent: Command, { terminal, ...context }: Context): void {
  const command = parent
    .command('test')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Runs the cases of policy files. No service is needed. Ends with 1 when a case failed, with 2 when a file is not valid. How a file is written: docs/policy-tests.md',
    );
  examples(command, '$ postern policies test policies/*.yaml');
  does(command, { terminal, ...context }, async (options, ...paths) => {
    const [{ runCases }, { loadPolicyFile }] = await Promise.all([
      import('../../access/policy-cases.ts'),
      import('./files.ts'),
    ]);
    const all: { path: string; name: string; cases: CaseResult[] }[] = [];
    let notValid = 0;
    for (const path of paths) {
      const file = await loadPolicyFile(terminal, path);
      if (file === undefined) {
        notValid++;
        continue;
      }
      const cases = runCases(file, terminal.now());
      all.push({ path, name: file.name, cases });
      if (options.json !== true) await terminal.out(shown(terminal, path, file, cases));
    }
    const results = all.flatMap(({ cases }) => cases);
    const failures = results.filter(({ passed }) => !passed).length;
    if (options.json === true) await terminal.out(json(all));
    else await terminal.out(`${summary(terminal, results.length, failures, notValid)}\n`);
    if (notValid > 0) return EXIT.usage;
    return failures > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** What came of the cases of a file. */
export function shown(terminal: Terminal, path: string, file: PolicyFile, results: CaseResult[]): string {
  const lines = results.flatMap((result) => linesOf(terminal, file, result));
  if (results.length === 0) lines.push('  no cases');
  return `${plain(path)}: ${plain(file.name)}\n${lines.join('\n')}\n\n`;
}

function linesOf(terminal: Terminal, file: PolicyFile, { name, passed, outcome, differences }: CaseResult): string[] {
  if (passed) return [`  ${paint(terminal, 'green', '✓')} ${plain(name)}`];
  return [
    `  ${paint(terminal, 'red', '✗')} ${plain(name)}`,
    ...differences.map(
      ({ field, expected, actual }) => `      ${field}: expected ${told(expected)}, got ${told(actual)}`,
    ),
    `      decided by ${deciderOf(file, outcome)}`,
  ];
}

function told(value: Difference['actual']): string {
  if (value === null) return 'none';
  if (typeof value === 'number') return `rules[${value}]`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function deciderOf(file: PolicyFile, { reason, rule }: CaseResult['outcome']): string {
  if (reason === 'content_archived') return 'no rule: the item is archived';
  if (reason === 'requester_suspended') return 'no rule: the requester is suspended';
  const decider = rule === null ? undefined : file.rules[rule];
  if (decider === undefined) return `the default action (${file.defaultAction ?? 'deny'}): no rule holds`;
  return `rules[${rule}] (${decider.action} ${plain(shortened(JSON.stringify(decider.conditions ?? {})))})`;
}

const TEXT_MAX = 100;
const shortened = (text: string): string => (text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1)}…`);

function summary(terminal: Terminal, total: number, failures: number, notValid: number): string {
  const parts = [`${counted(total, 'case')}: ${total - failures} passed, ${failures} failed`];
  if (notValid > 0) parts.push(`${counted(notValid, 'file')} not valid`);
  return paint(terminal, failures > 0 || notValid > 0 ? 'red' : 'green', parts.join('; '));
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
