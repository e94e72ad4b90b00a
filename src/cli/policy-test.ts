/**
 * `npm run policy-test -- file…`: runs the cases of policy files and prints what came of each. Ends with 0 when all of them
 * passed, with 1 when one did not, and with 2 when a file cannot be read or is not valid; the other files are run all the
 * same. No service is needed, and none is asked.
 */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { type CaseResult, type Difference, runCases } from '../access/policy-cases.ts';
import { type PolicyFile, readPolicyFile } from '../access/policy-file.ts';
import type { Problem } from '../errors.ts';

/** Where a command writes to and what it knows of the world. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  colour: boolean;
  now(): number;
}

const PASSED = 0;
const FAILED = 1;
const NOT_VALID = 2;

const USAGE = `Usage: npm run policy-test -- file…

Runs the cases of policy files, JSON (.json) or YAML. Ends with 0 when all passed, with 1 when one did not, with 2 when a
file is not valid. How a file is written: docs/policy-tests.md
`;

/** The exit status. */
export async function policyTest(args: readonly string[], terminal: Terminal): Promise<number> {
  const paths = pathsOf(args, terminal);
  if (typeof paths === 'number') return paths;
  const results: CaseResult[] = [];
  let notValid = 0;
  for (const path of paths) {
    const ran = await runFile(path, terminal);
    if (ran === undefined) notValid++;
    else results.push(...ran);
  }
  const failed = results.filter(({ passed }) => !passed).length;
  terminal.out(`${summary(results.length, failed, notValid, terminal)}\n`);
  if (notValid > 0) return NOT_VALID;
  return failed > 0 ? FAILED : PASSED;
}

/** The files named, or the exit status when there is nothing to run. */
function pathsOf(args: readonly string[], { out, err }: Terminal): string[] | number {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values.help === true) {
      out(USAGE);
      return PASSED;
    }
    if (positionals.length > 0) return positionals;
    err(USAGE);
  } catch (error) {
    err(`${plain((error as Error).message)}\n\n${USAGE}`);
  }
  return NOT_VALID;
}

/** Undefined when the file cannot be run; what is wrong with it has been said. */
async function runFile(path: string, terminal: Terminal): Promise<CaseResult[] | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const reason = UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;
    sayNotValid(path, [{ param: null, message: `The file cannot be read: ${reason}.` }], terminal);
    return undefined;
  }
  const { file, problems } = readPolicyFile(bytes, extname(path).toLowerCase() === '.json' ? 'json' : 'yaml');
  if (problems !== null) {
    sayNotValid(path, problems, terminal);
    return undefined;
  }
  const results = runCases(file, terminal.now());
  const lines = results.flatMap((result) => linesOf(file, result, terminal));
  if (results.length === 0) lines.push('  no cases');
  terminal.out(`${plain(path)}: ${plain(file.name)}\n${lines.join('\n')}\n\n`);
  return results;
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is none of this name',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
};

function sayNotValid(path: string, problems: readonly Problem[], { err, colour }: Terminal): void {
  const lines = problems.map(({ message }) => `  ${plain(message)}`);
  err(`${paint('red', '✗', colour)} ${plain(path)} is not a valid policy file\n${lines.join('\n')}\n\n`);
}

function linesOf(file: PolicyFile, { name, passed, outcome, differences }: CaseResult, { colour }: Terminal): string[] {
  if (passed) return [`  ${paint('green', '✓', colour)} ${plain(name)}`];
  return [
    `  ${paint('red', '✗', colour)} ${plain(name)}`,
    ...differences.map(
      ({ field, expected, actual }) => `      ${field}: expected ${shown(expected)}, got ${shown(actual)}`,
    ),
    `      decided by ${deciderOf(file, outcome)}`,
  ];
}

function shown(value: Difference['actual']): string {
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

function summary(total: number, failed: number, notValid: number, { colour }: Terminal): string {
  const parts = [`${counted(total, 'case')}: ${total - failed} passed, ${failed} failed`];
  if (notValid > 0) parts.push(`${counted(notValid, 'file')} not valid`);
  return paint(failed > 0 || notValid > 0 ? 'red' : 'green', parts.join('; '), colour);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const paint = (as: 'red' | 'green', text: string, colour: boolean): string =>
  colour ? styleText(as, text, { validateStream: false }) : text;

/** What a file says must not command the terminal. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

if (import.meta.main) {
  const { stdout, stderr, env, argv } = process;
  process.exitCode = await policyTest(argv.slice(2), {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    colour: stdout.isTTY && (env.NO_COLOR ?? '') === '',
    now: Date.now,
  });
}
