/** Facts about JSON values and texts. */

/** Returns whether two JSON values are equal: lists in order, keys of objects in any order. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key as never], other[key as never]))
  );
}

const COUNTED_DEPTH = 64;
const QUOTE = 0x22;
const SPACE = 0x20;

/**
 * Returns the path of the first duplicate key in a JSON text that `value` was parsed from; undefined when none is
 * there. `JSON.parse` silently keeps the last one, so one of a rule's two conditions would be lost unnoticed.
 */
export function repeatedKey(text: string, value: unknown): (string | number)[] | undefined {
  // A duplicate makes the text name more keys than the value has. For most texts, counting colons settles it.
  const keys = countKeys(value);
  return countColons(text) === keys || countNamedKeys(text) === keys ? undefined : findRepeatedKey(text);
}

/** An object or list that the scan is inside of. */
interface Frame {
  /** Keys so far; null in a list. */
  keys: Set<string> | null;
  /** The current key or index. */
  step: string | number;
}

function findRepeatedKey(text: string): (string | number)[] | undefined {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{') frames.push({ keys: new Set(), step: '' });
    else if (char === '[') frames.push({ keys: null, step: 0 });
    else if (char === '}' || char === ']') frames.pop();
    else if (char === ',') countEntry(frames.at(-1));
    else if (char === '"') {
      const end = endOfText(text, at);
      if (isKey(text, end) && !isNew(frames.at(-1), JSON.parse(text.slice(at, end + 1)))) {
        return frames.map(({ step }) => step);
      }
      at = end;
    }
  }
  return undefined;
}

function countEntry(frame: Frame | undefined): void {
  if (frame?.keys === null) frame.step = (frame.step as number) + 1;
}

function isNew(frame: Frame | undefined, key: string): boolean {
  if (frame === undefined || frame.keys === null) return true;
  frame.step = key;
  const { size } = frame.keys;
  return frame.keys.add(key).size > size;
}

/** Returns the number of keys, or more if a string contains a colon after a quotation mark or white space. */
function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    // Not the colons of URLs, times and addresses: nearly every user agent has one.
    if (before === QUOTE || before <= SPACE) count++;
  }
  return count;
}

/**
 * Counts too few keys in what is nested deeper than any accepted body; the scan, which does not recurse, decides then.
 */
function countKeys(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > COUNTED_DEPTH) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item, depth + 1);
  else for (const key in value) count += 1 + countKeys(value[key as never], depth + 1);
  return count;
}

function countNamedKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    at = endOfText(text, at);
    if (isKey(text, at)) count++;
  }
  return count;
}

/** Returns the index of the quote that ends the string begun at `start`. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/** Returns whether the string that ends at `end` is a key. */
function isKey(text: string, end: number): boolean {
  let after = end + 1;
  while (text.charCodeAt(after) <= 0x20) after++;
  return text[after] === ':';
}
