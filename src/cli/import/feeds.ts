/**
 * Reads what lists pages: sitemaps (sitemaps.org 0.9, with the titles of news sitemaps; as XML or text), sitemap
 * indexes, RSS 2.0 and 1.0, and Atom (RFC 4287). A page's address is its `source`, and its `externalId` where the feed
 * has no id. Entities that a document declares are not expanded.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { CommandError, misused } from '../outcome.ts';
import { type Entries, type ImportEntry, toImportEntry } from './entry.ts';
import { isAddress, peek } from './source.ts';
import { texts } from './text-lines.ts';
import { isTextSitemap, readTextSitemap } from './text-sitemap.ts';
import { XmlNames } from './xml-names.ts';

/** The texts of one record by the name of their element; links also by their relation. */
type Texts = Map<string, string[]>;

interface Kind {
  /** Name of the element that is a record. */
  record: string;
  toEntry(found: Texts): ImportEntry;
}

/** Kinds of documents by the name of their root element. */
const KINDS: Record<string, Kind> = {
  urlset: { record: 'url', toEntry: pageToEntry },
  rss: { record: 'item', toEntry: rssToEntry },
  'rdf:RDF': { record: 'item', toEntry: rssToEntry },
  feed: { record: 'entry', toEntry: atomToEntry },
};

/** Documents that can list all pages of a site. */
const COMPLETE: ReadonlySet<string> = new Set(['urlset', 'sitemapindex']);

const SITEMAPS_MAX = 50_000;
const TEXT_CHARS_MAX = 1 << 20;
/** Limit of a tag, a comment or a text, which the parser buffers until it ends. */
const PIECE_CHARS_MAX = 4 << 20;
const DEPTH_MAX = 100;
const TEXTS_PER_RECORD_MAX = 10_000;

export type OpenBytes = (url: string) => Promise<AsyncIterable<Uint8Array>>;

interface FeedInput {
  bytes: AsyncIterable<Uint8Array>;
  head: Uint8Array;
  /** Fetches the sitemaps of an index. */
  open: OpenBytes;
  /** Refuses documents that list only recent pages: feeds and news sitemaps. */
  complete?: boolean;
}

/** Yields the entries of a document, and those of the sitemaps that it names. A faulty one of these is named. */
export async function* readFeed({ bytes, head, open, complete = false }: FeedInput): Entries {
  const reader = new FeedReader(complete);
  yield* reader.read(bytes, head);
  for (const url of reader.sitemaps) {
    try {
      yield* readSitemap(await peek(await open(url)), complete);
    } catch (error) {
      throw error instanceof CommandError && !error.message.includes(url)
        ? new CommandError(error.status, `${url}: ${error.message}`, { cause: error })
        : error;
    }
  }
}

async function* readSitemap({ bytes, head }: Pick<FeedInput, 'bytes' | 'head'>, complete: boolean): Entries {
  if (isTextSitemap(head)) {
    yield* readTextSitemap(bytes);
    return;
  }
  const nested = new FeedReader(complete);
  yield* nested.read(bytes, head);
  if (nested.sitemaps.length > 0) throw misused('It is an index inside an index, which sitemaps do not allow.');
}

/** Entities that feeds use without declaring them. */
const ENTITIES = {
  nbsp: '\u00a0',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  copy: '©',
  eacute: 'é',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
};

class FeedReader {
  /** The addresses of a sitemap index. */
  readonly sitemaps: string[] = [];
  readonly #parser = new SaxesParser();
  readonly #names = new XmlNames();
  readonly #path: string[] = [];
  #entries: ImportEntry[] = [];
  #kind: Kind | undefined;
  /** The texts of the open record, and their number. */
  #record: Texts | undefined;
  #found = 0;
  #text = '';
  #tags = 0;
  readonly #complete: boolean;

