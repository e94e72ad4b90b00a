/**
 * The program of a user agent: its first product token if it is not a browser's. Bots often call themselves browsers
 * and name themselves in a comment, `Mozilla/5.0 (compatible; FooBot/1.0; +https://…)`: then that token is the program.
 * It proves nothing: anybody can send any user agent. The work is linear in its length.
 */
import { Lru, Recent } from '../../lib/cache/lru.ts';
import { toLowerLetters } from '../../lib/text.ts';

/** Names for user agents without a program. No program has one of these names. */
export const BROWSERS = 'browsers';
export const NO_USER_AGENT = 'no user agent';
/** Programs whose user agent has no token, and those beyond the bound of a list. */
export const OTHER_PROGRAMS = 'other';

const NAME_MAX = 64;
const KNOWN_MAX = 10_000;
const KNOWN_LENGTH_MAX = 512;

const known = new Lru<string, string>(KNOWN_MAX, undefined, new Recent());

/** Returns a token (RFC 9110) in lowercase, at most 64 characters long, or one of the three names above. */
export function findProgram(userAgent: string | null | undefined): string {
  if (userAgent == null) return NO_USER_AGENT;
  const before = known.get(userAgent);
  if (before !== undefined) return before;
  const program = readProgram(userAgent);
  if (userAgent.length <= KNOWN_LENGTH_MAX) known.set(userAgent, program);
  return program;
}

/** Returns whether a user agent is that of a program, neither a browser's nor empty. */
export function isProgram(userAgent: string): boolean {
  const program = findProgram(userAgent);
  return program !== BROWSERS && program !== NO_USER_AGENT;
}

function readProgram(userAgent: string): string {
  if (userAgent.trim() === '') return NO_USER_AGENT;
  const parts = [...split(userAgent)];
  const first = parts.map(({ text }) => toToken(text)).find((token) => token !== undefined);
  if (first === undefined) return OTHER_PROGRAMS;
  if (TEXT_BROWSERS.has(first)) return BROWSERS;
  if (!COMMON.has(first)) return toName(first);
  const named = findNamed(parts);
  if (named !== undefined) return toName(named);
  if (first === 'opera' || ENGINE.test(userAgent)) return BROWSERS;
  const next = parts.find(({ text, comment }) => comment === 0 && toToken(text) !== first);
  return toName((next && toToken(next.text)) ?? first);
}

const toName = (token: string): string => (token === BROWSERS || token === OTHER_PROGRAMS ? OTHER_PROGRAMS : token);

/** A word outside of comments, or a part of the comment with this number. */
interface Part {
  text: string;
  comment: number;
}

/** Splits words at white space, and comments at semicolons. */
function* split(userAgent: string): Generator<Part> {
  let depth = 0;
  let comment = 0;
  let from = 0;
  for (const { index, 0: char } of userAgent.matchAll(/[\s();]|$/g)) {
    const isEnd = char === '(' || char === '' || (depth > 0 ? char === ')' || char === ';' : char.trim() === '');
    if (!isEnd) continue;
    const text = userAgent.slice(from, index).trim();
    if (text !== '') yield { text, comment: depth > 0 ? comment : 0 };
    if (char === '(' && depth++ === 0) comment++;
    if (char === ')') depth--;
    from = index + 1;
  }
}

const TOKEN = /[\w!#$%&'*+.^`|~-]+/;

/** Returns the first token of a text, in lowercase. */
function toToken(text: string): string | undefined {
  const [token] = TOKEN.exec(text) ?? [];
  return token === undefined ? undefined : toLowerLetters(token.slice(0, NAME_MAX));
}

/** Browsers that do not call themselves Mozilla. */
const TEXT_BROWSERS: ReadonlySet<string> = new Set(['lynx', 'w3m', 'links', 'elinks', 'dillo', 'netsurf', 'ucweb']);

/** Tokens with which browsers begin, and programs that call themselves browsers. */
const COMMON: ReadonlySet<string> = new Set(['mozilla', 'opera', 'compatible']);
/** Engines that render pages. Every browser that calls itself Mozilla names one. */
const ENGINE = /\b(?:AppleWebKit|Gecko|Goanna|Servo|Presto|KHTML|Trident|NetFront)\/|\bMSIE \d|\bKonqueror\b/i;
/** After `compatible`, these are browsers. */
const COMPATIBLE_BROWSERS: ReadonlySet<string> = new Set(['msie', 'konqueror', 'opera', 'netscape']);
/** Words of browsers, which name no program before the address of a page. */
const BROWSER_WORDS: ReadonlySet<string> = new Set([
  'compatible',
  'mozilla',
  'applewebkit',
  'khtml',
  'gecko',
  'like',
  'chrome',
  'firefox',
  'safari',
  'mobile',
  'version',
  'edg',
]);

const ADDRESS = /(?:^|[\s+<"'])(?:https?:\/\/|www\.)|\w@\w/i;
const BOT = /(?:bot|crawler|spider|scraper|fetcher|archiver)$|^headless/;

/** Returns the token of a program among the parts of a browser's user agent. */
function findNamed(parts: readonly Part[]): string | undefined {
  for (const [at, part] of parts.entries()) {
    const named = findCompatible(parts, at) ?? findAddressed(parts, at) ?? findBot(part);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** `compatible; FooBot/1.0` */
function findCompatible(parts: readonly Part[], at: number): string | undefined {
  const { comment, text } = parts[at] as Part;
  if (comment === 0 || toLowerLetters(text) !== 'compatible') return undefined;
  const next = parts.slice(at + 1).find((one) => one.comment === comment && !startsAddress(one.text));
  const token = next && toToken(next.text);
  return token === undefined || COMPATIBLE_BROWSERS.has(token) ? undefined : token;
}

/** `FooBot/1.0 (+https://…)` */
function findAddressed(parts: readonly Part[], at: number): string | undefined {
  const { text } = parts[at] as Part;
  if (!ADDRESS.test(text)) return undefined;
  const token = toToken(startsAddress(text) ? (parts[at - 1]?.text ?? '') : text);
  return token === undefined || BROWSER_WORDS.has(token) ? undefined : token;
}

/** `… FooBot/1.0`. The names of devices are in comments, without a version. */
function findBot({ text, comment }: Part): string | undefined {
  const token = toToken(text);
  return token !== undefined && BOT.test(token) && (comment === 0 || text[token.length] === '/') ? token : undefined;
}

const startsAddress = (text: string): boolean => /^\W*(?:https?:\/\/|www\.)|^[\w.+-]+@\w/i.test(text);
