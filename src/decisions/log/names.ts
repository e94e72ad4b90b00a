/** Adds present names to the ids of decisions, for people who read the log. */
import { findCollectionNames } from '../../content/collections/store.ts';
import type { Db } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { findPolicies } from '../../policies/store.ts';
import { findNames } from '../../requesters/store.ts';
import type { LoggedDecision } from '../history/logged.ts';

export interface Names {
  /** The item's title; null without an item. */
  content: string | null;
  /** Null for an anonymous check and for an unregistered requester. */
  requester: string | null;
  /** Null once the policy is deleted, and where the caller may not read policies. */
  policy: string | null;
  /** Null outside of collections, and once the collection is deleted. */
  collection: string | null;
}

export type NamedDecision = LoggedDecision & { names?: Names };

/** Bounded by the store's placeholders. */
const AT_ONCE = 1_000;

/** Adds names; those of policies only where the caller may read policies, since usage shows the others anyway. */
export async function withNames(
  db: Db,
  decisions: readonly LoggedDecision[],
  may: { policies: boolean },
): Promise<NamedDecision[]> {
  const [titles, requesters, collections, policies] = await Promise.all([
    found(
      decisions.map(({ contentId }) => contentId),
      (ids) => findTitles(db, ids),
    ),
    found(
      decisions.map(({ requesterId }) => requesterId),
      (ids) => findNames(db, ids),
    ),
    found(
      decisions.map(({ collectionId }) => collectionId),
      (ids) => findCollectionNames(db, ids),
    ),
    findPolicies(db, may.policies ? decisions.map(({ policyId }) => policyId) : []),
  ]);
  return decisions.map((decision) => ({
    ...decision,
    names: {
      content: titles.get(decision.contentId ?? '') ?? null,
      requester: requesters.get(decision.requesterId ?? '') ?? null,
      policy: policies.get(decision.policyId)?.name ?? null,
      collection: collections.get(decision.collectionId ?? '') ?? null,
    },
  }));
}

async function found(
  ids: readonly (string | null)[],
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Map<string, string>> {
  const unique = [...new Set(ids)].filter((id) => id !== null);
  const names = new Map<string, string>();
  for (let i = 0; i < unique.length; i += AT_ONCE) {
    for (const [id, name] of await read(unique.slice(i, i + AT_ONCE))) names.set(id, name);
  }
  return names;
}

async function findTitles(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const sql = `select id, title from content where ${inList(db.engine, 'id', 'text')}`;
  const rows = await db.read<{ id: string; title: string }>(sql, [toList(ids)]);
  return new Map(rows.map(({ id, title }) => [id, title]));
}
