/** Reads policy files from disk and reports all their faults. */
import { readFile, realpath } from 'node:fs/promises';
import { dirname, extname, relative, sep } from 'node:path';
import type { Problem } from '../../lib/refined.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import { whyUnread } from '../read-file.ts';
import { type Terminal } from '../terminal.ts';
import { type PolicyFile, readPolicyFile } from './policy-file.ts';

/** Returns undefined after reporting an invalid file on stderr. */
export async function loadPolicyFile(terminal: Terminal, path: string): Promise<PolicyFile | undefined> {
  let bytes: Buffer;
  try {
    if (await linksOutside(path)) {
      const message = 'The file is a link to another folder; name the file itself.';
      reportInvalid(terminal, path, [{ param: null, message }]);
      return undefined;
    }
    bytes = await readFile(path);
  } catch (error) {
    reportInvalid(terminal, path, [{ param: null, message: `Cannot read the file: ${whyUnread(error)}.` }]);
    return undefined;
  }
  const { file, problems } = readPolicyFile(bytes, extname(path).toLowerCase() === '.json' ? 'json' : 'yaml');
  if (problems !== null) reportInvalid(terminal, path, problems);
  return file ?? undefined;
}

/** A link in a pull request must not make a CI job print other files of the machine. */
async function linksOutside(path: string): Promise<boolean> {
  const [real, ...homes] = await Promise.all([path, dirname(path), '.'].map((target) => realpath(target)));
  const isBelow = (home: string): boolean => {
    const target = relative(home, real as string);
    return target !== '..' && !target.startsWith(`..${sep}`);
  };
  return !homes.some(isBelow);
}

function reportInvalid(terminal: Terminal, path: string, problems: readonly Problem[]): void {
  const lines = problems.map(({ message }) => `  ${plain(message)}`);
  terminal.err(`${paint(terminal, 'red', '✗')} ${plain(path)} is not a valid policy file\n${lines.join('\n')}\n\n`);
}
