/**
 * The records as the impact preview reads them: decisions in pages, newest last, and what they refer to. One implementation
 * per engine. Decisions and history only grow, so pages need no common snapshot; an item that is edited or deleted while
 * they are read is told by its own row.
 */
import { openConnection } from '../db/sqlite-connection.ts';
import type { PolicyVersion } from '../policies/policy.ts';
import { toVersion, type VersionRow } from '../policies/store.ts';
import type { Past } from '../requesters/history.ts';
import { type HistoryRow, toPast } from '../requesters/store.ts';
import type { PresentItem, RecordedDecision } from './impact.ts';

export interface ImpactSource {
  /** The places of the decisions from a moment on until before another; places are in the order of time. */
  places(from: number, to: number): Promise<{ after: number; last: number }>;
  /** Of one policy, of places after `after` up to `last`, ascending. */
  decisions(policyNo: number, span: { after: number; last: number }): Promise<RecordedDecision[]>;
  version(policyNo: number, version: number): Promise<PolicyVersion | undefined>;
  /** Those that exist, under a policy's id: that of the decision, not the one they have now. */
  items(nos: readonly number[], policyId: string): Promise<Map<number, PresentItem>>;
  /** Of all ids, registered or not. */
  pasts(requesterIds: readonly string[]): Promise<Map<string, Past>>;
  /** Of those that are registered. */
  names(requesterIds: readonly string[]): Promise<Map<string, string>>;
  close(): void;
}

/** In the order of the columns that `decisions` selects. */
type DecisionRow = [
  seq: number,
  at: number,
  contentNo: number,
  requesterId: string | null,
  version: number,
  reason: number,
  ruleIndex: number | null,
  inputs: string | null,
];

const toDecision = (row: DecisionRow): RecordedDecision => ({
  seq: row[0],
  at: row[1],
  contentNo: row[2],
  requesterId: row[3],
  version: row[4],
  reason: row[5],
  ruleIndex: row[6],
  inputs: row[7],
});

interface ItemRow {
  no: number;
  id: string;
  externalId: string;
  title: string;
  type: string;
  tags: string;
  metadata: string;
  revision: number;
  updatedAt: number;
}

/** Through a read-only connection of the calling thread. */
export function openSqliteImpactSource(file: string): ImpactSource {
  const connection = openConnection(file, { readOnly: true, cacheKiB: 8192 });
  const all = <R>(sql: string, params: readonly (string | number)[]): R[] =>
    connection.all(sql, params) as unknown as R[];

  // Rows as arrays: half the time of rows as objects.
  const page = connection.prepare(
    `select seq, at, content_no, requester_id, policy_version, reason, rule_index, inputs
     from decisions where seq > $1 and seq <= $2 and policy_no = $3 order by seq`,
  );
  page.setReturnArrays(true);

  /** The last place before a moment. */
  function placeBefore(moment: number): number {
    let before = 0;
    let last = all<{ seq: number | null }>('select max(seq) as seq from decisions', [])[0]?.seq ?? 0;
    while (before < last) {
      const middle = before + Math.floor((last - before) / 2);
      const [next] = all<{ seq: number; at: number }>(
        'select seq, at from decisions where seq > $1 order by seq limit 1',
        [middle],
      );
      if (next === undefined || next.at >= moment) last = middle;
      else before = next.seq;
    }
    return before;
  }

  return {
    async places(from, to) {
      return { after: placeBefore(from), last: placeBefore(to) };
    },
    async decisions(policyNo, { after, last }) {
      return (page.all(after, last, policyNo) as unknown as DecisionRow[]).map(toDecision);
    },
    async version(policyNo, version) {
      const [row] = all<VersionRow>(
        `select policy_no as no, policy_id as id, version, name, description, rules, default_action
         from policy_versions where policy_no = $1 and version = $2`,
        [policyNo, version],
      );
      return row && toVersion(row);
    },
    async items(nos, policyId) {
      const rows = all<ItemRow>(
        `select no, id, external_id as "externalId", title, type, tags, metadata, revision, updated_at as "updatedAt"
         from content where no in (select value from json_each($1))`,
        [JSON.stringify(nos)],
      );
      return new Map(rows.map((row) => [row.no, toItem(row, policyId)]));
    },
    async pasts(ids) {
      const list = [JSON.stringify(ids)];
      const versions = all<HistoryRow & { owner_id: string }>(
        `select owner_id, kind, object_id, at, record from history
         where owner_id in (select value from json_each($1)) order by seq`,
        list,
      );
      const present = all<{ id: string; created_at: number }>(
        'select id, created_at from requesters where id in (select value from json_each($1))',
        list,
      );
      const rowsOf = Map.groupBy(versions, (row) => row.owner_id);
      const createdAt = new Map(present.map((row) => [row.id, row.created_at]));
      return new Map(ids.map((id) => [id, toPast(rowsOf.get(id) ?? [], createdAt.get(id) ?? null)]));
    },
    async names(ids) {
      const rows = all<{ id: string; name: string }>(
        'select id, name from requesters where id in (select value from json_each($1))',
        [JSON.stringify(ids)],
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    close: () => connection.close(),
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
    // Whether it was archived at a decision, the decision itself says.
    archived: false,
  },
  title: row.title,
  editedAt: row.revision === 1 ? null : row.updatedAt,
});
