/**
 * Counts the requests of many URLs in bounded memory, which threads share without copying: an open table of 64-bit
 * hashes. Two URLs with one hash would count as one; among three million the odds are below one in a million. A full
 * table counts what it knows and refuses what is new.
 */

/** The hash, the requests, and the mark. */
const WORDS = 4;
const FIRST_SLOTS = 1 << 12;
const SLOTS_MAX = 1 << 22;
/** Fuller tables take long walks. */
const LOAD_MAX = 0.75;

export interface Hash {
  high: number;
  low: number;
}

/** Hashes texts that are added one after the other. */
export class Hasher implements Hash {
  readonly #seed: number;
  #one = 0;
  #other = 0;
  high = 0;
  low = 0;

  /** A seed of the run keeps visitors from choosing URLs with one hash. */
  constructor(seed: number) {
    this.#seed = seed | 0;
  }

  start(key: number): this {
    this.#one = Math.imul(key ^ this.#seed, 0x9e3779b1);
    this.#other = Math.imul(key + 1, 0x85ebca6b) ^ this.#seed;
    return this;
  }

  add(text: string, from: number, to: number): this {
    let one = this.#one;
    let other = this.#other;
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i);
      one = Math.imul(one ^ code, 0x9e3779b1) ^ (other >>> 15);
      other = Math.imul(other ^ code, 0x5f356495);
    }
    this.#one = one;
    this.#other = other;
    return this;
  }

  /** Mixes all bits into `high` and `low`; more can be added afterwards. Never the hash of an empty slot. */
  end(): this {
    let high = Math.imul(this.#one ^ (this.#one >>> 16), 0x85ebca6b);
    high ^= Math.imul(this.#other ^ (this.#other >>> 13), 0xc2b2ae35);
    let low = Math.imul(this.#other ^ (this.#other >>> 16), 0x85ebca6b);
    low ^= Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    this.high = high | 0;
    this.low = low === 0 && high === 0 ? 1 : low | 0;
    return this;
  }
}

export class UrlTable {
  #words: Int32Array;
  #slots: number;
  #size: number;
  readonly #slotsMax: number;

  constructor(
    { words, size }: { words: Int32Array; size: number } = { words: newWords(FIRST_SLOTS), size: 0 },
    slotsMax = SLOTS_MAX,
  ) {
    this.#words = words;
    this.#slots = words.length / WORDS;
    this.#size = size;
    this.#slotsMax = slotsMax;
  }

  /** For another thread. */
  share(): { words: Int32Array; size: number } {
    return { words: this.#words, size: this.#size };
  }

  /** Adds to the requests and joins the marks. Returns the requests so far; undefined: new, and the table is full. */
  add({ high, low }: Hash, requests: number, mark: number): number | undefined {
    let at = this.#find(high, low);
    if (this.#isEmpty(at)) {
      if (this.#size >= this.#slots * LOAD_MAX) {
        if (this.#slots >= this.#slotsMax) return undefined;
        this.#grow();
        at = this.#find(high, low);
      }
      this.#words[at] = high;
      this.#words[at + 1] = low;
      this.#size++;
    }
    const sum = (this.#words[at + 2] as number) + requests;
    this.#words[at + 2] = sum;
    this.#words[at + 3] = (this.#words[at + 3] as number) | mark;
    return sum;
  }

  get({ high, low }: Hash): number {
    return this.#words[this.#find(high, low) + 2] as number;
  }

  /** Calls back with each entry. */
  forEach(work: (hash: Hash, requests: number, mark: number) => void): void {
    const hash = { high: 0, low: 0 };
    for (let at = 0; at < this.#words.length; at += WORDS) {
      if (this.#isEmpty(at)) continue;
      hash.high = this.#words[at] as number;
      hash.low = this.#words[at + 1] as number;
      work(hash, this.#words[at + 2] as number, this.#words[at + 3] as number);
    }
  }

  #isEmpty(at: number): boolean {
    return this.#words[at] === 0 && this.#words[at + 1] === 0;
  }

  /** Returns where the hash is, or where it would be. */
  #find(high: number, low: number): number {
    let slot = (high ^ Math.imul(low, 0x9e3779b1)) & (this.#slots - 1);
    for (;;) {
      const at = slot * WORDS;
      if ((this.#words[at] === high && this.#words[at + 1] === low) || this.#isEmpty(at)) return at;
      slot = (slot + 1) & (this.#slots - 1);
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#slots *= 2;
    this.#words = newWords(this.#slots);
    for (let at = 0; at < before.length; at += WORDS) {
      const high = before[at] as number;
      const low = before[at + 1] as number;
      if (high !== 0 || low !== 0) this.#words.set(before.subarray(at, at + WORDS), this.#find(high, low));
    }
  }
}

function newWords(slots: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(slots * WORDS * Int32Array.BYTES_PER_ELEMENT));
}
