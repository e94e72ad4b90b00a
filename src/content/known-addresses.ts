/**
 * Addresses with what is there, in memory and bounded. An edit of an item forgets those that it may concern, and no
 * others: an importer edits items all day. What was read before an edit is not kept beyond it.
 */
import type { Notice } from '../changes/change.ts';
import { type Locator, parseLocator } from '../lib/locator.ts';
import { Lru } from '../lib/lru.ts';

const KNOWN_MAX = 50_000;
/** Longer addresses are not remembered, so that memory has a bound. */
const KNOWN_LENGTH_MAX = 300;
/** Marks of edits; beyond, every address is forgotten. Marks of long paths are not kept. */
const EDITED_MAX = 20_000;

/** Returns a distinct name for each address: a decoded path may contain any character, `?` included. */
export const toName = ({ host, path, query }: Locator): string =>
  `${host.length} ${path.length} ${host}${path}${query}`;

/** The items at an address, and at the one that some servers read instead. */
export interface Items {
  /** undefined: none, null: several. */
  id: string | null | undefined;
  /** undefined: all servers read the address alike; null: some read one that has no plain path. */
  plain: { locator: Locator; id: string | null | undefined } | null | undefined;
}

interface Entry<T extends Items> {
  value: T;
  path: string;
  /** The number of edits when it was known to be right. */
  rightAt: number;
}

export class KnownAddresses<T extends Items> {
  readonly #entries = new Lru<string, Entry<T>>(KNOWN_MAX);
  /** Paths and ids of edited items, with the number of the last edit. */
  readonly #edited = new Map<string, number>();
  #edits = 0;
  /** Entries from before this edit are forgotten. */
  #forgottenTo = 0;

  get(locator: Locator): T | undefined {
    const entry = this.#entries.get(toName(locator));
    if (entry === undefined) return undefined;
    if (entry.rightAt === this.#edits) return entry.value;
    if (!this.#isRight(entry)) return undefined;
    entry.rightAt = this.#edits;
    return entry.value;
  }

  /** Call before a read; what it returns keeps what was read. */
  begin(): (locator: Locator, value: T) => void {
    const rightAt = this.#edits;
    return (locator, value) => {
      const name = toName(locator);
      if (name.length <= KNOWN_LENGTH_MAX) this.#entries.set(name, { value, path: locator.path, rightAt });
    };
  }

  /** Forgets the addresses that the edit of an item may concern. */
  onEdit({ id, object }: Pick<Notice, 'id' | 'object'>): void {
    this.#edits++;
    const { source, externalId } = object as { source?: unknown; externalId?: unknown };
    if (typeof source !== 'string' || typeof externalId !== 'string' || this.#edited.size >= EDITED_MAX) {
      this.#forgottenTo = this.#edits;
      this.#edited.clear();
      return;
    }
    // Where it was served before is found by its id.
    const paths = [parseLocator(source)?.path, externalId, `/${externalId}`];
    for (const key of [id, ...paths]) {
      if (key !== undefined && key.length <= KNOWN_LENGTH_MAX) this.#edited.set(key, this.#edits);
    }
  }

  #isRight({ value: { id, plain }, path, rightAt }: Entry<T>): boolean {
    // Which of several items an edit was about is not known.
    if (rightAt < this.#forgottenTo || id === null || plain?.id === null) return false;
    return [path, id, plain?.locator.path, plain?.id].every(
      (key) => key === undefined || (this.#edited.get(key) ?? 0) <= rightAt,
    );
  }
}
