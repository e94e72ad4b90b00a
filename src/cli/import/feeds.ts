/**
 * XML that lists pages: sitemaps (sitemaps.org 0.9, with the titles that news sitemaps carry), indexes of sitemaps, RSS 2.0
 * and 1.0, Atom (RFC 4287). A page is known by its address: that is its `source`, and its `externalId` too where the feed
 * has no id of its own. Entities a document declares are not expanded.
 */
import { createHash } from 'node:crypto';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { misused } from '../outcome.ts';
import { type Entries, type Entry, tagsFrom, titleFrom, titleOfUrl } from './entry.ts';
import { isAddress } from './source.ts';
import { texts } from './text-lines.ts';

/** The texts of one record, by the name of their element (and, for links, how they relate). */
type Texts = Map<string, string[]>;

interface Kind {
  /** The element that is a record. */
  record: string;
  entryOf(found: Texts): Entry;
}

/** By the name of the outermost element. */
const KINDS: Record<string, Kind> = {
  urlset: { record: 'url', entryOf: pageOf },
  rss: { record: 'item', entryOf: rssItemOf },
  'rdf:RDF': { record: 'item', entryOf: rssItemOf },
  feed: { record: 'entry', entryOf: atomEntryOf },
};

const SITEMAPS_MAX = 50_000;
const TEXT_CHARS_MAX = 1 << 20;

export type OpenBytes = (url: string) => Promise<AsyncIterable<Uint8Array>>;

/** `open` fetches what an index of sitemaps names. */
export async function* readFeed(bytes: AsyncIterable<Uint8Array>, head: Uint8Array, open: OpenBytes): Entries {
  const sitemaps: string[] = [];
  yield* records(bytes, head, sitemaps);
  for (const url of sitemaps) {
    const nested: string[] = [];
    const inner = await open(url);
    const begun = await firstOf(inner);
    yield* records(begun.bytes, begun.head, nested);
    if (nested.length > 0) throw misused(`${url} is an index inside an index, which sitemaps do not allow.`);
  }
}

async function firstOf(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; bytes: AsyncIterable<Uint8Array> }> {
  const all: Uint8Array[] = [];
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done !== true) all.push(first.value);
  return {
    head: all[0] ?? new Uint8Array(),
    bytes: (async function* () {
      yield* all;
      yield* { [Symbol.asyncIterator]: () => iterator };
    })(),
  };
}

async function* records(bytes: AsyncIterable<Uint8Array>, head: Uint8Array, sitemaps: string[]): Entries {
  let entries: Entry[] = [];
  const path: string[] = [];
  let kind: Kind | undefined;
  let record: Texts | undefined;
  let text = '';
  const parser = new SaxesParser();
  // What feeds in the wild use without declaring it.
  Object.assign(parser.ENTITIES, { nbsp: '\u00a0', mdash: '—', ndash: '–', hellip: '…', rsquo: '’', lsquo: '‘' });
  Object.assign(parser.ENTITIES, { ldquo: '“', rdquo: '”', copy: '©', eacute: 'é', auml: 'ä', ouml: 'ö', uuml: 'ü' });
  parser.on('error', (error) => {
    throw misused(`The XML is not well-formed: ${error.message}`);
  });
  const add = (name: string, value: string): void => {
    const before = record?.get(name);
    if (before === undefined) record?.set(name, [value]);
    else before.push(value);
  };
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    path.push(name);
    text = '';
    if (path.length === 1 && name !== 'sitemapindex') {
      kind = KINDS[name];
      if (kind === undefined)
        throw misused(`<${name}> is no sitemap and no feed; there are ${Object.keys(KINDS).join(', ')}.`);
    }
    if (name === kind?.record && record === undefined) record = new Map();
    else if (name === 'link' && attributes.href !== undefined)
      add(`link ${attributes.rel ?? 'alternate'}`, attributes.href);
    else if (name === 'category' && attributes.term !== undefined) add('category', attributes.label ?? attributes.term);
    else if (name === 'guid' && attributes.isPermaLink === 'false') add('guid is no link', 'yes');
  });
  const gather = (more: string): void => {
    if (text.length + more.length <= TEXT_CHARS_MAX) text += more;
  };
  parser.on('text', gather);
  parser.on('cdata', gather);
  parser.on('closetag', ({ name }) => {
    path.pop();
    if (record !== undefined && name === kind?.record && path.at(-1) !== name) {
      entries.push(kind.entryOf(record));
      record = undefined;
    } else if (record !== undefined) add(name, text.trim());
    else if (path.at(-1) === 'sitemap' && name === 'loc') {
      if (!isAddress(text.trim())) throw misused(`The index names a sitemap "${text.trim()}", which is no address.`);
      sitemaps.push(text.trim());
      if (sitemaps.length > SITEMAPS_MAX) throw misused('The index names more than 50,000 sitemaps.');
    }
    text = '';
  });
  for await (const chunk of texts(bytes, encodingOf(head))) {
    parser.write(chunk);
    yield entries;
    entries = [];
  }
  parser.close();
  yield entries;
}

