/** Bounded maps in memory: the one that everything is kept in, and two that make looking into it cheaper. */

export interface Weight<K, V> {
  max: number;
  of(value: V, key: K): number;
}

/**
 * A bounded map of two generations: an entry that is used moves to the young one; over the bound, the first entries of
 * the old one go. What fits is never dropped; beyond it, roughly the least recently used entries are. The walk through
 * the old generation is one iterator: a new one for each eviction would walk over the holes of deletions, which costs
 * microseconds a call. Entries may have weights that do not change, with a bound on their sum.
 */
export class Lru<K, V> {
  readonly max: number;
  readonly #weight: Weight<K, V> | undefined;
  /** Entries of the young generation. */
  readonly #recent: Recent<V> | undefined;
  #held = 0;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #oldest = this.#old.entries();
  #turn = 0;

  /** `recent`: for keys that are texts which were just parsed; see Recent. */
  constructor(max: number, weight?: Weight<K, V>, recent?: Recent<V>) {
    this.max = max;
    this.#weight = weight;
    this.#recent = recent;
  }

  /**
   * Changes when an entry is replaced or deleted, and when entries must be used again to stay; see Joined.
   */
  get turn(): number {
    return this.#turn;
  }

  get(key: K): V | undefined {
    const recent = this.#recent?.get(key as string);
    if (recent !== undefined) return recent;
    const value = this.#young.get(key);
    if (value !== undefined) {
      this.#recent?.set(key as string, value);
      return value;
    }
    if (this.#old.size === 0) return undefined;
    const older = this.#old.get(key);
    if (older === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, older);
    this.#recent?.set(key as string, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#weight !== undefined) this.#held += this.#weight.of(value, key) - this.#weightAt(key);
    if (this.#old.delete(key) || this.#young.has(key)) this.#turn++;
    this.#young.set(key, value);
    this.#recent?.set(key as string, value);
    while (this.#isOver() && this.#young.size + this.#old.size > 1) this.#evict();
    if (this.#old.size === 0 && this.#isHalf()) this.#age();
  }

  #weightAt(key: K): number {
    const value = this.#young.get(key) ?? this.#old.get(key);
    return value === undefined || this.#weight === undefined ? 0 : this.#weight.of(value, key);
  }

  #isOver(): boolean {
    if (this.#young.size + this.#old.size > this.max) return true;
    return this.#weight !== undefined && this.#held > this.#weight.max;
  }

  #isHalf(): boolean {
    return this.#young.size * 2 >= this.max || (this.#weight !== undefined && this.#held * 2 >= this.#weight.max);
  }

  #evict(): void {
    if (this.#old.size === 0) this.#age();
    const { value: entry } = this.#oldest.next();
    if (entry === undefined) return;
    const [key, value] = entry;
    this.#old.delete(key);
    if (this.#weight !== undefined) this.#held -= this.#weight.of(value, key);
  }

  #age(): void {
    this.#old = this.#young;
    this.#oldest = this.#old.entries();
    this.#young = new Map();
    this.#recent?.clear();
    this.#turn++;
  }

  delete(key: K): void {
    if (this.#weight !== undefined) this.#held -= this.#weightAt(key);
    if (this.#young.delete(key) || this.#old.delete(key)) this.#turn++;
    this.#recent?.delete(key as string);
  }

  clear(): void {
    this.#young = new Map();
    // The empty one becomes the old one.
    this.#age();
    this.#held = 0;
  }
}

/** A power of two. */
const PLACES = 4_096;
const MASK = PLACES - 1;
/** Characters at the end that are read for the place, and as many spread over the rest. */
const READ = 10;

/**
 * Texts that were looked up before, in front of a Map. V8 internalizes a text before it looks it up in a Map, which
 * costs a text that was just parsed several times what comparing it with the last one at its place does. Each text has
 * one place, and texts share places: what is not here must be looked up in the Map.
 */
export class Recent<V> {
  #keys: (string | undefined)[] = places();
  #values: (V | undefined)[] = places();

  get(key: string): V | undefined {
    const place = hashKey(key);
    return this.#keys[place] === key ? this.#values[place] : undefined;
  }

  set(key: string, value: V): void {
    const place = hashKey(key);
    this.#keys[place] = key;
    this.#values[place] = value;
  }

  delete(key: string): void {
    const place = hashKey(key);
    if (this.#keys[place] !== key) return;
    this.#keys[place] = undefined;
    this.#values[place] = undefined;
  }

  clear(): void {
    this.#keys.fill(undefined);
    this.#values.fill(undefined);
  }
}

const places = (): undefined[] => Array.from({ length: PLACES }, () => undefined);

function hashKey(key: string): number {
  const { length } = key;
  let hash = length;
  const rest = Math.max(0, length - READ);
  for (let i = rest; i < length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  const step = Math.max(1, Math.ceil(rest / READ));
  for (let i = 0; i < rest; i += step) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 12)) & MASK;
}

type Source = Pick<Lru<never, never>, 'turn'>;

/**
 * Values that were joined from entries of several maps: one look instead of one in each. Returns a value only as long
 * as every map would return the entries it was joined from, and only on the same ground. Holds the values that were
 * used last, at most as many as Recent has places.
 */
export class Joined<V, Ground> {
  readonly #sources: readonly Source[];
  readonly #values = new Recent<V>();
  #ground: Ground | undefined;
  #turn = -1;

  /** `sources`: the maps of the entries. When one of them turns, everything is forgotten. */
  constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  /** Returns a value that was joined on the same ground. */
  get(key: string, ground: Ground): V | undefined {
    let turn = 0;
    for (const source of this.#sources) turn += source.turn;
    if (turn !== this.#turn || ground !== this.#ground) {
      this.#values.clear();
      this.#turn = turn;
      this.#ground = ground;
    }
    return this.#values.get(key);
  }

  /** Keeps a value. Call it after `get` of its key and of its entries, without awaiting in between. */
  set(key: string, value: V): void {
    this.#values.set(key, value);
  }
}
