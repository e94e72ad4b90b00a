/**
 * A key that stands twice in one object of a JSON text. JSON.parse keeps the last and drops the others without a word
 * (RFC 8259, section 4: what a receiver does is unpredictable), so a text and its value can say different things.
 */

/** Where the first one stands, as keys and indexes from the outside; undefined when there is none. The text is valid JSON. */
export function repeatedKey(text: string, value: unknown): (string | number)[] | undefined {
  // As many colons as keys: nothing was dropped. This is all that most texts pay for.
  return colonsIn(text) === keysIn(value) ? undefined : findRepeated(text);
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keysIn(item);
  else for (const key in value) count += 1 + keysIn(value[key as never]);
  return count;
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

function colonsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) count++;
  }
  return count;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
}

/** The same walk with names: only a refused text pays for them. */
function findRepeated(text: string): (string | number)[] | undefined {
  const around: { keys: Set<string> | null; at: string | number; keyNext: boolean }[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    const here = around.at(-1);
    if (sign === '{') around.push({ keys: new Set(), at: '', keyNext: true });
    else if (sign === '[') around.push({ keys: null, at: 0, keyNext: false });
    else if (sign === '}' || sign === ']') around.pop();
    else if (sign === ',' && here !== undefined) {
      if (typeof here.at === 'number') here.at++;
      else here.keyNext = true;
    } else if (sign === '"') {
      const end = endOfString(text, at);
      if (here?.keyNext && here.keys !== null) {
        here.keyNext = false;
        here.at = JSON.parse(text.slice(at, end + 1)) as string;
        if (here.keys.has(here.at)) return around.map((one) => one.at);
        here.keys.add(here.at);
      }
      at = end;
    }
  }
  return undefined;
}