  constructor(complete: boolean) {
    this.#complete = complete;
    Object.assign(this.#parser.ENTITIES, ENTITIES);
    this.#parser.on('error', (error) => {
      throw misused(`The XML is not well-formed: ${error.message}`);
    });
    const gather = (more: string): void => {
      if (this.#text.length + more.length <= TEXT_CHARS_MAX) this.#text += more;
    };
    this.#parser.on('text', gather);
    this.#parser.on('cdata', gather);
    this.#parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
      this.#names.declare(name, attributes);
      this.#open({ name: this.#names.of(name), attributes });
    });
    this.#parser.on('closetag', ({ name }) => this.#close(this.#names.of(name)));
  }

  async *read(bytes: AsyncIterable<Uint8Array>, head: Uint8Array): Entries {
    let sinceTag = 0;
    for await (const chunk of texts(bytes, detectEncoding(head))) {
      const before = this.#tags;
      this.#parser.write(chunk);
      sinceTag = this.#tags === before ? sinceTag + chunk.length : 0;
      if (sinceTag > PIECE_CHARS_MAX) throw misused('The XML has a tag, comment or text of more than 4 MiB.');
      yield this.#take();
    }
    this.#parser.close();
    yield this.#take();
  }

  #take(): ImportEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  #open({ name, attributes }: Pick<SaxesTagPlain, 'name' | 'attributes'>): void {
    this.#tags++;
    this.#path.push(name);
    this.#text = '';
    if (this.#path.length > DEPTH_MAX) throw misused(`The XML is nested more than ${DEPTH_MAX} levels deep.`);
    if (this.#path.length === 1 && name !== 'sitemapindex') this.#kind = getKind(name);
    if (this.#complete && (name.startsWith('news:') || (this.#path.length === 1 && !COMPLETE.has(name)))) {
      throw misused('--archive-missing takes whole catalogs; feeds and news sitemaps list only recent pages.');
    }
    if (name === this.#kind?.record && this.#record === undefined) {
      this.#record = new Map();
      this.#found = 0;
      return;
    }
    this.#addAttributes(name, attributes);
  }

  #addAttributes(
    name: string,
    { href, rel = 'alternate', term, label, isPermaLink }: SaxesTagPlain['attributes'],
  ): void {
    if (name === 'link' && href !== undefined) this.#add(`link ${rel}`, href);
    else if (name === 'category' && term !== undefined) this.#add('category', label ?? term);
    else if (name === 'guid' && isPermaLink === 'false') this.#add('guid is not a link', 'yes');
  }

  #close(name: string): void {
    this.#tags++;
    this.#path.pop();
    const parent = this.#path.at(-1);
    const text = this.#text.trim();
    this.#text = '';
    if (this.#record !== undefined && name === this.#kind?.record && parent !== name) {
      this.#entries.push(this.#kind.toEntry(this.#record));
      this.#record = undefined;
    } else if (this.#record !== undefined) this.#add(name, text);
    else if (parent === 'sitemap' && name === 'loc') this.#addSitemap(text);
  }

  #add(name: string, value: string): void {
    if (++this.#found > TEXTS_PER_RECORD_MAX) {
      throw misused(`A record of the XML has more than ${TEXTS_PER_RECORD_MAX} elements.`);
    }
    const before = this.#record?.get(name);
    if (before === undefined) this.#record?.set(name, [value]);
    else before.push(value);
  }

  #addSitemap(url: string): void {
    if (!isAddress(url)) throw misused(`The index names a sitemap "${url}", which is not an address.`);
    this.sitemaps.push(url);
    if (this.sitemaps.length > SITEMAPS_MAX) throw misused('The index names more than 50,000 sitemaps.');
  }
}

function getKind(root: string): Kind {
  const kind = Object.hasOwn(KINDS, root) ? KINDS[root] : undefined;
  if (kind !== undefined) return kind;
  throw misused(`<${root}> is neither a sitemap nor a feed; known roots: ${Object.keys(KINDS).join(', ')}.`);
}

/** Returns the encoding that the XML declaration names; UTF-8 without one. */
function detectEncoding(head: Uint8Array): string {
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(
    Buffer.from(head.subarray(0, 200)).toString('latin1'),
  );
  const name = declared?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw misused(`The XML is encoded as ${name}, which is not supported; convert it to UTF-8 first.`);
  }
}

const first = (found: Texts, ...names: string[]): string | undefined =>
  names.map((name) => found.get(name)?.[0]).find((text) => text !== undefined && text !== '');

function pageToEntry(found: Texts): ImportEntry {
  const url = first(found, 'loc');
  const title = first(found, 'news:title', 'video:title');
  return toImportEntry({ id: undefined, url, title, tags: [], dates: { lastmod: first(found, 'lastmod') } });
}

function rssToEntry(found: Texts): ImportEntry {
  const guid = first(found, 'guid', 'dc:identifier');
  const permanent = guid !== undefined && isAddress(guid) && !found.has('guid is not a link') ? guid : undefined;
  const dates = { published: first(found, 'pubDate', 'dc:date') };
  const title = first(found, 'title', 'dc:title');
  return toImportEntry({
    id: guid,
    url: first(found, 'link') ?? permanent,
    title,
    tags: found.get('category') ?? [],
    dates,
  });
}

function atomToEntry(found: Texts): ImportEntry {
  const dates = { published: first(found, 'published'), updated: first(found, 'updated') };
  const tags = (found.get('category') ?? []).filter((tag) => tag !== '');
  return toImportEntry({
    id: first(found, 'id'),
    url: first(found, 'link alternate'),
    title: first(found, 'title'),
    tags,
    dates,
  });
}
