/**
 * Reads decisions in pages, newest last, and the records that they name, for the impact preview. Decisions and history
 * only grow, so pages need no common snapshot. An item's own row shows that it was edited or deleted meanwhile.
 */
import { type Db, type Row, Unavailable, type Value } from '../../db/db.ts';
import { isPostgresUrl } from '../../db/postgres/url.ts';
import { inList, toList } from '../../db/query.ts';
import { openConnection } from '../../db/sqlite/connection.ts';
import { seqsBetween } from '../../decisions/history/time-order.ts';
import { toVersion, type VersionRow } from '../../policies/store.ts';
import type { Past } from '../../requesters/licenses/history.ts';
import { type HistoryRow, toPast } from '../../requesters/store.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import type { PresentItem, RecordedDecision } from './impact.ts';

/** Decisions with numbers after `after` up to `last`, made at `from` or later and before `to` (epoch ms). */
export interface ImpactSpan {
  after: number;
  last: number;
  from: number;
  to: number;
}

export interface ImpactSource {
  /** Returns a span with all decisions of the time. */
  span(from: number, to: number): Promise<ImpactSpan>;
  /** Returns decisions of one policy, ascending. */
  decisions(policyNo: number, span: ImpactSpan): Promise<RecordedDecision[]>;
  version(policyNo: number, version: number): Promise<PolicyVersion | undefined>;
  /** Returns the items that exist, with the policy of the decision in place of their present one. */
  items(nos: readonly number[], policyId: string): Promise<Map<number, PresentItem>>;
  /** Returns the history of every id, registered or not. */
  pasts(requesterIds: readonly string[]): Promise<Map<string, Past>>;
  /** Returns the names of the collections that exist. */
  collections(ids: readonly string[]): Promise<Map<string, string>>;
  /** Returns the names of registered requesters. */
  names(requesterIds: readonly string[]): Promise<Map<string, string>>;
  /** Reads on the same connection. */
  readonly db: Db;
  close(): Promise<void>;
}

/** `records` is a file of SQLite or the URL of a PostgreSQL. */
export const openImpactSource = (records: string, pagesKiB: number): Promise<ImpactSource> =>
  isPostgresUrl(records) ? openPostgresImpactSource(records) : openSqliteImpactSource(records, pagesKiB);

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
  permission: string | null,
  purpose: string | null,
  url: string | null,
  collectionId: string | null,
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
  permission: row[8],
  purpose: row[9],
  url: row[10],
  collectionId: row[11],
});

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

type All = <R>(sql: string, params: readonly Value[]) => Promise<R[]>;

/** The connection for queries of other rooms. It writes nothing. */
function readsOf(engine: Db['engine'], all: All): Db {
  const refuse = (): Promise<never> => Promise.reject(new Unavailable('a preview writes nothing'));
  return {
    engine,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) => all<R>(sql, params),
    atomic: refuse,
    atomicLater: refuse,
    close: () => Promise.resolve(),
  };
}

/** The queries that are the same on both engines. */
function queries(engine: Db['engine'], all: All): Omit<ImpactSource, 'span' | 'decisions' | 'close'> {
  async function readNames(table: 'collections' | 'requesters', ids: readonly string[]): Promise<Map<string, string>> {
    const sql = `select id, name from ${table} where ${inList(engine, 'id', 'text')}`;
    const rows = await all<{ id: string; name: string }>(sql, [toList(ids)]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  return {
    db: readsOf(engine, all),
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

/** Reads through a read-only connection of the calling thread. */
async function openSqliteImpactSource(file: string, cacheKiB: number): Promise<ImpactSource> {
  const connection = openConnection(file, { readOnly: true, cacheKiB });
  const all = <R>(sql: string, params: readonly Value[]): R[] => connection.all(sql, params) as unknown as R[];

  // Rows as arrays: half the time of rows as objects.
  const page = connection.prepare(
    `select seq, at, content_no, requester_id, policy_version, reason, rule_index, inputs, permission, purpose, url,
       collection_id
     from decisions where seq > $1 and seq <= $2 and policy_no = $3 and at >= $4 and at < $5 order by seq`,
  );
  page.setReturnArrays(true);

  return {
    ...queries('sqlite', async (sql, params) => all(sql, params)),
    async span(from, to) {
      const [first, last] = await seqsBetween(async (sql, params = []) => all(sql, params), from, to);
      return { after: first - 1, last, from, to };
    },
    async decisions(policyNo, { after, last, from, to }) {
      return (page.all(after, last, policyNo, from, to) as unknown as DecisionRow[]).map(toDecision);
    },
    close: async () => connection.close(),
  };
}

/**
 * Reads through a connection of its own. Numbers follow time only nearly: two nodes may take theirs in one order and
 * their times in the other. So the ends of a span are looked up by time, and decisions of other times are left out.
 */
async function openPostgresImpactSource(url: string): Promise<ImpactSource> {
  const { openPostgresReader } = await import('../../db/postgres/reader.ts');
  const reader = await openPostgresReader(url);
  const all: All = async <R>(sql: string, params: readonly Value[]) =>
    (await reader.all([{ sql, params }]))[0] as unknown as R[];
  return {
    ...queries('postgres', all),
    async span(from, to) {
      const [row] = await all<{ first: number | null; last: number | null }>(
        'select min(seq) as first, max(seq) as last from decisions where at >= $1 and at < $2',
        [from, to],
      );
      return { after: (row?.first ?? 1) - 1, last: row?.last ?? 0, from, to };
    },
    decisions: (policyNo, { after, last, from, to }) =>
      all<RecordedDecision>(
        `select seq, at, content_no as "contentNo", requester_id as "requesterId", policy_version as version, reason,
           rule_index as "ruleIndex", inputs, permission, purpose, url, collection_id as "collectionId"
         from decisions where seq > $1 and seq <= $2 and policy_no = $3 and at >= $4 and at < $5 order by seq`,
        [after, last, policyNo, from, to],
      ),
    close: () => reader.close(),
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
