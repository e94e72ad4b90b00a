/**
 * Reads license.xml (RSL 1.0): which uses each path permits, and at which price. Knows nothing of how Postern writes
 * the file: it reads any site's.
 */
import { SaxesParser } from 'saxes';
import type { Slices } from '../../lib/slices.ts';
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import { byLiterals } from '../robots/ranking.ts';
import { inOneSpelling, matchesReadable, toPattern, toReadable } from '../robots/robots-reader.ts';
import { FORMATS, USE_WORDS, USES } from '../table/words.ts';

export interface RslContent extends RslLicense {
  /** In one spelling. */
  readonly text: string;
  readonly pattern: PathPattern;
  /** Number of literal characters; ties go to the pattern that ends with `$`. */
  readonly narrow: number;
}

export interface RslLicense {
  readonly permitted: readonly string[];
  /** Type, currency and amount, such as `crawl USD 0.01`; null: free. */
  readonly payment: string | null;
}

const WORDS = USES.map((use) => USE_WORDS[use].rsl);
const DEPTH_MAX = 20;
/** Characters that are read between two turns of the event loop. */
const PIECE = 65_536;

/** Throws for a text that is no RSL. */
export async function readRsl(document: string, host: string, slices: Slices): Promise<RslContent[]> {
  const contents: RslContent[] = [];
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
      const text = inOneSpelling(toSitePath(open.url, host));
      if (text !== '') contents.push(toContent(text, open.license()));
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
function toSitePath(url: string, host: string): string {
  const [, authority, rest = '/'] = /^https?:\/\/([^/]*)(\/.*)?$/i.exec(url) ?? [];
  if (authority === undefined) return url.startsWith('/') ? url : '';
  return authority.toLowerCase() === host ? rest : '';
}

const toContent = (text: string, license: RslLicense): RslContent => ({
  ...license,
  text,
  pattern: toPattern(text),
  narrow: byLiterals(text),
});

type Draft = ReturnType<typeof newDraft>;

/** Reads one `content`; of its licenses the first counts, as clients read it. */
function newDraft(url: string) {
  let licenses = 0;
  let type = '';
  let permits: string[] | undefined;
  let prohibits: string[] | undefined;
  let payment: string | undefined;
  const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
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
      if (path === 'license/permits' && type === 'usage') permits = splitWords(text);
      if (path === 'license/prohibits' && type === 'usage') prohibits = splitWords(text);
      if (path === 'license/payment/amount') payment += ` ${text}`;
    },
    license(): RslLicense {
      const permitted = WORDS.filter((word) => (permits === undefined || has(permits, word)) && !has(prohibits, word));
      return { permitted, payment: payment === undefined || payment === 'free' ? null : payment };
    },
  };
}

const has = (words: readonly string[] | undefined, word: string): boolean =>
  words !== undefined &&
  (words.includes(word) || words.includes('all') || (word.startsWith('ai-') && words.includes('ai-all')));

/** Returns the contents that hold for a path: the narrowest ones. */
export function contentsFor<C extends Pick<RslContent, 'pattern' | 'narrow'>>(
  contents: readonly C[],
  path: string,
): C[] {
  const readable = toReadable(path);
  const matching = contents.filter(({ pattern }) => matchesReadable(pattern, readable));
  const narrowest = Math.max(...matching.map(({ narrow }) => narrow));
  return matching.filter(({ narrow }) => narrow === narrowest);
}

/** Returns the content that clients of today find: those know whole paths and `/path/*`, and no queries. */
export function contentForClient(contents: readonly RslContent[], path: string): RslContent | undefined {
  const pathOnly = withoutQuery(inOneSpelling(path));
  const whole = contents.find(({ text }) => withoutQuery(text) === pathOnly);
  if (whole !== undefined) return whole;
  let best: RslContent | undefined;
  for (const content of contents) {
    const prefix = withoutQuery(content.text).slice(0, -1);
    const isFolder = withoutQuery(content.text).endsWith('/*') && pathOnly.startsWith(prefix);
    if (isFolder && prefix.length >= (best === undefined ? 0 : withoutQuery(best.text).length)) best = content;
  }
  return best;
}

const withoutQuery = (text: string): string => text.split('?', 1)[0] as string;
