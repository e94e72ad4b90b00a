/** Shared parts of every command: the context, the declaration, arguments, and help that begins with examples. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { Postern } from '../../client/src/client.ts';
import { invocation } from '../lib/invocation.ts';
import { connect } from './connection.ts';
import { type ExitStatus, misused } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command. */
export interface Common {
  url?: string;
  json?: boolean;
  envFile?: string;
}

export interface CommandContext {
  terminal: Terminal;
  /** Runs the service until it is stopped; the process ends with it. */
  serve(): Promise<unknown>;
  /** Records the exit status. */
  ended(status: ExitStatus): void;
}

interface Connected {
  terminal: Terminal;
  postern: Postern;
}

/** Returns the exit status; nothing for 0. */
type Work<Before extends unknown[]> = (...given: [...Before, ...args: string[]]) => Promise<ExitStatus | void>;

/** Sets what a command does. `work` gets the options, then the arguments. */
export function does<Options = object>(
  command: Command,
  { ended }: CommandContext,
  work: Work<[options: Options & Common]>,
): Command {
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).flat() as string[];
    ended((await work(command.optsWithGlobals(), ...args)) ?? 0);
  });
}

/** The same for a command that calls the service: `work` gets the connection first. */
export function calls<Options = object>(
  command: Command,
  context: CommandContext,
  work: Work<[Connected, options: Options & Common]>,
): Command {
  const { terminal } = context;
  return does<Options>(command, context, async (options, ...args) =>
    work({ terminal, postern: await connect(terminal, options) }, options, ...args),
  );
}

/** Adds examples at the top of the command's help; `$` begins a line to type, in which `postern` is the command. */
export function examples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('before', () => {
    const name = invocation();
    const shown = lines.map((line) => `  ${line.replaceAll(/(?<![\w/-])postern(?= )/g, () => name)}\n`);
    return `Examples:\n${shown.join('')}`;
  });
}

/** Collects the values of an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** The id of a record, as part of a URL's path. */
export const idArgument = (description?: string): Argument => new Argument('<id>', description).argParser(toId);

export function toId(text: string): string {
  if (['', '.', '..'].includes(text)) throw new InvalidArgumentError('It is not an id.');
  return text;
}

export function toWholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw misused(`${option} must be a whole number from 1, not "${text}".`);
  return Number(text);
}

/** Throws when an edit changes no field. */
export function requireFields(fields: object): void {
  if (Object.values(fields).every((value) => value === undefined)) {
    throw misused('Name at least one field to change; see --help.');
  }
}
