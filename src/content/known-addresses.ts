/**
 * Addresses with what is there, in memory and bounded. An edit of an item forgets those that it may concern, and no
 * others: an importer edits items all day. What was read before an edit is not kept beyond it.
 */
import { Lru } from '../lib/cache/lru.ts';
import { type Locator, parseLocator } from '../lib/urls/locator.ts';

const KNOWN_MAX = 50_000;
/** Longer addresses are not remembered, so that memory has a bound. */
const KNOWN_LENGTH_MAX = 300;
/** Marks of edits; beyond, every address is forgotten. */
const EDITED_MAX = 20_000;

/** Returns a distinct name for each address: a decoded path may contain any character, `?` included. */
export const toName = ({ host, path, query }: Locator): string =>
  `${host.length} ${path.length} ${host}${path}${query}`;

/** `router`: see `nameOfLooseness`; the same address leads elsewhere under each. */
const nameFor = (locator: Locator, router: string): string =>
  router === '' ? toName(locator) : `${router} ${toName(locator)}`;

/** The result of a search at an address. */
export interface AddressLookup {
  /** Numbers of the paths that were looked at and the items that were found, see `keyOf`. */
  readonly keys: readonly number[];
  /** Several items were found: which of them an edit is about is not known. */
  readonly isUnsure: boolean;
}

/** Returns a number for a path in any case, or an id. What differs may share one: it is read again once too often. */
export function addressKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193);
  }
  return hash;
}

interface Entry<T extends AddressLookup> {
  value: T;
  /** The number of edits when it was known to be right. */
  rightAt: number;
}

export class KnownAddresses<T extends AddressLookup> {
  readonly #entries = new Lru<string, Entry<T>>(KNOWN_MAX);
  /** Paths and ids of edited items, with the number of the last edit. */
  readonly #edited = new Map<number, number>();
  #edits = 0;
  /** Entries from before this edit are forgotten. */
  #forgottenTo = 0;

  get(locator: Locator, router: string): T | undefined {
    const entry = this.#entries.get(nameFor(locator, router));
    if (entry === undefined) return undefined;
    if (entry.rightAt === this.#edits) return entry.value;
    if (!this.#isRight(entry)) return undefined;
    entry.rightAt = this.#edits;
    return entry.value;
  }

  /** Call before a read; what it returns keeps what was read. */
  begin(): (locator: Locator, router: string, value: T) => void {
    const rightAt = this.#edits;
    return (locator, router, value) => {
      const name = nameFor(locator, router);
      if (name.length <= KNOWN_LENGTH_MAX) this.#entries.set(name, { value, rightAt });
    };
  }

  /** Forgets the addresses that the edit of an item may concern. */
  delete(id: string, object: object): void {
    this.#edits++;
    const { source, externalId } = object as { source?: unknown; externalId?: unknown };
    if (typeof source !== 'string' || typeof externalId !== 'string' || this.#edited.size >= EDITED_MAX) {
      this.#forgottenTo = this.#edits;
      this.#edited.clear();
      return;
    }
    // Where it was served before is found by its id.
    const paths = [parseLocator(source)?.path, externalId, `/${externalId}`];
    for (const text of [id, ...paths]) if (text !== undefined) this.#edited.set(addressKey(text), this.#edits);
  }

  #isRight({ value: { keys, isUnsure }, rightAt }: Entry<T>): boolean {
    if (isUnsure || rightAt < this.#forgottenTo) return false;
    for (const key of keys) if ((this.#edited.get(key) ?? 0) > rightAt) return false;
    return true;
  }
}
