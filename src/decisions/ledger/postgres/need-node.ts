/** The keys for which the server lately left the claims to a node: for a while, it is not asked in vain. */
import { Lru } from '../../../lib/cache/lru.ts';
import { monotonicMs } from '../../../lib/clock.ts';

const NEED_NODE_MS = 1_000;
const KEYS_MAX = 10_000;

export class NeedNode {
  readonly #until = new Lru<string, number>(KEYS_MAX);
  #latest = 0;

  note(keys: readonly string[]): void {
    this.#latest = monotonicMs() + NEED_NODE_MS;
    for (const key of keys) this.#until.set(key, this.#latest);
  }

  has(keys: readonly string[]): boolean {
    const now = monotonicMs();
    return this.#latest > now && keys.some((key) => (this.#until.get(key) ?? 0) > now);
  }
}
