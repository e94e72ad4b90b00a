/**
 * Finds whether a text contains any of many others (Aho and Corasick, "Efficient string matching", 1975). Promise: a
 * search costs the length of the searched text, for any others. Building costs their total length, once, at the first
 * search, and sixteen bytes for each character.
 */

/** Up to this many next characters are searched linearly; more have a map. */
const SIBLINGS_MAX = 8;

const NONE = 0;
const ROOT = 0;

// The fields of a state, side by side: separate arrays would scatter them in memory.
const FIELDS = 4;
/** The last character of the state's text, and whether one of the texts ends with that. */
const CHARACTER = 0;
const END = 0x10000;
/** The states that are one character longer: the first, and from each of these the next. */
const CHILD = 1;
const SIBLING = 2;
/** The longest other state that the state's text ends with. */
const FALLBACK = 3;

/** States by number; a state is a prefix of some of the texts. */
interface States {
  fields: Int32Array;
  /** States with many next characters: the next states by character. */
  crowded: Map<number, Map<number, number>>;
}

/** Texts are not empty. */
export function textSet(texts: readonly string[]): (text: string) => boolean {
  let states: States | undefined;
  return (text) => {
    states ??= build(texts);
    let state = ROOT;
    for (let i = 0; i < text.length; i++) {
      state = next(states, state, text.charCodeAt(i));
      if (isEnd(states, state)) return true;
    }
    return false;
  };
}

const isEnd = ({ fields }: States, state: number): boolean => ((fields[state + CHARACTER] as number) & END) !== 0;

function next(states: States, from: number, character: number): number {
  let state = from;
  for (;;) {
    const child = findChild(states, state, character);
    if (child !== NONE) return child;
    if (state === ROOT) return ROOT;
    state = states.fields[state + FALLBACK] as number;
  }
}

function findChild({ fields, crowded }: States, state: number, character: number): number {
  let child = fields[state + CHILD] as number;
  for (let seen = 0; child !== NONE; seen++) {
    if (((fields[child + CHARACTER] as number) & ~END) === character) return child;
    if (seen === SIBLINGS_MAX) return crowded.get(state)?.get(character) ?? NONE;
    child = fields[child + SIBLING] as number;
  }
  return NONE;
}

function build(texts: readonly string[]): States {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const states: States = { fields: new Int32Array((1 + characters) * FIELDS), crowded: new Map() };
  let end = FIELDS;
  for (const text of texts) {
    let state = ROOT;
    // The search stops at the end of a match.
    for (let i = 0; i < text.length && !isEnd(states, state); i++) {
      const character = text.charCodeAt(i);
      let child = findChild(states, state, character);
      if (child === NONE) {
        child = end;
        end += FIELDS;
        adopt(states, state, child, character);
      }
      state = child;
    }
    states.fields[state + CHARACTER] = (states.fields[state + CHARACTER] as number) | END;
  }
  findFallbacks(states, end);
  // Texts with a common prefix share states.
  return end === states.fields.length ? states : { ...states, fields: states.fields.slice(0, end) };
}

function adopt({ fields, crowded }: States, parent: number, child: number, character: number): void {
  fields[child + CHARACTER] = character;
  fields[child + SIBLING] = fields[parent + CHILD] as number;
  fields[parent + CHILD] = child;
  const known = crowded.get(parent);
  if (known !== undefined) {
    known.set(character, child);
    return;
  }
  if (fields[child + SIBLING] === NONE) return;
  const siblings: [number, number][] = [];
  for (let one = child; one !== NONE; one = fields[one + SIBLING] as number) {
    siblings.push([(fields[one + CHARACTER] as number) & ~END, one]);
  }
  if (siblings.length > SIBLINGS_MAX) crowded.set(parent, new Map(siblings));
}

/** Shorter states first: a fallback is shorter than its state. */
function findFallbacks(states: States, size: number): void {
  const { fields } = states;
  const queue = new Int32Array(size / FIELDS);
  let end = 1;
  for (let begin = 0; begin < end; begin++) {
    const parent = queue[begin] as number;
    for (let child = fields[parent + CHILD] as number; child !== NONE; child = fields[child + SIBLING] as number) {
      queue[end++] = child;
      if (parent === ROOT) continue;
      const character = (fields[child + CHARACTER] as number) & ~END;
      const fallback = next(states, fields[parent + FALLBACK] as number, character);
      fields[child + FALLBACK] = fallback;
      if (isEnd(states, fallback)) fields[child + CHARACTER] = character | END;
    }
  }
}
