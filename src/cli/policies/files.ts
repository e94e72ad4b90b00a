/** Policy files on disk: read, or everything that is wrong with them said. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type PolicyFile, readPolicyFile } from '../../access/policy-file.ts';
import type { Problem } from '../../errors.ts';
import { paint, plain, type Terminal } from '../terminal.ts';

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is none of this name',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
};

/** Undefined when the file is not a valid policy file; what is wrong with it has been said on stderr. */
export async function loadPolicyFile(terminal: Terminal, path: string): Promise<PolicyFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const reason = UNREADABLE[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;
    sayNotValid(terminal, path, [{ param: null, message: `The file cannot be read: ${reason}.` }]);
    return undefined;
  }
  const { file, problems } = readPolicyFile(bytes, extname(path).toLowerCase() === '.json' ? 'json' : 'yaml');
  if (problems !== null) sayNotValid(terminal, path, problems);
  return file ?? undefined;
}

function sayNotValid(terminal: Terminal, path: string, problems: readonly Problem[]): void {
  const lines = problems.map(({ message }) => `  ${plain(message)}`);
  terminal.err(`${paint(terminal, 'red', '✗')} ${plain(path)} is not a valid policy file\n${lines.join('\n')}\n\n`);
}
