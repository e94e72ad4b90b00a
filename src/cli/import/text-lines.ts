/** Splits bytes into lines (LF or CRLF) of at most 1 MiB, one chunk at a time. Invalid UTF-8 is refused. */
import { misused } from '../outcome.ts';

/** Limit of a line or a record; the largest item needs about 100 KB. */
export const LINE_CHARS_MAX = 1 << 20;

export async function* textLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const text of texts(bytes)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw misused('The input has a line of more than 1 MiB; an item needs far less.');
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

/** Decodes text and drops a byte order mark. Throws when the bytes are invalid in this encoding. */
export async function* texts(bytes: AsyncIterable<Uint8Array>, encoding = 'utf-8'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw misused(`The input is not valid ${encoding.toUpperCase()}; convert it first, for example with iconv.`);
    }
  };
  for await (const chunk of bytes) yield decoded(chunk);
  const last = decoded();
  if (last !== '') yield last;
}
