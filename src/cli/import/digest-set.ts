/** A set of texts by their digests, in 24 to 48 bytes each: millions of ids. Each keeps a place below 2^32. */
import { createHash } from 'node:crypto';

const FIRST_SLOTS = 1 << 12;

export class DigestSet {
  /** Open addressing; 0: an empty slot. */
  #slots = new Float64Array(FIRST_SLOTS);
  #places = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  has(digest: number): boolean {
    return this.#slots[this.#slotOf(digest)] === digest;
  }

  /** Returns the place of a digest that is there already, which stays. */
  add(digest: number, place = 0): number | undefined {
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === digest) return this.#places[slot];
    this.#slots[slot] = digest;
    this.#places[slot] = place;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    return undefined;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the slot of the digest, or the one that it would have. Digests are as good as random. */
  #slotOf(digest: number): number {
    const { length } = this.#slots;
    let slot = digest % length;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== digest) slot = (slot + 1) % length;
    return slot;
  }

  #grow(): void {
    const [before, places] = [this.#slots, this.#places];
    this.#slots = new Float64Array(before.length * 2);
    this.#places = new Uint32Array(before.length * 2);
    for (const [i, digest] of before.entries()) {
      if (digest === 0) continue;
      const slot = this.#slotOf(digest);
      this.#slots[slot] = digest;
      this.#places[slot] = places[i] as number;
    }
  }
}

/** A positive number below 2^53; two texts hardly ever have the same one. */
export const toDigestNumber = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6) + 1;
