import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { Joined, Lru } from './lru.ts';

interface Together {
  left: number;
  right: number;
  ground: number;
}

/** Two maps that hold few entries, and what is put together from both. */
class Pair {
  readonly #left: Lru<string, number>;
  readonly #right: Lru<string, number>;
  readonly #joined: Joined<Together, number>;
  #ground = 0;

  constructor(max: number) {
    this.#left = new Lru(max);
    this.#right = new Lru(max, { max: 2 * max, of: (value) => value % 3 });
    this.#joined = new Joined([this.#left, this.#right]);
  }

  /** Seldom sets an entry that is there already: that alone would let everything be forgotten. */
  set(side: 'left' | 'right', key: string, value: number): void {
    const map = this.#side(side);
    if (map.get(key) === undefined || value % 8 === 0) map.set(key, value);
  }

  delete(side: 'left' | 'right', key: string): void {
    this.#side(side).delete(key);
  }

  turnGround(): void {
    this.#ground++;
  }

  /** `only`: in `Joined` alone if it is there, so that the maps do not see the entries used. */
  look(key: string, only: boolean): void {
    const given = this.#joined.get(key, this.#ground);
    if (given !== undefined && only) return;
    const [left, right] = [this.#left.get(key), this.#right.get(key)];
    const found = left === undefined || right === undefined ? undefined : { left, right, ground: this.#ground };
    if (given !== undefined) assert.deepEqual(given, found);
    if (found === undefined) return;
    this.#joined.set(key, found);
    assert.equal(this.#joined.get(key, this.#ground), found);
  }

  #side(side: 'left' | 'right'): Lru<string, number> {
    return side === 'left' ? this.#left : this.#right;
  }
}

type Step = (pair: Pair, key: number, at: number) => void;
const name = (key: number): string => `item-${key}`;

const STEPS: readonly Step[] = [
  (pair, key, at) => pair.set('left', name(key), at),
  (pair, key, at) => pair.set('right', name(key), at),
  (pair, key) => key < 2 && pair.delete(key === 0 ? 'left' : 'right', name(key)),
  (pair, key) => (key === 0 ? pair.turnGround() : pair.look(name(key), false)),
  (pair, key) => pair.look(name(key), true),
  (pair, key) => pair.look(name(key), false),
  (pair, key) => pair.look(name(key), false),
];

test('never gives what its maps would no longer give, and gives what was just put together', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 8 }),
      fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...STEPS)), { minLength: 60, maxLength: 200 }),
      (max, steps) => {
        const pair = new Pair(max);
        for (const [at, [key, step]] of steps.entries()) step(pair, key, at);
      },
    ),
  );
});
