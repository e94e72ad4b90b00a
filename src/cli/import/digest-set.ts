/** A set of positive numbers below 2^53: millions of texts, as their digests, in 16 to 32 bytes each. */

const FIRST_SLOTS = 1 << 12;

export class DigestSet {
  /** Open addressing; 0: an empty slot. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;

  has(digest: number): boolean {
    return this.#slots[this.#slotOf(digest)] === digest;
  }

  add(digest: number): void {
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === digest) return;
    this.#slots[slot] = digest;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
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
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const digest of before) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}
