/** Reports failed entries: the first ones on stderr, all of them in the file of --failures. */

import { plain } from '../../lib/terminal-text.ts';
import { type Output, openFile } from '../output.ts';
import { type Terminal } from '../terminal.ts';
import type { Failed } from './send.ts';

const SHOWN_MAX = 10;

export interface Failures {
  add(failed: Failed): Promise<void>;
  end(): Promise<void>;
}

/** A resumed import appends to the file. The file is created with the first failure. */
export function openFailures(terminal: Terminal, file: string | undefined, resumed: boolean): Failures {
  let output: Output | undefined;
  let count = 0;
  return {
    async add(failed) {
      count++;
      if (count <= SHOWN_MAX) terminal.err(`✗ ${plain(failed.at)}: ${plain(failed.message)}\n`);
      if (file === undefined) return;
      output ??= openFile(file, resumed ? 'a' : 'w');
      await output.write(`${JSON.stringify(failed)}\n`);
    },
    async end() {
      if (count > SHOWN_MAX) {
        const where = file === undefined ? 'pass --failures <file> to get them all' : `${file} has them all`;
        terminal.err(`… and ${count - SHOWN_MAX} more; ${where}\n`);
      }
      await output?.end();
    },
  };
}
