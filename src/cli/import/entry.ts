/** An entry of an import's input: an item as it would be sent, or the reason why there is none. */
import { createHash } from 'node:crypto';
import { isAddress } from './source.ts';

export interface ImportEntry {
  /** Position in the input, for reports: `line 12`, `https://…`. */
  at: string;
  /** The body for POST /v1/content/upsert; undefined if it could not be read. */
  item?: Record<string, unknown>;
  /** The reason why it is not sent. */
  fault?: string;
}

export type Entries = AsyncGenerator<ImportEntry[]>;

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

const EXTERNAL_ID_MAX = 255;

/** Replaces an id that is too long by its digest, so that imports keep finding the same item. */
const toExternalId = (id: string): string =>
  id.length <= EXTERNAL_ID_MAX ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`;

export interface ImportedPage {
  id: string | undefined;
  url: string | undefined;
  title: string | undefined;
  tags: readonly string[];
  /** Dates that become metadata. */
  dates: Record<string, string | undefined>;
}

/** Makes an item of a page. Its address is its `source`, and its `externalId` where it has no id. */
export function toImportEntry({ id, url, title, tags, dates }: ImportedPage): ImportEntry {
  const at = url ?? id ?? 'a record without an address';
  if (url === undefined || !isAddress(url) || !URL.canParse(url)) return { at, fault: 'has no http(s) address' };
  const metadata = Object.fromEntries(Object.entries(dates).filter(([, text]) => text !== undefined && text !== ''));
  const named = toTitle(title ?? '');
  return {
    at,
    item: {
      externalId: toExternalId(id === undefined || id === '' ? url : id),
      title: named === '' ? titleFromUrl(url) : named,
      source: url,
      ...(tags.length > 0 ? { tags: toTags(tags) } : {}),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    },
  };
}
