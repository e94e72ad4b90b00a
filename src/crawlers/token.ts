/**
 * Tokens in user agents. A token matches as a whole only: `Claude-User` is not in `Claude-Users`, and `Googlebot` is
 * not in `Googlebot-Image`. A version may follow (`/2.1`, `-1.20`). Web and mail addresses in a user agent name pages
 * about a bot, often another's: nothing in them matches.
 */
import { toLowerLetters } from '../lib/text.ts';
import { TextTrie } from '../lib/text-trie.ts';

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
    const text = toLowerLetters(userAgent);
    let weak: number | undefined;
    for (let at = nextStart(text, 0); at < text.length; at = nextStart(text, wordEnd(text, at))) {
      const place = trie.longestFrom(text, at, isEnd)?.place;
      if (place === undefined) continue;
      if (crawlers[place]?.weak !== true) return place;
      weak ??= place;
    }
    return weak;
  };
}

/** Returns the whole token around a text in a user agent; undefined when it is not there outside of addresses. */
export function extent(userAgent: string, text: string): string | undefined {
  const found = toLowerLetters(userAgent).indexOf(toLowerLetters(text));
  if (found === -1) return undefined;
  let first = 0;
  for (let at = nextStart(userAgent, 0); at <= found; at = nextStart(userAgent, wordEnd(userAgent, at))) first = at;
  const whole = wordEnd(userAgent, first) > found || first === found;
  if (!whole) return undefined;
  const last = found + text.length;
  return userAgent.slice(first, isEnd(userAgent, last) ? last : tokenEnd(userAgent, last));
}

/** Returns where the next word begins that may be a token; the length of the text if there is none. */
function nextStart(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (!isWord(text.charCodeAt(at))) {
      at = text.startsWith('://', at) ? addressEnd(text, at) : at + 1;
    } else if (isAddress(text, at)) {
      at = addressEnd(text, at);
    } else if (at > 0 && NOT_BEFORE.has(text.charCodeAt(at - 1))) {
      at = wordEnd(text, at);
    } else return at;
  }
  return text.length;
}

/** `.` joins the parts of a host, `@` those of a mail address. */
const NOT_BEFORE = new Set(['.', '@'].map((one) => one.charCodeAt(0)));

/** `http://…`, `www.…` and `name@…` are addresses as a whole. */
function isAddress(text: string, at: number): boolean {
  if (text.startsWith('www.', at)) return true;
  const end = wordEnd(text, at);
  return text.startsWith('://', end) || text.charCodeAt(end) === AT;
}

const AT = 0x40;
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
  while (at < text.length && !isEnd(text, at)) at++;
  return at;
}

function isEnd(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  // A token that ends with a separator is whole before any text.
  if (!isWord(text.charCodeAt(at - 1))) return true;
  if (code === HYPHEN) return isDigit(text.charCodeAt(at + 1));
  return !isWord(code);
}

const HYPHEN = 0x2d;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Letters, digits, `-` and `_`. */
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  isDigit(code) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === HYPHEN ||
  code === 0x5f ||
  code > 0x7f;
