/**
 * Tokens in user agents. A token matches as a whole only: `Claude-User` is not in `Claude-Users`, and `Googlebot` is
 * not in `Googlebot-Image`. A version may follow (`/2.1`, `-1.20`). Web and mail addresses in a user agent name pages
 * about a bot, often another's: nothing in them matches.
 */
import { toLowerLetters } from '../../lib/text.ts';
import { TextTrie } from '../../lib/text-trie.ts';

/** Returns the place of the first crawler whose token is in the user agent; a weak one only if there is no other. */
export type TokenIndex = (userAgent: string) => number | undefined;

interface Tokens {
  userAgents: readonly string[];
  weak?: boolean;
}

/** Builds the index. A look-up is one pass over the user agent, for any number of crawlers. */
export function openIndex(crawlers: readonly Tokens[]): TokenIndex {
  const trie = new TextTrie<{ place: number }>();
  for (const [place, { userAgents }] of crawlers.entries()) {
    for (const token of userAgents) trie.set(toLowerLetters(token), { place });
  }
  return (userAgent) => {
    const words = new Words(toLowerLetters(userAgent));
    let weak: number | undefined;
    while (words.next()) {
      const place = trie.longestFrom(words.text, words.start, isEnd)?.value.place;
      if (place === undefined) continue;
      if (crawlers[place]?.weak !== true) return place;
      weak ??= place;
    }
    return weak;
  };
}

/** User agents of the browsers of people. */
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 FxiOS/140.0 Mobile/15E148',
  'Mozilla/5.0 (Linux; Android 15; K; wv) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/140.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; CrOS x86_64; Ubuntu; Linux aarch64; Fedora) AppleWebKit/537.36 Chrome/140.0 OPR/120.0 Vivaldi/7.5',
  'Opera/9.80 (X11; Linux i686; U; en) Presto/2.12 Version/12.16',
  'Lynx/2.9 Links w3m ELinks Dillo NetSurf UCWEB UCBrowser YaBrowser Konqueror Goanna PaleMoon Servo Tablet',
];

/** Returns whether a token can be found in a user agent, and is in that of no browser. */
export function isTokenOfPrograms(token: string): boolean {
  const find = openIndex([{ userAgents: [token] }]);
  return find(token) !== undefined && BROWSERS.every((userAgent) => find(userAgent) === undefined);
}

/** Returns the values of the longest texts that are whole tokens of a user agent, each once. Texts are in lowercase. */
export function longestTokens<V extends {}>(texts: TextTrie<V>, userAgent: string): ReadonlySet<V> {
  const words = new Words(toLowerLetters(userAgent));
  const values = new Set<V>();
  let longest = 0;
  while (words.next()) {
    const found = texts.longestFrom(words.text, words.start, isEnd);
    if (found === undefined || found.length < longest) continue;
    if (found.length > longest) values.clear();
    longest = found.length;
    values.add(found.value);
  }
  return values;
}

/** Returns the whole token around a text in a user agent; undefined when it is not there outside of addresses. */
export function extent(userAgent: string, text: string): string | undefined {
  const found = toLowerLetters(userAgent).indexOf(toLowerLetters(text));
  if (found === -1) return undefined;
  const words = new Words(userAgent);
  while (words.next()) {
    if (words.start > found) return undefined;
    if (words.end > found) return userAgent.slice(words.start, tokenEnd(userAgent, found + text.length));
  }
  return undefined;
}

/** Walks over the words that may begin a token, one after the other. */
class Words {
  readonly text: string;
  start = 0;
  end = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns whether there is another. */
  next(): boolean {
    const { text } = this;
    let at = this.end;
    while (at < text.length) {
      if (!isWord(text.charCodeAt(at))) {
        at++;
        continue;
      }
      const end = wordEnd(text, at);
      if (isAddress(text, at, end)) at = addressEnd(text, end);
      else if (at > 0 && joinsHost(text.charCodeAt(at - 1))) at = end;
      else {
        this.start = at;
        this.end = end;
        return true;
      }
    }
    return false;
  }
}

const DOT = 0x2e;
const AT = 0x40;
const COLON = 0x3a;
const SLASH = 0x2f;
const HYPHEN = 0x2d;

/** `.` joins the parts of a host, `@` those of a mail address. */
const joinsHost = (code: number): boolean => code === DOT || code === AT;

/** `http://…`, `www.…` and `name@…` are addresses as a whole. */
function isAddress(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  if (next === AT) return true;
  if (next === COLON) return text.charCodeAt(end + 1) === SLASH && text.charCodeAt(end + 2) === SLASH;
  return next === DOT && end - start === 3 && text.startsWith('www', start);
}

/** White space, quotes and what encloses or separates. */
const ENDS_ADDRESS = new Set([...' \t"\'<>()[]{},;'].map((one) => one.charCodeAt(0)));

function addressEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !ENDS_ADDRESS.has(text.charCodeAt(at))) at++;
  return at;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWord(text.charCodeAt(at))) at++;
  return at;
}

/** The end of the word, or of its part before a version. */
function tokenEnd(text: string, from: number): number {
  let at = from;
  while (!isEnd(text, at)) at++;
  return at;
}

function isEnd(text: string, at: number): boolean {
  if (at >= text.length) return true;
  // A token that ends with a separator is whole before any text.
  if (!isWord(text.charCodeAt(at - 1))) return true;
  const code = text.charCodeAt(at);
  return code === HYPHEN ? isDigit(text.charCodeAt(at + 1)) : !isWord(code);
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Letters, digits, `-` and `_`, by their code. */
const WORD_CODES = Uint8Array.from({ length: 128 }, (_, code) => (/[\w-]/.test(String.fromCharCode(code)) ? 1 : 0));

const isWord = (code: number): boolean => code > 0x7f || WORD_CODES[code] === 1;
