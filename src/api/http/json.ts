/**
 * Parses bodies into values that can be stored and returned exactly. Values that JSON or the stores cannot carry
 * (invalid UTF-8, NUL, unpaired surrogates, integers beyond 2^53, duplicate keys, deep nesting) are refused, never
 * altered.
 */
import { isUtf8 } from 'node:buffer';
import { repeatedKey } from '../../lib/json.ts';
import { JsonScan, type Shape } from '../../lib/json-scan.ts';
import type { Problem } from '../../lib/refined.ts';
import { Slices } from '../../lib/slices.ts';
import { isText } from '../../lib/text.ts';
import { Failure, fail } from '../errors.ts';

/** Deeper than any documented body; schemas allow far less. */
const DEPTH_MAX = 32;

/** A shorter body is always parsed quickly. */
const SCANNED_FROM = 64 * 1024;
/** More keys than 100 rules with all conditions have. Distinct keys are the slowest part of JSON to parse. */
const KEYS_MAX = 30_000;
const CONTAINERS_MAX = 150_000;
/** The most that is parsed without yielding to the event loop. */
const PIECE_BYTES_MAX = 1024 * 1024;
const SCAN_BYTES = 256 * 1024;

/** Throws invalid_json; invalid_request for duplicate keys and for too many keys or containers. */
export function parseJson(body: Buffer): unknown {
  requireUtf8(body);
  if (body.length > SCANNED_FROM) {
    const scan = new JsonScan(body, null);
    scan.step(body.length);
    requireShape(scan.around, 'The body');
  }
  return parse(body.toString(), 'The body');
}

/**
 * Parses a body with a list of independent entries, entry by entry in slices. An entry that exceeds the limits of a
 * body, or gives a key twice, becomes a Failure in its place. Rejects as `parseJson` throws.
 */
export async function parseJsonInSlices(body: Buffer, list: string, entriesMax: number): Promise<unknown> {
  requireUtf8(body);
  const slices = new Slices();
  const scan = new JsonScan(body, { key: list, entriesMax });
  while (!scan.step(SCAN_BYTES)) {
    requireShape(scan.around, `Beside \`${list}\` the body`);
    await slices.next();
  }
  requireShape(scan.around, `Beside \`${list}\` the body`);
  const [found] = scan.lists;
  const value = parse(textAround(body, scan.lists), `Beside \`${list}\` the body`);
  if (found === undefined) return value;
  const entries: unknown[] = Array(isEmpty(body, found) ? 0 : found.count);
  if (entries.length > 0 && entries.length <= entriesMax) {
    for (const [index, { span, shape }] of found.entries.entries()) {
      entries[index] = parseEntry(body.toString('utf8', ...span), shape, `\`${list}[${index}]\``);
      await slices.next();
    }
  }
  // The parsed value has the list, emptied, or the text around it would have been invalid.
  (value as Record<string, unknown>)[list] = entries;
  return value;
}

/** An empty list scans as one entry of white space. */
const isEmpty = (body: Buffer, { count, entries: [first] }: JsonScan['lists'][number]): boolean =>
  count === 1 && first !== undefined && /^[ \t\n\r]*$/.test(body.toString('utf8', ...first.span));

function parseEntry(text: string, shape: Shape, name: string): unknown {
  try {
    requireShape(shape, name);
    return parse(text, name);
  } catch (error) {
    if (error instanceof Failure && error.code !== 'invalid_json') return error;
    throw error;
  }
}

/** Returns the text of the body with its lists emptied. */
function textAround(body: Buffer, lists: JsonScan['lists']): string {
  let text = '';
  let done = 0;
  for (const { span } of lists) {
    text += body.toString('utf8', done, span[0] + 1);
    done = span[1] - 1;
  }
  return text + body.toString('utf8', done);
}

function requireUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw fail('invalid_json', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.');
}

function requireShape({ bytes, keys, containers }: Shape, name: string): void {
  if (bytes > PIECE_BYTES_MAX) throw fail('payload_too_large', `${name} is larger than 1 MiB.`);
  if (keys > KEYS_MAX) throw fail('invalid_request', `${name} has more than ${KEYS_MAX} keys.`);
  if (containers > CONTAINERS_MAX)
    throw fail('invalid_request', `${name} has more than ${CONTAINERS_MAX} lists and objects.`);
}

function parse(text: string, name: string): unknown {
  let value: unknown;
  let repeated: (string | number)[] | undefined;
  try {
    value = JSON.parse(text);
    repeated = repeatedKey(text, value);
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    throw fail('invalid_json', `${name} is not valid JSON: ${why}.`, { cause: error });
  }
  if (repeated === undefined) return value;
  const param = repeated.slice(0, DEPTH_MAX).reduce<string>(pathTo, '');
  throw fail('invalid_request', `\`${param}\` is given more than once in the same object; give it once.`, { param });
}

const PROBLEMS_MAX = 100;

const NONE: readonly Problem[] = [];

/** Returns the problems of a value that cannot be stored and returned exactly; none if it can. */
export function uncarriedIn(value: unknown, what = 'body'): readonly Problem[] {
  if (isCarried(value, 0)) return NONE;
  const problems: Problem[] = [];
  addUncarried(problems, value, { param: '', depth: 0, what });
  return problems;
}

function isCarried(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isText(value);
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(value)) return areCarried(value, depth + 1);
  for (const key in value) if (!isText(key) || !isCarried(value[key as never], depth + 1)) return false;
  return true;
}

/** A function of its own: the closure would be made for each object, too. */
const areCarried = (items: readonly unknown[], depth: number): boolean => items.every((item) => isCarried(item, depth));

interface Place {
  param: string;
  depth: number;
  what: string;
}

/** Walks again to find the paths, so that only a refused body pays for paths. */
function addUncarried(problems: Problem[], value: unknown, place: Place): void {
  const { param, depth, what } = place;
  const at = param === '' ? null : param;
  const message = describeFault(value, place, named(at, what));
  if (message !== undefined) return void problems.push({ param: at, message });
  for (const [key, item] of Object.entries(value as object)) {
    if (problems.length >= PROBLEMS_MAX) return;
    if (!isText(key)) {
      problems.push({ param: at, message: 'A key contains a NUL character or half of a surrogate pair.' });
    } else if (!isCarried(item, depth + 1)) {
      const path = pathTo(param, Array.isArray(value) ? Number(key) : key);
      addUncarried(problems, item, { param: path, depth: depth + 1, what });
    }
  }
}

/** Returns what is wrong with the value itself; undefined if it is something inside it. */
function describeFault(value: unknown, { depth, what }: Place, name: string): string | undefined {
  if (typeof value === 'string') return `${name} contains a NUL character or half of a surrogate pair; remove it.`;
  if (typeof value === 'number')
    return `${name} is a number that JSON cannot carry exactly (beyond 2^53); send it as a string.`;
  return depth >= DEPTH_MAX ? `The ${what} is nested more than ${DEPTH_MAX} levels deep.` : undefined;
}

const named = (param: string | null, what: string): string => (param === null ? `The ${what}` : `\`${param}\``);

/** Longer names are cut in errors: an answer must not grow with the body that it refuses. */
const NAME_MAX = 250;

/** Returns a path as errors show it, such as `rules[0].conditions.country`. */
export function pathTo(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  const name = key.length > NAME_MAX ? `${key.slice(0, NAME_MAX).toWellFormed()}…` : key;
  return parent === '' ? name : `${parent}.${name}`;
}
