/** Bytes as lines: UTF-8 or refused, LF or CRLF, one chunk in memory at a time, lines of up to 16 MiB. */
import { misused } from '../outcome.ts';

const LINE_CHARS_MAX = 16 << 20;

export async function* textLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const text of texts(bytes)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw misused('The input has a line of more than 16 MiB.');
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [rest];
}

/** Throws what to do when the bytes are no text. A byte order mark is dropped. */
export async function* texts(bytes: AsyncIterable<Uint8Array>, encoding = 'utf-8'): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
    const last = decoder.decode();
    if (last !== '') yield last;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw misused(`The input is not valid ${encoding.toUpperCase()}; convert it first, for example with iconv.`);
  }
}
