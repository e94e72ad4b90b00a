/** Reads files that the command line or a setting names; all commands refuse one in the same words. */

import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type CommandError, misused } from './outcome.ts';

const REASONS: Record<string, string> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  ENOTDIR: 'it is no folder',
};

/** Says why a file cannot be read, for the end of a sentence, without its name: a setting may hold a secret instead. */
export const whyUnread = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (REASONS[code] ?? code);
};

export const cannotRead = (file: string, error: unknown): CommandError =>
  misused(`Cannot read ${file}: ${whyUnread(error)}.`);

/** `shown`: what messages call it. Throws CommandError. */
export function readText(file: string, shown = file): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotRead(shown, error);
  }
}

/** Reads a file, or standard input for "-". Throws CommandError. */
export const readTextOrInput = (file: string): string => (file === '-' ? readFileSync(0, 'utf8') : readText(file));

/** Opens a file for reading it in parts. Throws CommandError. */
export async function openText(file: string): Promise<Readable> {
  const stream = createReadStream(file);
  // Not only opened: that also succeeds for a folder.
  await once(stream, 'readable').catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  return stream;
}
