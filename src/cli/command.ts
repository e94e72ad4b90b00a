/** What every command has in common: its context, how it is declared, and how its help looks (examples first). */
import type { Command } from 'commander';
import type { ExitStatus } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command takes. */
export interface Common {
  url?: string;
  json?: boolean;
  envFile?: string;
}

export interface Context {
  terminal: Terminal;
  /** Runs the service until it is told to stop; the process ends with it. */
  serve(): Promise<unknown>;
  /** What the command ended with. */
  ended(status: ExitStatus): void;
}

type Work<Options> = (options: Options & Common, ...args: string[]) => Promise<ExitStatus | undefined>;

/**
 * Makes `work` what the command does. It is given the options first, then the arguments, the last of them perhaps a list
 * spread out; it returns the exit status, undefined for 0.
 */
export function does<Options = object>(command: Command, { ended }: Context, work: Work<Options>): Command {
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2).flat() as string[];
    ended((await work(command.optsWithGlobals(), ...args)) ?? 0);
  });
}

/** Shown before everything else in the command's help; `$` begins a line to type. */
export function examples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('before', `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
}

/** Of an option that may be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];
