/**
 * Reads decisions, and the records that they name, for the impact preview. History only grows, so pages need no common
 * snapshot. An item's own row shows that it was edited or deleted meanwhile.
 */
import { inList, toList } from '../../db/query.ts';
import { openPast, type PastDecisions, type PastPlace } from '../../decisions/history/past.ts';
import { toVersion, type VersionRow } from '../../policies/store.ts';
import type { Past } from '../../requesters/licenses/history.ts';
import { type HistoryRow, toPast } from '../../requesters/store.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import type { PresentItem } from './impact.ts';

export interface ImpactSource extends Omit<PastDecisions, 'all'> {
  version(policyNo: number, version: number): Promise<PolicyVersion | undefined>;
  /** Returns the items that exist, with the policy of the decision in place of their present one. */
  items(nos: readonly number[], policyId: string): Promise<Map<number, PresentItem>>;
  /** Returns the history of every id, registered or not. */
  pasts(requesterIds: readonly string[]): Promise<Map<string, Past>>;
  /** Returns the names of the collections that exist. */
  collections(ids: readonly string[]): Promise<Map<string, string>>;
  /** Returns the names of registered requesters. */
  names(requesterIds: readonly string[]): Promise<Map<string, string>>;
}

interface ItemRow {
  no: number;
  id: string;
  externalId: string;
  title: string;
  type: string;
  source: string;
  tags: string;
  metadata: string;
  ownsPolicy: 0 | 1;
  revision: number;
  updatedAt: number;
}

export async function openImpactSource(place: PastPlace, pagesKiB: number): Promise<ImpactSource> {
  const { all, ...past } = await openPast(place, pagesKiB);
  const { engine } = past.db;

  async function readNames(table: 'collections' | 'requesters', ids: readonly string[]): Promise<Map<string, string>> {
    const sql = `select id, name from ${table} where ${inList(engine, 'id', 'text')}`;
    const rows = await all<{ id: string; name: string }>(sql, [toList(ids)]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  return {
    ...past,
    async version(policyNo, version) {
      const [row] = await all<VersionRow>(
        `select policy_no as no, policy_id as id, version, name, description, rules, default_action
         from policy_versions where policy_no = $1 and version = $2`,
        [policyNo, version],
      );
      return row && toVersion(row);
    },
    async items(nos, policyId) {
      const rows = await all<ItemRow>(
        `select no, id, external_id as "externalId", title, type, source, tags, metadata,
           owns_policy as "ownsPolicy", revision, updated_at as "updatedAt"
         from content where ${inList(engine, 'no', 'bigint')}`,
        [toList(nos)],
      );
      return new Map(rows.map((row) => [row.no, toItem(row, policyId)]));
    },
    async pasts(ids) {
      const list = [toList(ids)];
      const versions = await all<HistoryRow & { owner_id: string }>(
        `select owner_id, kind, object_id, at, record from history where ${inList(engine, 'owner_id', 'text')} order by seq`,
        list,
      );
      const present = await all<{ id: string; created_at: number }>(
        `select id, created_at from requesters where ${inList(engine, 'id', 'text')}`,
        list,
      );
      const rowsByOwner = Map.groupBy(versions, (row) => row.owner_id);
      const createdAt = new Map(present.map((row) => [row.id, row.created_at]));
      return new Map(ids.map((id) => [id, toPast(rowsByOwner.get(id) ?? [], createdAt.get(id) ?? null)]));
    },
    collections: (ids) => readNames('collections', ids),
    names: (ids) => readNames('requesters', ids),
  };
}

const toItem = (row: ItemRow, policyId: string): PresentItem => ({
  facts: {
    no: row.no,
    id: row.id,
    externalId: row.externalId,
    type: row.type,
    tags: JSON.parse(row.tags) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    policyId,
    source: row.source,
    collectionId: null,
    observed: false,
    // The decision itself says whether the item was archived.
    archived: false,
    ownsPolicy: row.ownsPolicy === 1,
  },
  title: row.title,
  editedAt: row.revision === 1 ? null : row.updatedAt,
});
