/**
 * The names that visitors give, and the requesters that have them: texts in user agents, and agents that sign. The
 * longest registered text that is a whole token of the user agent decides, in either case, as for crawlers; where
 * several requesters have that text, none is chosen. Once an edit has been answered, it counts.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { View } from '../../lib/cache/view.ts';
import { toLowerLetters } from '../../lib/text.ts';
import { TextTrie } from '../../lib/text-trie.ts';
import { normalizeAgent } from '../../requesters/signatures/agent.ts';
import { findNamed } from '../../requesters/store.ts';
import type { Identity } from '../../rules/crawlers/identity.ts';
import { longestTokens } from '../../rules/crawlers/token.ts';

/** Names found: one requester's id, null for several, undefined for none. */
export type Owner = string | null | undefined;

export interface VisitorNames {
  /** Returns the requester that a user agent names. */
  named(userAgent: string): Owner;
  /** Returns the requester that an agent signs for; `agent` in normal form. */
  signing(agent: string): Owner;
  /** Returns whether a requester has an agent that signs. */
  signs(requesterId: string): boolean;
  /** Returns the texts and agents that several requesters have, with these. */
  shared(): { name: string; requesterIds: string[] }[];
  /** Agents of all requesters, in normal form. */
  readonly agents: ReadonlySet<string>;
}

export interface KnownNames {
  /** Returns the names; a promise until they are in memory. Throws Unavailable. */
  read(): VisitorNames | Promise<VisitorNames>;
}

interface Named {
  userAgents: readonly string[];
  identities?: readonly Identity[];
}
const NOBODY: Named = { userAgents: [] };

/** Reads all names at the first call, then follows the changes. `onAgents` receives the agents when they change. */
export function openNames(db: Db, changes: Changes, onAgents: (agents: ReadonlySet<string>) => void): KnownNames {
  let index: Index | undefined;
  /** Not whole yet. */
  let next: Index | undefined;
  let loading: Promise<Index> | undefined;
  const view = changes.known(
    'names',
    new View<Named>((id, named = NOBODY) => {
      if ((index ?? next)?.replace(id, named) === true && index !== undefined) onAgents(index.agents);
    }),
  );

  async function load(): Promise<Index> {
    const read = new Index();
    next = read;
    try {
      await view.load(() => findNamed(db));
      index = read;
      onAgents(read.agents);
      return read;
    } finally {
      loading = undefined;
    }
  }

  return {
    read() {
      if (index !== undefined) return index;
      loading ??= load();
      return loading;
    },
  };
}

/** A lookup costs the length of the user agent, not the number of requesters. */
class Index implements VisitorNames {
  readonly agents = new Set<string>();
  /** The requesters of each text. */
  readonly #owners = new TextTrie<Set<string>>();
  readonly #signers = new Map<string, Set<string>>();
  readonly #texts = new Map<string, readonly string[]>();
  readonly #agentsOf = new Map<string, readonly string[]>();

  /** Returns whether the agents may have changed. */
  replace(id: string, { userAgents, identities = [] }: Named): boolean {
    for (const text of this.#texts.get(id) ?? []) this.#removeText(text, id);
    const texts = userAgents.map(toLowerLetters);
    keep(this.#texts, id, texts);
    for (const text of texts) this.#owners.set(text, (this.#owners.get(text) ?? new Set<string>()).add(id));
    return this.#replaceAgents(id, identities);
  }

  #replaceAgents(id: string, identities: readonly Identity[]): boolean {
    const before = this.#agentsOf.get(id) ?? [];
    const agents = identities.flatMap((one) => (one.kind === 'signature' ? (normalizeAgent(one.agent) ?? []) : []));
    for (const agent of before) {
      const ids = this.#signers.get(agent);
      ids?.delete(id);
      if (ids?.size === 0) this.#signers.delete(agent);
    }
    keep(this.#agentsOf, id, agents);
    for (const agent of agents) this.#signers.set(agent, (this.#signers.get(agent) ?? new Set<string>()).add(id));
    for (const agent of before) if (!this.#signers.has(agent)) this.agents.delete(agent);
    for (const agent of agents) this.agents.add(agent);
    return before.length + agents.length > 0;
  }

  #removeText(text: string, id: string): void {
    const ids = this.#owners.get(text);
    ids?.delete(id);
    if (ids?.size === 0) this.#owners.delete(text);
  }

  named(userAgent: string): Owner {
    const ids = new Set<string>();
    for (const owners of longestTokens(this.#owners, userAgent)) for (const id of owners) ids.add(id);
    return pickOnly(ids);
  }

  signs(requesterId: string): boolean {
    return this.#agentsOf.has(requesterId);
  }

  signing(agent: string): Owner {
    return pickOnly(this.#signers.get(agent) ?? new Set());
  }

  shared(): { name: string; requesterIds: string[] }[] {
    const owners = new Map<string, Set<string>>();
    for (const [id, names] of [...this.#texts, ...this.#agentsOf])
      for (const name of names) owners.set(name, (owners.get(name) ?? new Set<string>()).add(id));
    return [...owners].filter(([, ids]) => ids.size > 1).map(([name, ids]) => ({ name, requesterIds: [...ids] }));
  }
}

function keep(lists: Map<string, readonly string[]>, id: string, list: readonly string[]): void {
  if (list.length === 0) lists.delete(id);
  else lists.set(id, list);
}

function pickOnly(ids: ReadonlySet<string>): Owner {
  if (ids.size > 1) return null;
  const [id] = ids;
  return id;
}
