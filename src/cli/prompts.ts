/** Prompts at a terminal, on stderr, so that stdout stays data. Ctrl-C ends the command with 130. */
import { confirm, isCancel, password } from '@clack/prompts';
import { CommandError, EXIT, misused } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** Returns the answer. Ends the command when the prompt was canceled. */
export function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new CommandError(EXIT.interrupted, 'Canceled; nothing was changed.');
  return answer as Exclude<T, symbol>;
}

export async function promptForSecret({ interactive }: Terminal, message: string): Promise<string> {
  if (!interactive) throw misused(`${message}: not a terminal, so it cannot be typed.`);
  const output = process.stderr;
  return answered(await password({ message, output, validate: (text) => (text ? undefined : 'Enter the key.') }));
}

/** Returns true after `--yes` or a confirmation. Without a terminal, only `--yes` confirms. */
export async function confirmed(
  { interactive }: Terminal,
  message: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (yes === true) return true;
  if (!interactive) throw misused('Not a terminal; pass --yes to skip the confirmation.');
  return answered(await confirm({ message, initialValue: false, output: process.stderr }));
}
