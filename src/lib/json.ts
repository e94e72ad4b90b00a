/**
 * JSON whose objects keep the order of their keys. JavaScript moves keys that look like array indexes ("1", "2026") to the
 * front; inside, such keys carry a mark that makes them ordinary, and it is taken off on the way out.
 */
import { mapKeys } from './json-keys.ts';

/** A private-use character. A key that begins with it as it is gets a second one, so that nothing is lost. */
const MARK = '\ue000';

const MARKED_KEY = /(?<=[{,])"\ue000(?=(?:[^"\\]|\\.)*":)/g;

/** As JSON.parse, but ordered. Throws SyntaxError. */
export function parseOrdered(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return needsMarks(value) ? JSON.parse(mapKeys(text, marked)) : value;
}

function marked(key: string): string {
  const name = JSON.parse(key) as string;
  return isIndex(name) || name.startsWith(MARK) ? JSON.stringify(MARK + name) : key;
}

/** The text of a value that `parseOrdered` gave, or that was put together from such values. */
export function stringifyOrdered(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(MARK) ? text.replaceAll(MARKED_KEY, '"') : text;
}

/** Index keys come first, so the first key of an object tells; a key of a user's own that begins with the mark is rare. */
function needsMarks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(needsMarks);
  let first = true;
  for (const key in value) {
    if (first && isIndex(key)) return true;
    if (key.startsWith(MARK)) return true;
    first = false;
    if (needsMarks(value[key as never])) return true;
  }
  return false;
}

/**
 * Exactly the keys that JavaScript moves: array indexes. What a key is inside must follow from the key alone, or a condition
 * of one body would not find the metadata of another.
 */
const isIndex = (key: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;

/** A key as its sender wrote it. */
export const plainKey = (key: string): string => (key.startsWith(MARK) ? key.slice(1) : key);
