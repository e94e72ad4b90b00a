/** An entry of an import's input: an item as it would be sent, or the reason why there is none. */

export interface Entry {
  /** Position in the input, for reports: `line 12`, `https://…`. */
  at: string;
  /** The body for POST /v1/content/upsert; undefined when there is a fault. */
  item?: Record<string, unknown>;
  fault?: string;
}

export type Entries = AsyncGenerator<Entry[]>;

const TITLE_MAX = 500;
const TAG_MAX = 64;
const TAGS_MAX = 50;

/** Turns a feed's text into a valid title: one line of limited length. */
export function toTitle(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= TITLE_MAX ? line : `${line.slice(0, TITLE_MAX - 1).trimEnd()}…`;
}

/** Turns a feed's categories into valid tags. */
export const toTags = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.replaceAll(/\s+/g, ' ').trim().slice(0, TAG_MAX)))]
    .filter((tag) => tag !== '')
    .slice(0, TAGS_MAX);

/** Makes a title for a page without one, from the last part of its address. */
export function titleFromUrl(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '');
  if (last === undefined) return hostname;
  let text = last;
  try {
    text = decodeURIComponent(last);
  } catch {
    // Invalid percent-encoding stays as it is.
  }
  return toTitle(text.replace(/\.\w{1,5}$/, '').replaceAll(/[-_+]+/g, ' ')) || hostname;
}
