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

/** Says why a file cannot be read, for the end of a sentence. */
export const reasonOf = (error: unknown): string =>
  REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;

export const cannotRead = (file: string, error: unknown): CommandError =>
  misused(`Cannot read ${file}: ${reasonOf(error)}.`);

/** Throws CommandError. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** Reads a file, or standard input for "-". Throws CommandError. */
export const readTextOrInput = (file: string): string => (file === '-' ? readFileSync(0, 'utf8') : readText(file));

/** Opens a file for reading it in parts. Throws CommandError. */
export async function openText(file: string): Promise<Readable> {
  const stream = createReadStream(file);
  await once(stream, 'open').catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  return stream;
}
