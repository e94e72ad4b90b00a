/**
 * Texts in memory, found by their bytes: making a string of each would take longer than all else that is done with it.
 * Each has a place, from 1 in the order in which they came.
 */

export const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

const FIRST_TEXTS = 1_024;
const USUAL_BYTES = 32;

export class Texts {
  /** By hash: a place, 0 is free, and its hash beside it. */
  #slots = new Int32Array(4 * FIRST_TEXTS);
  /** Where the text at a place begins in the bytes, which is where the one before it ends. */
  #starts = new Int32Array(FIRST_TEXTS + 1);
  #bytes = Buffer.allocUnsafeSlow(FIRST_TEXTS * USUAL_BYTES);
  #view = viewOf(this.#bytes);
  #count = 0;

  /** The highest place. */
  get count(): number {
    return this.#count;
  }

  textAt(place: number): string {
    return this.#bytes.toString('utf8', this.#starts[place - 1], this.#starts[place]);
  }

  /** Returns the place of a text, which is new if there was none. */
  placeOf(text: DataView, from: number, to: number): number {
    const hash = hashOf(text, from, to);
    const mask = this.#slots.length - 2;
    for (let slot = (2 * hash) & mask; ; slot = (slot + 2) & mask) {
      const place = this.#slots[slot] as number;
      if (place === 0) return this.#add({ text, from, to }, hash, slot);
      if (this.#slots[slot + 1] === hash && this.#isAt(place, text, from, to)) return place;
    }
  }

  #isAt(place: number, text: DataView, from: number, to: number): boolean {
    let at = this.#starts[place - 1] as number;
    if ((this.#starts[place] as number) - at !== to - from) return false;
    const own = this.#view;
    let i = from;
    for (; i + 4 <= to; i += 4, at += 4) if (own.getInt32(at) !== text.getInt32(i)) return false;
    for (; i < to; i++, at++) if (own.getUint8(at) !== text.getUint8(i)) return false;
    return true;
  }

  #add({ text, from, to }: { text: DataView; from: number; to: number }, hash: number, slot: number): number {
    const start = this.#starts[this.#count] as number;
    const end = start + to - from;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
      this.#view = viewOf(larger);
    }
    this.#bytes.set(new Uint8Array(text.buffer, text.byteOffset + from, to - from), start);
    if (++this.#count === this.#starts.length) {
      const starts = new Int32Array(2 * this.#count);
      starts.set(this.#starts);
      this.#starts = starts;
    }
    this.#starts[this.#count] = end;
    this.#slots[slot] = this.#count;
    this.#slots[slot + 1] = hash;
    if (4 * this.#count > this.#slots.length) this.#spread();
    return this.#count;
  }

  #spread(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 2;
    for (let from = 0; from < this.#slots.length; from += 2) {
      const hash = this.#slots[from + 1] as number;
      if (this.#slots[from] === 0) continue;
      let slot = (2 * hash) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = this.#slots[from] as number;
      slots[slot + 1] = hash;
    }
    this.#slots = slots;
  }
}

/** The constants of MurmurHash3 (Appleby, public domain), over four bytes at a time. */
const [MIX, OTHER_MIX, SEED] = [-862_048_943, 461_845_907, -430_675_100];

function hashOf(text: DataView, from: number, to: number): number {
  let hash = to - from;
  let i = from;
  for (; i + 4 <= to; i += 4) hash = mixed(hash, text.getInt32(i));
  let rest = 0;
  for (; i < to; i++) rest = (rest << 8) | text.getUint8(i);
  hash = mixed(hash, rest);
  hash = Math.imul(hash ^ (hash >>> 16), MIX);
  return hash ^ (hash >>> 13);
}

function mixed(hash: number, word: number): number {
  const own = Math.imul(word, MIX);
  const turned = hash ^ Math.imul((own << 15) | (own >>> 17), OTHER_MIX);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + SEED) | 0;
}
