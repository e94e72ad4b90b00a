/**
 * Files of variables, such as the one that `postern init` writes. Node.js skips lines that it cannot read; here they
 * are refused.
 */
import { parseEnv } from 'node:util';
import { misused } from './outcome.ts';
import { readText } from './read-file.ts';

/**
 * Sets the variables of a file that the environment lacks. The environment wins, also where it names the key in the
 * other way than the file does. Throws CommandError, with the line and never its text: a line may hold a secret.
 */
export function loadEnvFile(file: string, env: NodeJS.ProcessEnv): void {
  const text = readText(file);
  const line = findFaultyLine(text.split(/\r?\n/));
  if (line !== undefined) throw misused(`Line ${line} of ${file} is not NAME=value. Mend it, or put # before it.`);
  const namesKey = env.POSTERN_KEY !== undefined || env.POSTERN_KEY_FILE !== undefined;
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (namesKey && (name === 'POSTERN_KEY' || name === 'POSTERN_KEY_FILE')) continue;
    env[name] ??= value;
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/;

/** Returns the number of the first line that is neither an assignment nor a part of one, blank or a comment. */
function findFaultyLine(lines: readonly string[]): number | undefined {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (/^\s*(#|$)/.test(line)) continue;
    const value = ASSIGNMENT.exec(line)?.[1];
    if (value === undefined) return at + 1;
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote === undefined || value.includes(quote, 1)) continue;
    // A value in quotes may have several lines.
    const end = lines.findIndex((one, i) => i > at && one.includes(quote));
    if (end === -1) return at + 1;
    at = end;
  }
  return undefined;
}