/** As the XML declaration says. */
function encodingOf(head: Uint8Array): string {
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(
    Buffer.from(head.subarray(0, 200)).toString('latin1'),
  );
  const name = declared?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw misused(`The XML is encoded as ${name}, which is not known here; convert it to UTF-8 first.`);
  }
}

const EXTERNAL_ID_MAX = 255;

/** An id that is too long becomes its digest, so that it stays one and the same. */
const externalIdOf = (id: string): string =>
  id.length <= EXTERNAL_ID_MAX ? id : `sha256:${createHash('sha256').update(id).digest('hex')}`;

interface Page {
  id: string | undefined;
  url: string | undefined;
  title: string | undefined;
  tags: readonly string[];
  /** Kept as metadata where it is said. */
  dates: Record<string, string | undefined>;
}

function entry({ id, url, title, tags, dates }: Page): Entry {
  const at = url ?? id ?? 'a record without an address';
  if (url === undefined || !isAddress(url) || !URL.canParse(url)) return { at, fault: 'has no http(s) address' };
  const metadata = Object.fromEntries(Object.entries(dates).filter(([, text]) => text !== undefined && text !== ''));
  const named = titleFrom(title ?? '');
  return {
    at,
    item: {
      externalId: externalIdOf(id === undefined || id === '' ? url : id),
      title: named === '' ? titleOfUrl(url) : named,
      source: url,
      ...(tags.length > 0 ? { tags: tagsFrom(tags) } : {}),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    },
  };
}

const first = (found: Texts, ...names: string[]): string | undefined =>
  names.map((name) => found.get(name)?.[0]).find((text) => text !== undefined && text !== '');

function pageOf(found: Texts): Entry {
  const url = first(found, 'loc');
  const title = first(found, 'news:title', 'video:title');
  return entry({ id: undefined, url, title, tags: [], dates: { lastmod: first(found, 'lastmod') } });
}

function rssItemOf(found: Texts): Entry {
  const guid = first(found, 'guid', 'dc:identifier');
  const permanent = guid !== undefined && isAddress(guid) && !found.has('guid is no link') ? guid : undefined;
  const dates = { published: first(found, 'pubDate', 'dc:date') };
  const title = first(found, 'title', 'dc:title');
  return entry({ id: guid, url: first(found, 'link') ?? permanent, title, tags: found.get('category') ?? [], dates });
}

function atomEntryOf(found: Texts): Entry {
  const dates = { published: first(found, 'published'), updated: first(found, 'updated') };
  const tags = (found.get('category') ?? []).filter((tag) => tag !== '');
  return entry({
    id: first(found, 'id'),
    url: first(found, 'link alternate'),
    title: first(found, 'title'),
    tags,
    dates,
  });
}
