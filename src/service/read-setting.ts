/** Reads the text of a setting. Each throws a sentence that says what to do instead. */
import { readFileSync } from 'node:fs';
import { parseRange, type Range } from '../lib/ip-range.ts';
import { LEAST_MIB } from '../lib/memory.ts';

export function readText(text: string): string {
  if (text.trim() === '') throw new Error('is empty; give a value or unset it');
  return text;
}

export function readKey(text: string): string {
  if (!/^svc_sk_[0-9A-Za-z_]{32,128}$/.test(text)) {
    throw new Error('must be svc_sk_ and 32 to 128 letters, digits or underscores; leave it unset to have one made');
  }
  return text;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error(`must be a port from 0 to 65535, not "${text}"`);
  return port;
}

export function readDatabase(text: string): string {
  if (!URL.canParse(text) || !['postgres:', 'postgresql:'].includes(new URL(text).protocol)) {
    throw new Error('must be a URL such as postgres://user:password@host:5432/postern');
  }
  return text;
}

/** Returns the URL without a slash at the end. */
export function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isPlain = url !== undefined && url.search === '' && url.hash === '' && url.username === '';
  if (isPlain && (url.protocol === 'https:' || (isLocal && url.protocol === 'http:')))
    return url.href.replace(/\/+$/, '');
  throw new Error('must be an https:// URL without a query, such as https://access.example.com');
}

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Throws with the faults of all parts of a list. */
function requireFlawless(parts: readonly string[], findFault: (part: string) => string | undefined): void {
  const faults = parts.flatMap((part) => findFault(part) ?? []);
  if (faults.length > 0) throw new Error(faults.join('; '));
}

export function readRanges(text: string): Range[] {
  const parts = splitList(text);
  requireFlawless(parts, (part) =>
    parseRange(part) === undefined ? `"${part}" is not an address or CIDR range in canonical form` : undefined,
  );
  return parts.map((part) => parseRange(part) as Range);
}

export function readOrigins(text: string): string[] {
  const origins = splitList(text);
  requireFlawless(origins, (origin) => {
    // Browsers send no path, no default port and no uppercase letters.
    const own = URL.canParse(origin) ? new URL(origin).origin : undefined;
    if (origin === '*' || own === origin) return undefined;
    const advice = own === undefined || own === 'null' ? 'such as https://www.example.com' : `which would be ${own}`;
    return `"${origin}" is not an origin, ${advice}`;
  });
  return origins;
}

export function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`must be true or false, not "${text}"`);
  return text === 'true';
}

export function readAuditDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 30) throw new Error(`must be a number of days from 30 to 99999, not "${text}"`);
  return days;
}

export function readMaxAge(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds > 300) throw new Error(`must be a number of seconds up to 300, not "${text}"`);
  return seconds;
}

export function readStopDelay(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,2}$/.test(text) || seconds > 60)
    throw new Error(`must be a number of seconds from 0 to 60, not "${text}"`);
  return seconds;
}

export function readMemory(text: string): number {
  const mib = Number(text);
  if (!/^\d{1,7}$/.test(text) || mib < LEAST_MIB) {
    throw new Error(`must be a number of MiB from ${LEAST_MIB} to 9999999, such as 512, not "${text}"`);
  }
  return mib;
}

export function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (!words.includes(text)) throw new Error(`must be one of ${words.join(', ')}, not "${text}"`);
    return text;
  };
}

export function readContact(text: string): string {
  const isUrl = /^https?:\/\//.test(text) && URL.canParse(text);
  if (text.length <= 200 && (isUrl || /^[^\s@]+@[^\s@]+$/.test(text))) return text;
  throw new Error('must be a mail address or a URL, such as licensing@example.com');
}

const LOGO_BYTES_MAX = 64 * 1024;
/** The media type of a picture, by its first bytes. */
const PICTURES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/svg+xml', /^\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?<svg[\s>]/],
];

/** Returns the picture in a file as a data URL. */
export function readLogo(file: string): string {
  const bytes = readPicture(file);
  const [type] = PICTURES.find(([, start]) => start.test(bytes.toString('latin1', 0, 1024))) ?? [];
  if (type === undefined || bytes.length > LOGO_BYTES_MAX) {
    throw new Error(`must name an SVG, PNG or JPEG of at most ${LOGO_BYTES_MAX / 1024} KiB`);
  }
  return `data:${type};base64,${bytes.toString('base64')}`;
}

function readPicture(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
