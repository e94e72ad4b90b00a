/**
 * Texts that were looked up before, in front of a Map. V8 internalizes a text before it looks it up in a Map, which
 * costs a text that was just parsed several times what comparing it with the last one at its place does. Each text has
 * one place, and texts share places: what is not here must be looked up in the Map.
 */

/** A power of two. */
const PLACES = 4_096;
const MASK = PLACES - 1;
/** Characters at the end that are read for the place, and as many spread over the rest. */
const READ = 10;

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
