/** Questions to somebody at a terminal, on stderr, so that stdout stays data. Ctrl-C ends the command with 130. */
import { confirm, isCancel, password } from '@clack/prompts';
import { CommandError, EXIT, misused } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** The answer; ends the command when there was none. */
export function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new CommandError(EXIT.interrupted, 'Nothing was done.');
  return answer as Exclude<T, symbol>;
}

export async function askSecret({ interactive }: Terminal, message: string): Promise<string> {
  if (!interactive) throw misused(`${message}: nobody is here to be asked.`);
  const output = process.stderr;
  return answered(await password({ message, output, validate: (text) => (text ? undefined : 'Enter the key.') }));
}

/** True when it may be done. Without a terminal only `yes` says so. */
export async function agreed({ interactive }: Terminal, message: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true) return true;
  if (!interactive) throw misused('Nobody is here to be asked: say --yes to do it without a question.');
  return answered(await confirm({ message, initialValue: false, output: process.stderr }));
}
