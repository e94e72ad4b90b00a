/**
 * Requesters by their user agents. Promise: the longest of the registered texts that a user agent contains says who it is,
 * in upper or lower case; when that text is registered for several, nobody is guessed. An edit that was answered counts.
 */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { smallLetters } from '../lib/text.ts';
import { findUserAgents } from './store.ts';

/** Texts are found by how they begin; the schema refuses shorter ones. */
const HEAD = 3;

export interface UserAgents {
  /** Who it is; undefined: nobody known, null: several. */
  find(userAgent: string): Promise<string | null | undefined>;
}

/** Read at the first question, then kept up to date by the changes. */
export function openUserAgents(db: Db, changes: Changes): UserAgents {
  let index: Index | undefined;
  let loading: Promise<Index> | undefined;
  /** Changes while it is read, which may be missing in it. */
  const meanwhile = new Map<string, readonly string[]>();

  changes.subscribe(({ kind, id, object }) => {
    if (!kind.startsWith('requester.')) return;
    const userAgents = kind === 'requester.deleted' ? [] : (object as { userAgents: readonly string[] }).userAgents;
    if (index !== undefined) index.replace(id, userAgents);
    else if (loading !== undefined) meanwhile.set(id, userAgents);
  });

  async function load(): Promise<Index> {
    const read = new Index();
    try {
      for (const { id, userAgents } of await findUserAgents(db)) read.replace(id, userAgents);
      for (const [id, userAgents] of meanwhile) read.replace(id, userAgents);
      index = read;
      return read;
    } finally {
      meanwhile.clear();
      loading = undefined;
    }
  }

  return {
    async find(userAgent) {
      if (index !== undefined) return index.find(userAgent);
      loading ??= load();
      return (await loading).find(userAgent);
    },
  };
}

/** Costs the length of the user agent, not the number of requesters. */
class Index {
  /** By their first characters: text to the requesters it is registered for. */
  readonly #byHead = new Map<string, Map<string, Set<string>>>();
  readonly #textsOf = new Map<string, readonly string[]>();

  replace(id: string, userAgents: readonly string[]): void {
    for (const text of this.#textsOf.get(id) ?? []) this.#remove(text, id);
    const texts = userAgents.map(smallLetters);
    if (texts.length === 0) this.#textsOf.delete(id);
    else this.#textsOf.set(id, texts);
    for (const text of texts) {
      const head = text.slice(0, HEAD);
      const sameHead = this.#byHead.get(head) ?? new Map<string, Set<string>>();
      this.#byHead.set(head, sameHead);
      sameHead.set(text, (sameHead.get(text) ?? new Set<string>()).add(id));
    }
  }

  #remove(text: string, id: string): void {
    const head = text.slice(0, HEAD);
    const sameHead = this.#byHead.get(head);
    const ids = sameHead?.get(text);
    ids?.delete(id);
    if (ids?.size === 0) sameHead?.delete(text);
    if (sameHead?.size === 0) this.#byHead.delete(head);
  }

  find(userAgent: string): string | null | undefined {
    const agent = smallLetters(userAgent);
    let longest = 0;
    const ids = new Set<string>();
    for (let i = 0; i + HEAD <= agent.length; i++) {
      for (const [text, owners] of this.#byHead.get(agent.slice(i, i + HEAD)) ?? []) {
        if (text.length < longest || !agent.startsWith(text, i)) continue;
        if (text.length > longest) ids.clear();
        longest = text.length;
        for (const id of owners) ids.add(id);
      }
    }
    if (ids.size > 1) return null;
    return [...ids][0];
  }
}
