/** What the readers of `content import` find in their files: items as they would be sent, or what keeps one from being. */

export interface Entry {
  /** Where it is, for the report: `line 12`, `https://…`. */
  at: string;
  /** As for POST /v1/content/upsert; undefined when there is a fault. */
  item?: Record<string, unknown>;
  fault?: string;
}

export type Entries = AsyncGenerator<Entry[]>;

const TITLE_MAX = 500;
const TAG_MAX = 64;
const TAGS_MAX = 50;

/** Text of a feed as a title may be: one line, not too long. */
export function titleFrom(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= TITLE_MAX ? line : `${line.slice(0, TITLE_MAX - 1).trimEnd()}…`;
}

/** Categories of a feed as tags may be. */
export const tagsFrom = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.replaceAll(/\s+/g, ' ').trim().slice(0, TAG_MAX)))]
    .filter((tag) => tag !== '')
    .slice(0, TAGS_MAX);

/** A title for a page that has none: the end of its address, in words. */
export function titleOfUrl(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '');
  if (last === undefined) return hostname;
  let text = last;
  try {
    text = decodeURIComponent(last);
  } catch {
    // Not every address is valid percent-encoding; as it is, then.
  }
  return titleFrom(text.replace(/\.\w{1,5}$/, '').replaceAll(/[-_+]+/g, ' ')) || hostname;
}
