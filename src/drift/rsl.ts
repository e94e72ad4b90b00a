/** Compares a live license.xml with the intended one: which uses it permits, and at which price (RSL 1.0). */
import { SaxesParser } from 'saxes';
import type { PathPattern } from '../lib/url-pattern.ts';
import { inOneSpelling, matchesReadable, toPattern, toReadable } from '../signals/robots-reader.ts';
import { FORMATS, USE_WORDS, USES } from '../signals/words.ts';
import { type Difference, NOT_ALL, toDifference } from './difference.ts';
import { type Budget, compare, type Side } from './meaning.ts';

interface Content {
  text: string;
  pattern: PathPattern;
  /** Literal characters; of equally many, a whole path is narrower. */
  narrow: number;
  value: string;
}

const WORDS = USES.map((use) => USE_WORDS[use].rsl);
const DEPTH_MAX = 20;
/** Characters that are read between two turns of the event loop. */
const PIECE = 65_536;

/** Throws for a text that is no RSL. */
async function readContents(document: string, host: string, { slices }: Budget): Promise<Content[]> {
  const contents: Content[] = [];
  let open: Draft | undefined;
  const path: string[] = [];
  let characters = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (path.length === 0 && (local !== 'rsl' || uri !== FORMATS.rsl.namespace)) throw new Error('It is no RSL.');
    path.push(uri === FORMATS.rsl.namespace ? local : '');
    if (path.length > DEPTH_MAX) throw new Error('Its elements are nested too deeply.');
    characters = '';
    const valueOf = (name: string): string => attributes[name]?.value ?? '';
    if (path.join('/') === 'rsl/content') open = newDraft(valueOf('url'));
    else if (open !== undefined) open.begin(path.slice(2).join('/'), valueOf);
  });
  parser.on('text', (found) => {
    characters += found;
  });
  parser.on('closetag', () => {
    open?.end(path.slice(2).join('/'), characters.trim());
    characters = '';
    if (path.join('/') === 'rsl/content' && open !== undefined) {
      const text = inOneSpelling(pathOf(open.url, host));
      if (text !== '') contents.push(toContent(text, open.value()));
      open = undefined;
    }
    path.pop();
  });
  for (let at = 0; at < document.length; at += PIECE) {
    parser.write(document.slice(at, at + PIECE));
    await slices.next();
  }
  parser.close();
  return contents;
}

/** Returns an empty text for the address of another site. */
function pathOf(url: string, host: string): string {
  const [, authority, rest = '/'] = /^https?:\/\/([^/]*)(\/.*)?$/i.exec(url) ?? [];
  if (authority === undefined) return url.startsWith('/') ? url : '';
  return authority.toLowerCase() === host ? rest : '';
}

const toContent = (text: string, value: string): Content => ({
  text,
  pattern: toPattern(text),
  narrow: text.replaceAll(/[*$]/g, '').length + (text.endsWith('$') ? 0.5 : 0),
  value,
});

type Draft = ReturnType<typeof newDraft>;

/** Reads one `content`; of its licenses the first counts, as clients read it. */
function newDraft(url: string) {
  let licenses = 0;
  let type = '';
  let permits: string[] | undefined;
  let prohibits: string[] | undefined;
  let payment: string | undefined;
  const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
  return {
    url,
    begin(path: string, valueOf: (name: string) => string): void {
      if (path === 'license') licenses++;
      if (licenses !== 1) return;
      if (path === 'license/permits' || path === 'license/prohibits') type = valueOf('type');
      if (path === 'license/payment') payment = valueOf('type');
      if (path === 'license/payment/amount') payment += ` ${valueOf('currency')}`;
    },
    end(path: string, text: string): void {
      if (licenses !== 1) return;
      if (path === 'license/permits' && type === 'usage') permits = wordsOf(text);
      if (path === 'license/prohibits' && type === 'usage') prohibits = wordsOf(text);
      if (path === 'license/payment/amount') payment += ` ${text}`;
    },
    value(): string {
      const permitted = WORDS.filter((word) => (permits === undefined || has(permits, word)) && !has(prohibits, word));
      const price = payment === undefined || payment === 'free' ? '' : `, for ${payment}`;
      return permitted.length === 0 ? 'nothing' : permitted.join(' ') + price;
    },
  };
}

const has = (words: readonly string[] | undefined, word: string): boolean =>
  words !== undefined &&
  (words.includes(word) || words.includes('all') || (word.startsWith('ai-') && words.includes('ai-all')));

function toSide(contents: readonly Content[]): Side {
  const ranked = contents.toSorted((a, b) => b.narrow - a.narrow);
  return {
    rules: new Map(ranked.map(({ text, value }) => [`${text} ${value}`, { pattern: text }])),
    at(path) {
      const readable = toReadable(path);
      const first = ranked.find(({ pattern }) => matchesReadable(pattern, readable));
      if (first === undefined) return null;
      const values = ranked
        .filter(({ narrow, pattern }) => narrow === first.narrow && matchesReadable(pattern, readable))
        .map(({ value }) => value);
      return [...new Set(values)].toSorted().join('; or ');
    },
  };
}

const permittedIn = (value: string | null): string[] => (value ?? 'nothing').split(', for ')[0]?.split(' ') ?? [];

/** Throws for a live text that is no RSL. */
export async function compareRsl(
  { host, intended, live }: { host: string; intended: string; live: string },
  budget: Budget,
): Promise<Difference[]> {
  const one = toSide(await readContents(intended, host, budget));
  const other = toSide(await readContents(live, host, budget));
  const { differences, isCut } = await compare(one, other, { budget });
  const found = differences.map(({ pattern, intended: wanted, live: said }) => {
    const [ours, theirs] = [permittedIn(wanted), permittedIn(said)];
    const isOpen = theirs.some((word) => word !== 'nothing' && !ours.includes(word));
    const isClosed = ours.some((word) => word !== 'nothing' && !theirs.includes(word));
    return toDifference([], {
      about: pattern,
      intended: wanted,
      live: said,
      effect: isOpen ? 'opens' : isClosed ? 'closes' : 'other',
      message: `Readers of license.xml find permitted for ${pattern}: ${said ?? 'nothing'}; the policies permit: ${wanted ?? 'nothing'}.`,
    });
  });
  return isCut ? [...found, NOT_ALL] : found;
}
