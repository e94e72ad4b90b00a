/**
 * Reads the decisions of a policy in pages, newest last, through a connection of its own: for previews, which decide
 * them again. Decisions only grow, so pages need no common snapshot.
 */
import { type Db, type Row, Unavailable, type Value } from '../../db/db.ts';
import { isPostgresUrl } from '../../db/postgres/url.ts';
import { openConnection } from '../../db/sqlite/connection.ts';
import { type CountedSpan, logEnds } from './counted.ts';
import { atOneTime } from './moved/blocks.ts';
import { queryMoved } from './moved/read.ts';
import { keepStore, openMovedStore } from './moved/store.ts';

/** A decision as the ledger keeps it. */
export interface RecordedDecision {
  seq: number;
  /** Epoch ms. */
  at: number;
  contentNo: number;
  requesterId: string | null;
  version: number;
  /** Code of the reason; 0: allowed. */
  reason: number;
  ruleIndex: number | null;
  inputs: string | null;
  permission: string | null;
  purpose: string | null;
  /** The URL that was asked for; null: the check named an item. */
  url: string | null;
  collectionId: string | null;
  crawler: string | null;
  /** The name that was claimed falsely. */
  claimed: string | null;
  /** Code of how the visitor was verified. */
  verified: number | null;
}

export interface PastDecisions {
  /** Returns a span with all decisions of the time. */
  span(from: number, to: number): Promise<CountedSpan>;
  /** Returns decisions of one policy, ascending. */
  decisions(policyNo: number, span: CountedSpan): Promise<RecordedDecision[]>;
  /** Reads on the same connection. */
  readonly all: All;
  readonly db: Db;
  close(): Promise<void>;
}

/** Where decisions of the past are. */
export interface PastPlace {
  /** A file of SQLite or the URL of a PostgreSQL. */
  records: string;
  /** The URL of ClickHouse, which has those that moved; null: none is known. */
  clickHouse: string | null;
}

export const openPast = (place: PastPlace, pagesKiB: number): Promise<PastDecisions> =>
  isPostgresUrl(place.records) ? openPostgresPast(place) : openSqlitePast(place.records, pagesKiB);

export type All = <R>(sql: string, params: readonly Value[]) => Promise<R[]>;

/** The connection for queries of other rooms. It writes nothing. */
function reads(engine: Db['engine'], all: All): Pick<PastDecisions, 'db' | 'all' | 'span'> {
  const refuse = (): Promise<never> => Promise.reject(new Unavailable('a preview writes nothing'));
  const db: Db = {
    engine,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) => all<R>(sql, params),
    atomic: refuse,
    atomicLater: refuse,
    close: () => Promise.resolve(),
  };
  return {
    db,
    all,
    async span(from, to) {
      const [first, last] = await logEnds(db, from, to);
      return { after: first - 1, last, from, to };
    },
  };
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
  permission: string | null,
  purpose: string | null,
  url: string | null,
  collectionId: string | null,
  crawler: string | null,
  claimed: string | null,
  verified: number | null,
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
  crawler: row[12],
  claimed: row[13],
  verified: row[14],
});

/** Reads through a read-only connection of the calling thread. */
async function openSqlitePast(file: string, cacheKiB: number): Promise<PastDecisions> {
  const connection = openConnection(file, { readOnly: true, cacheKiB });
  const all = <R>(sql: string, params: readonly Value[]): R[] => connection.all(sql, params) as unknown as R[];

  // Rows as arrays: half the time of rows as objects.
  const page = connection.prepare(
    `select seq, at, content_no, requester_id, policy_version, reason, rule_index, inputs, permission, purpose, url,
       collection_id, crawler, claimed, verified
     from decisions where seq > $1 and seq <= $2 and policy_no = $3 and at >= $4 and at < $5 order by seq`,
  );
  page.setReturnArrays(true);

  return {
    ...reads('sqlite', async (sql, params) => all(sql, params)),
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
async function openPostgresPast({ records, clickHouse }: PastPlace): Promise<PastDecisions> {
  const { openPostgresReader } = await import('../../db/postgres/reader.ts');
  const reader = await openPostgresReader(records);
  const all: All = async <R>(sql: string, params: readonly Value[]) =>
    (await reader.all([{ sql, params }]))[0] as unknown as R[];
  const own = reads('postgres', all);
  const { db } = own;
  const store = openMovedStore(clickHouse);
  keepStore(db, store);
  const sql = (table: string): string =>
    `select seq, at, content_no as "contentNo", requester_id as "requesterId", policy_version as version, reason,
       rule_index as "ruleIndex", inputs, permission, purpose, url, collection_id as "collectionId",
       crawler, claimed, verified
     from ${table} as d where seq > $1 and seq <= $2 and policy_no = $3 and at >= $4 and at < $5 order by seq`;
  return {
    ...own,
    decisions: (policyNo, span) =>
      atOneTime(db, async () => {
        const params = [span.after, span.last, policyNo, span.from, span.to];
        const present = await all<RecordedDecision>(sql('decisions'), params);
        const moved: RecordedDecision[] = [];
        const pieces = queryMoved<Row & RecordedDecision>(db, { sql, params }, span, { policyNo });
        for await (const rows of pieces) moved.push(...rows);
        return [...moved, ...present];
      }),
    async close() {
      await store.close();
      await reader.close();
    },
  };
}
