/**
 * Finds the requester that a visitor is: the id in the header that the proxy is configured for, else by the user
 * agent. The longest registered text that the user agent contains decides, in either case; where several requesters
 * have that text, none is chosen. Once an edit has been answered, it counts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { Slices } from '../lib/slices.ts';
import { toLowerLetters } from '../lib/text.ts';
import { TextTrie } from '../lib/text-trie.ts';
import { REQUESTER_ID_PATTERN } from '../policies/names.ts';
import { findUserAgents } from '../requesters/store.ts';
import type { AuthorizeOptions } from './schema.ts';
import type { Unclear } from './target.ts';

/** The bound of a check. A longer one is refused, because what it hides must not be guessed; no browser sends one. */
const USER_AGENT_LENGTH_MAX = 1024;
const REQUESTER_ID = new RegExp(REQUESTER_ID_PATTERN);

/** Returns no id for an anonymous visitor. */
export async function findVisitor(
  userAgents: UserAgents,
  headers: IncomingHttpHeaders,
  { requesterHeader }: AuthorizeOptions,
): Promise<{ requesterId?: string } | Unclear> {
  const userAgent = headers['user-agent'];
  if (userAgent !== undefined && userAgent.length > USER_AGENT_LENGTH_MAX) return 'unreadable_user_agent';
  const named = requesterHeader === undefined ? undefined : headers[requesterHeader.toLowerCase()];
  if (named !== undefined && named !== '') {
    return typeof named === 'string' && REQUESTER_ID.test(named) ? { requesterId: named } : 'invalid_requester';
  }
  const id = userAgent === undefined ? undefined : await userAgents.find(userAgent);
  if (id === null) return 'ambiguous_requester';
  return id === undefined ? {} : { requesterId: id };
}

export interface UserAgents {
  /** Returns the requester's id; undefined: none is registered for it, null: several are. */
  find(userAgent: string): Promise<string | null | undefined>;
}

/** Reads all user agents at the first call, then follows the changes. */
export function openUserAgents(db: Db, changes: Changes): UserAgents {
  let index: Index | undefined;
  let loading: Promise<Index> | undefined;
  /** Changes during the read, which may be missing in it. */
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
      const slices = new Slices();
      for (const { id, userAgents } of await findUserAgents(db)) {
        read.replace(id, userAgents);
        await slices.next();
      }
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

/** A lookup costs the length of the user agent, not the number of requesters. */
class Index {
  /** The requesters of each text. */
  readonly #owners = new TextTrie<Set<string>>();
  readonly #texts = new Map<string, readonly string[]>();

  replace(id: string, userAgents: readonly string[]): void {
    for (const text of this.#texts.get(id) ?? []) this.#remove(text, id);
    const texts = userAgents.map(toLowerLetters);
    if (texts.length === 0) this.#texts.delete(id);
    else this.#texts.set(id, texts);
    for (const text of texts) this.#owners.set(text, (this.#owners.get(text) ?? new Set<string>()).add(id));
  }

  #remove(text: string, id: string): void {
    const ids = this.#owners.get(text);
    ids?.delete(id);
    if (ids?.size === 0) this.#owners.delete(text);
  }

  find(userAgent: string): string | null | undefined {
    const ids = new Set<string>();
    for (const owners of this.#owners.longestIn(toLowerLetters(userAgent))) {
      for (const id of owners) {
        ids.add(id);
        if (ids.size > 1) return null;
      }
    }
    return [...ids][0];
  }
}
