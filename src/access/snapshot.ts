/**
 * What a check needs of the records, in memory: read through, bounded, forgotten on change. Promise: once an edit was
 * answered by this node, no check that starts afterwards is decided on what was there before.
 */
import type { Changes } from '../changes/changes.ts';
import { isContentId, toContentFacts } from '../content/content.ts';
import { findContents } from '../content/store.ts';
import type { Db } from '../db/db.ts';
import { Lru } from '../lib/lru.ts';
import { type CompiledPolicy, compile } from '../policies/compile.ts';
import type { ContentFacts, LicenseFacts, RequesterFacts } from '../policies/facts.ts';
import { findPolicy } from '../policies/store.ts';
import { toLicenseFacts } from '../requesters/license.ts';
import { toRequesterFacts } from '../requesters/requester.ts';
import { findLicensesOf, findRequester } from '../requesters/store.ts';

/** About 400 bytes an item without metadata. */
const CONTENT_MAX = 2_000_000;
const POLICIES_MAX = 10_000;
const REQUESTERS_MAX = 100_000;
const TAG_LISTS_MAX = 100_000;

/** A requester with all its licences; `facts` is null when nobody registered the id. */
export interface KnownRequester {
  facts: RequesterFacts | null;
  licenses: readonly LicenseFacts[];
}

export interface Snapshot {
  /** The item by id or externalId, if it is in memory. */
  content(ref: string): ContentFacts | undefined;
  /** Reads items; references that name nothing are left out. */
  loadContent(refs: readonly string[]): Promise<Map<string, ContentFacts>>;
  /** Who asks, if it is in memory; also when nobody registered the id. */
  requester(id: string): KnownRequester | undefined;
  loadRequester(id: string): Promise<KnownRequester>;
  policy(id: string): CompiledPolicy | undefined;
  loadPolicy(id: string): Promise<CompiledPolicy | undefined>;
}

export function openSnapshot(db: Db, changes: Changes): Snapshot {
  const byId = new Lru<string, ContentFacts>(CONTENT_MAX);
  // Only ever a hint where to look: an item's externalId never changes, and what is gone from byId is read again.
  const idOf = new Lru<string, string>(CONTENT_MAX);
  const policies = new Lru<string, CompiledPolicy>(POLICIES_MAX);
  const requesters = new Lru<string, KnownRequester>(REQUESTERS_MAX);
  const tagLists = new Lru<string, readonly string[]>(TAG_LISTS_MAX);
  // What was read while a change was on its way serves the check that asked, which began before, and is not kept.
  let epoch = 0;

  changes.subscribe(({ kind, id, ownerId }) => {
    epoch++;
    if (kind.startsWith('content.')) byId.delete(id);
    else if (kind.startsWith('policy.')) policies.delete(id);
    else if (kind.startsWith('requester.')) requesters.delete(id);
    else if (ownerId !== undefined) requesters.delete(ownerId);
  });

  /** Thousands of items have the same tags: one list serves them all. */
  function sharedTags(tags: readonly string[]): readonly string[] {
    const name = tags.join('\0');
    const known = tagLists.get(name);
    if (known === undefined) tagLists.set(name, tags);
    return known ?? tags;
  }

  return {
    content: (ref) => (isContentId(ref) ? byId.get(ref) : byId.get(idOf.get(ref) ?? '')),
    async loadContent(refs) {
      const before = epoch;
      const found = new Map<string, ContentFacts>();
      for (const [ref, content] of await findContents(db, refs)) {
        const policy = policies.get(content.policyId) ?? (await this.loadPolicy(content.policyId));
        found.set(ref, {
          ...toContentFacts(content),
          tags: sharedTags(content.tags),
          // Up to 16 KiB an item: kept only for rules that ask.
          metadata: policy?.asksMetadata === true ? content.metadata : null,
          policyId: policy?.id ?? content.policyId,
        });
      }
      if (before !== epoch) return found;
      for (const facts of found.values()) {
        byId.set(facts.id, facts);
        idOf.set(facts.externalId, facts.id);
      }
      return found;
    },
    requester: (id) => requesters.get(id),
    async loadRequester(id) {
      const before = epoch;
      const requester = await findRequester(db, id);
      const licenses = requester === undefined ? [] : await findLicensesOf(db, id);
      const facts = requester === undefined ? null : toRequesterFacts(requester);
      const known = { facts, licenses: licenses.map(toLicenseFacts) };
      if (before === epoch) requesters.set(id, known);
      return known;
    },
    policy: (id) => policies.get(id),
    async loadPolicy(id) {
      const before = epoch;
      const policy = await findPolicy(db, id);
      if (policy === undefined) return undefined;
      const compiled = compile(policy);
      if (before === epoch) policies.set(id, compiled);
      return compiled;
    },
  };
}
