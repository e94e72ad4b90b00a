/**
 * Lines of nginx and Apache: *combined*, *common*, and Apache's *vhost_combined*. The bytes of a line are Latin-1 here;
 * only texts with others are decoded.
 */
import { readForwarded } from '../../src/lib/forwarded.ts';
import { rememberingTimes } from './times.ts';
import { isReading, type LoggedVisit, present, readRequestTarget, toBytes, toStatus, withOwnHost } from './visit.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** User names and addresses may hold brackets; a line with more of them before its time is unreadable. */
const BRACKETS_MAX = 16;

export type LineReader = (line: string) => LoggedVisit | undefined;

/** Returns a reader of lines; it returns undefined for a line of any other form. */
export function combinedReader(): LineReader {
  const toTime = rememberingTimes();
  return (line) => {
    const time = findTime(line, toTime);
    if (time === undefined || line.charCodeAt(time.end + 2) !== QUOTE) return undefined;
    const request = quoted(line, time.end + 2);
    if (request === undefined) return undefined;
    const numbers = line.indexOf('"', request.end + 1);
    const [status, bytes] = line.slice(request.end + 2, numbers === -1 ? line.length : numbers).split(' ');
    if (status === undefined || !/^\d{3}$/.test(status)) return undefined;
    const referrer = numbers === -1 ? undefined : quoted(line, numbers);
    const userAgent = referrer === undefined ? undefined : quotedAfter(line, referrer.end);
    return withOwnHost({
      ...readVisitor(line, time.start),
      at: time.at,
      target: readRequestTarget(request.text),
      isRead: isReading(request.text.slice(0, request.text.indexOf(' '))),
      status: toStatus(status),
      bytes: toBytes(bytes),
      referrer: present(referrer?.text),
      userAgent: present(userAgent?.text),
    });
  };
}

function findTime(line: string, toTime: (text: string) => number | undefined) {
  let start = line.indexOf('[');
  for (let tries = 0; start !== -1 && tries < BRACKETS_MAX; tries++) {
    const end = line.indexOf(']', start);
    if (end === -1) return undefined;
    const at = end - start > TIME_LENGTH_MAX ? undefined : toTime(line.slice(start + 1, end));
    if (at !== undefined) return { start, end, at };
    start = line.indexOf('[', start + 1);
  }
  return undefined;
}

const TIME_LENGTH_MAX = 40;

/**
 * A line begins with the addresses that proxies forwarded (`visitor, proxy`), or with one. Before them may be a virtual
 * host (`www.example.com:443`), or the address that the server saw.
 */
function readVisitor(line: string, end: number): { address: string; host: string | null } {
  const first = wordAt(line, 0, end);
  const next = first.end + 1;
  if (next >= end || line.charCodeAt(next) === HYPHEN) return { address: first.text, host: null };
  const second = wordAt(line, next, end);
  if (second.end >= end || !hasAddress(second.text)) return { address: first.text, host: null };
  if (hasAddress(first.text)) return { address: `${second.text}, ${first.text}`, host: null };
  return { address: second.text, host: first.text.replace(/:\d+$/, '') };
}

/** Reads the word at this index; a space behind a comma does not end it, and quotes hold one. */
function wordAt(line: string, start: number, end: number): Quoted {
  const close = line.charCodeAt(start) === QUOTE ? line.indexOf('"', start + 1) : -1;
  if (close !== -1 && close < end) return { text: line.slice(start + 1, close), end: close + 1 };
  let space = line.indexOf(' ', start);
  while (space !== -1 && space < end && line.charCodeAt(space - 1) === COMMA) space = line.indexOf(' ', space + 1);
  const stop = space === -1 || space > end ? end : space;
  return { text: line.slice(start, stop), end: stop };
}

const hasAddress = (text: string): boolean =>
  text.split(',').some((entry) => readForwarded(entry.trim()) !== undefined);

const COMMA = 0x2c;
const HYPHEN = 0x2d;

interface Quoted {
  text: string;
  /** Index of the closing quote. */
  end: number;
}

/** Reads the text whose opening quote is at this index; a backslash escapes. */
function quoted(line: string, start: number): Quoted | undefined {
  let end = line.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
  return end === -1 ? undefined : { text: unescape(line.slice(start + 1, end)), end };
}

const quotedAfter = (line: string, from: number): Quoted | undefined =>
  line.charCodeAt(from + 2) === QUOTE ? quoted(line, from + 2) : undefined;

function isEscaped(line: string, at: number): boolean {
  let before = at - 1;
  while (line.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

const ESCAPES = /\\(?:x([\dA-Fa-f]{2})|(.))/gs;

function unescape(text: string): string {
  const bytes = text.includes('\\')
    ? text.replaceAll(ESCAPES, (_found, hex?: string, char?: string) =>
        hex === undefined ? (char ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
