/** Reads a sitemap that is text (sitemaps.org): the address of a page on each line. */
import { type Entries, type ImportEntry, toImportEntry } from './entry.ts';
import { isAddress } from './source.ts';
import { textLines } from './text-lines.ts';

/** Returns whether the first line is an address, and nothing else. */
export const isTextSitemap = (head: Uint8Array): boolean => /^\s*https?:\/\/[^\s,;]+\s*$/im.test(firstLine(head));

const firstLine = (head: Uint8Array): string =>
  new TextDecoder()
    .decode(head.subarray(0, 4096))
    .trimStart()
    .split(/[\r\n]/, 1)[0] ?? '';

/** Reads a sitemap that is text: an address on each line. */
export async function* readTextSitemap(bytes: AsyncIterable<Uint8Array>): Entries {
  let line = 0;
  for await (const lines of textLines(bytes)) {
    const entries: ImportEntry[] = [];
    for (const text of lines) {
      line++;
      const url = text.trim();
      if (isAddress(url)) entries.push(toImportEntry({ id: undefined, url, title: undefined, tags: [], dates: {} }));
      else if (url !== '') entries.push({ at: `line ${line}`, fault: 'not an http(s) address' });
    }
    yield entries;
  }
}
