/** A file beside the input, `<input>.import`, that records how far an import got, so that --resume continues there. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError, EXIT, misused } from '../outcome.ts';
import type { ImportTally } from './send.ts';
import type { ImportSource } from './source.ts';

export interface Checkpoint {
  /** Entries that an earlier run finished, from the beginning of the input. */
  done: number;
  tally: ImportTally;
  resumable: boolean;
  save(done: number, tally: ImportTally): void;
  remove(): void;
}

const NOTHING: ImportTally = { created: 0, updated: 0, unchanged: 0, failed: 0 };

/** Throws when there is nothing to resume, or the input has changed since. */
export function openCheckpoint(
  { name, version }: ImportSource,
  { resume, dryRun }: { resume?: boolean; dryRun?: boolean },
): Checkpoint {
  if (version === undefined || dryRun === true) {
    if (resume === true) throw misused('Only an import of a file can be resumed; download the input first.');
    return { done: 0, tally: NOTHING, resumable: false, save: () => {}, remove: () => {} };
  }
  const file = `${name}.import`;
  const reached = resume === true ? read(file, name, version) : { done: 0, tally: NOTHING };
  return {
    ...reached,
    resumable: true,
    save(done, tally) {
      writeFileSync(`${file}.new`, JSON.stringify({ of: version, done, ...tally }));
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

function read(file: string, input: string, version: string): { done: number; tally: ImportTally } {
  if (!existsSync(file)) {
    throw misused(`There is no ${file}: no import of this file was interrupted. Run it without --resume.`);
  }
  try {
    const { of, done, ...tally } = JSON.parse(readFileSync(file, 'utf8')) as ImportTally & { of: string; done: number };
    if (of === version) return { done, tally: { ...NOTHING, ...tally } };
  } catch (error) {
    throw new CommandError(EXIT.usage, `Cannot read ${file}; remove it and start again.`, { cause: error });
  }
  throw misused(`${input} has changed since the import was interrupted; remove ${file} and start again.`);
}
