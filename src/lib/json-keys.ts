/**
 * The keys in a JSON text, which is valid. One object may have a key twice: `JSON.parse` keeps the last and says nothing, so
 * that of a rule's two conditions one would be gone unseen.
 */

const COUNTED_DEPTH = 64;

/** The text with its keys, quotes and all, as `edit` gives them back. */
export function mapKeys(text: string, edit: (key: string) => string): string {
  let mapped = '';
  let done = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    const start = at;
    at = endOfText(text, start);
    if (!isKey(text, at)) continue;
    mapped += text.slice(done, start) + edit(text.slice(start, at + 1));
    done = at + 1;
  }
  return mapped + text.slice(done);
}

/** The way to the first key that stands twice in one object of the value's text; undefined when there is none. */
export function repeatedKey(text: string, value: unknown): (string | number)[] | undefined {
  // Then the text names more keys than the value has; counting is all that most texts pay for.
  const keys = countKeys(value);
  return countColons(text) === keys || namedKeys(text) === keys ? undefined : findRepeatedKey(text);
}

function findRepeatedKey(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      path.push(char === '{' ? '' : 0);
    } else if (char === '}' || char === ']') {
      open.pop();
      path.pop();
    } else if (char === ',' && open.at(-1) === null) {
      path.push((path.pop() as number) + 1);
    } else if (char === '"') {
      const end = endOfText(text, at);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        path.splice(-1, 1, key);
        if (keys.has(key)) return path;
        keys.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

/** As many as keys, unless a text or a key has one in it. */
function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++;
  return count;
}

/** Too few for what is nested deeper than anything that is taken: then the text is looked through, without recursion. */
function countKeys(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > COUNTED_DEPTH) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item, depth + 1);
  else for (const key in value) count += 1 + countKeys(value[key as never], depth + 1);
  return count;
}

function namedKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    at = endOfText(text, at);
    if (isKey(text, at)) count++;
  }
  return count;
}

/** Place of the quote that ends the text begun at `start`. */
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

/** Whether the text that ends at `end` is a key. */
function isKey(text: string, end: number): boolean {
  let after = end + 1;
  while (text.charCodeAt(after) <= 0x20) after++;
  return text[after] === ':';
}
