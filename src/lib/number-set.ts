/** A set of small integers from 0, a bit each. */
export class NumberSet {
  #bits = new Uint8Array(1_024);

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  add(number: number): void {
    const at = number >> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, 2 * this.#bits.length));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] as number) | (1 << (number & 7));
  }

  delete(number: number): void {
    const at = number >> 3;
    if (at < this.#bits.length) this.#bits[at] = (this.#bits[at] as number) & ~(1 << (number & 7));
  }

  clear(): void {
    this.#bits.fill(0);
  }
}
