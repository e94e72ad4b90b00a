/** Writes long data to stdout or to a file, waiting for slow readers and disks. */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { BYTE_ORDER_MARK } from '../lib/csv-cell.ts';
import { misused } from './outcome.ts';
import type { Terminal } from './terminal.ts';

export interface Output {
  write(chunk: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Opens the file, or stdout without one. */
export function openOutput(terminal: Terminal, file: string | undefined): Output {
  if (file !== undefined) return openFile(file);
  const decoder = new TextDecoder();
  const toText = (chunk: string | Uint8Array): string =>
    typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return { write: (chunk) => terminal.out(toText(chunk)), end: async () => {} };
}

/** The same for CSV: a file is for a spreadsheet, so it begins with a byte order mark; a pipe is for a program. */
export async function openCsv(terminal: Terminal, file: string | undefined): Promise<Output> {
  const output = openOutput(terminal, file);
  if (file !== undefined || terminal.toFile) await output.write(BYTE_ORDER_MARK);
  return output;
}

/** A failure is thrown by the next `write` or `end`. */
export function openFile(file: string, flags: 'w' | 'a' = 'w'): Output {
  const stream: WriteStream = createWriteStream(file, { flags });
  let fault: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    fault = error;
  });
  const check = (): void => {
    if (fault !== undefined) throw misused(`Cannot write ${file} (${fault.code}).`);
  };
  return {
    async write(chunk) {
      check();
      if (!stream.write(chunk)) await once(stream, 'drain').catch(check);
    },
    async end() {
      await new Promise<void>((done) => stream.end(() => done()));
      check();
    },
  };
}
