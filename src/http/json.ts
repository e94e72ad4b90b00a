/**
 * Bodies in: bytes to a value that can be stored and given back exactly as it came. What JSON or our stores cannot carry
 * (invalid UTF-8, NUL, unpaired surrogates, integers beyond 2^53, repeated keys, bottomless nesting) is refused, never
 * altered.
 */
import { isUtf8 } from 'node:buffer';
import { fail, type Problem } from '../errors.ts';
import { parseOrdered, plainKey } from '../lib/json.ts';
import { repeatedKey } from '../lib/json-keys.ts';

/** Deeper than any body of ours needs; what a schema allows is far less. */
const DEPTH_MAX = 32;

/** Throws invalid_json, and invalid_request for a key that stands twice in one object. */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw fail('invalid_json', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.');
  const { value, repeated } = parse(body.toString());
  if (repeated === undefined) return value;
  const param = repeated.slice(0, DEPTH_MAX).reduce<string>(pathTo, '');
  throw fail('invalid_request', `\`${param}\` is given more than once in the same object; give it once.`, { param });
}

function parse(text: string): { value: unknown; repeated: (string | number)[] | undefined } {
  try {
    const value = parseOrdered(text);
    return { value, repeated: repeatedKey(text, value) };
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    throw fail('invalid_json', `The body is not valid JSON: ${why}.`, { cause: error });
  }
}

/** What is in a value that cannot be stored and given back as it is; undefined when nothing is. */
export const uncarriedIn = (value: unknown, what = 'body'): Problem | undefined =>
  isCarried(value, 0) ? undefined : findUncarried(value, '', 0, what);

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function isCarried(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isText(value);
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.every((item) => isCarried(item, depth + 1));
  for (const key in value) if (!isText(key) || !isCarried(value[key as never], depth + 1)) return false;
  return true;
}

/** The same walk again to say where: only a refused body pays for paths. */
function findUncarried(value: unknown, param: string, depth: number, what: string): Problem {
  const at = param === '' ? null : param;
  if (typeof value === 'string') {
    return {
      param: at,
      message: `${named(at, what)} contains a NUL character or half of a surrogate pair; remove it.`,
    };
  }
  if (typeof value === 'number') {
    const message = `${named(at, what)} is a number that JSON cannot carry exactly (beyond 2^53); send it as a string.`;
    return { param: at, message };
  }
  if (depth >= DEPTH_MAX) return { param: at, message: `The ${what} is nested more than ${DEPTH_MAX} levels deep.` };
  for (const [key, item] of Object.entries(value as object)) {
    const path = pathTo(param, Array.isArray(value) ? Number(key) : key);
    if (!isText(key)) return { param: at, message: 'A key contains a NUL character or half of a surrogate pair.' };
    if (!isCarried(item, depth + 1)) return findUncarried(item, path, depth + 1, what);
  }
  return { param: at, message: `The ${what} contains a value that cannot be stored.` };
}

const named = (param: string | null, what: string): string => (param === null ? `The ${what}` : `\`${param}\``);

/** A longer name is cut in errors: an answer must not grow with what is refused. */
const NAME_MAX = 250;

/** `rules[0].conditions.country`: how a place in a body is named in errors. */
export function pathTo(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  const plain = plainKey(key);
  const name = plain.length > NAME_MAX ? `${plain.slice(0, NAME_MAX).toWellFormed()}…` : plain;
  return parent === '' ? name : `${parent}.${name}`;
}
