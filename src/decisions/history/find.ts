/**
 * The decision log as it is kept. The columns find decisions; the records, the source of truth, what moved from them,
 * or the archive say what is in them. A decision about deleted content is in no answer.
 */
import { DELETED_ITEM } from '../../content/store.ts';
import type { Db, Row } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { parseDecisionId } from '../ledger/decision.ts';
import { findArchived } from './archive/decision.ts';
import type { Parquet } from './archive/parquet.ts';
import type { Columns } from './columns/columns.ts';
import { leftTo } from './ends.ts';
import type { DecisionFinder, DecisionRef } from './filter.ts';
import { type LoggedDecision, type StoredDecision, toLogged } from './logged.ts';
import { atOneTime } from './moved/blocks.ts';
import { type OverDecisions, queryMovedOf } from './moved/read.ts';

/** A log of decisions; `db` reads its tables. `parquet` reads those that left it for the archive. */
export interface DecisionLog {
  db: Db;
  ledgerNo: number;
  finder: DecisionFinder;
  parquet?: Parquet;
}

/** Archived and retired decisions are counted, and no longer in the log. */
export const openFinder = (db: Db, columns: Pick<Columns, 'find'>): DecisionFinder => ({
  find: async (filter, page) => columns.find({ ...filter, after: await leftTo(db) }, page),
});

interface AnyDecisionRow extends StoredDecision {
  deleted: string | null;
}

const COLUMNS = `d.seq, d.at, d.requester_id, d.policy_version, d.reason, d.rule_index, d.rule_priority, d.license_id,
  d.limit_remaining, d.limit_reset_at, d.inputs, d.content_no, d.url, d.file, d.collection_id, d.crawler, d.verified,
  d.claimed, d.permission, d.purpose, d.enforced, d.candidate, d.quota, c.id as content_id, c.external_id, v.policy_id, v.rules`;
const VERSION = 'join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version';
const select: OverDecisions = (table) =>
  `select ${COLUMNS} from ${table} as d left join content as c on c.no = d.content_no ${VERSION}
   where (d.content_no = 0 or c.no is not null) and`;
/** Includes decisions about deleted items that the ledger still has; `deleted` holds the item's ids. */
const selectAll: OverDecisions = (table) =>
  `select ${COLUMNS}, x.object as deleted from ${table} as d left join content as c on c.no = d.content_no
   left join change_data as x on x.id = '${DELETED_ITEM}' || d.content_no ${VERSION} where`;

/**
 * Finds a decision in the log, or in the archive. One about another requester takes as long as one that never existed.
 * Throws service_unavailable.
 */
export const findDecision = async (log: DecisionLog, ref: DecisionRef): Promise<LoggedDecision | undefined> =>
  (await findInLog(log, ref)) ?? (log.parquet && findArchived({ ...log, parquet: log.parquet }, ref));

async function findInLog({ db, ledgerNo }: DecisionLog, { id, requesterId }: DecisionRef) {
  const parsed = parseDecisionId(id);
  if (parsed === undefined || parsed.ledgerNo !== ledgerNo) return undefined;
  const sql: OverDecisions = (table) =>
    `${select(table)} d.seq = $1 and d.at = $2${requesterId === undefined ? '' : ' and d.requester_id = $3'}`;
  const params = [parsed.seq, parsed.at, ...(requesterId === undefined ? [] : [requesterId])];
  const readOwn = () => db.read<StoredDecision>(sql('decisions'), params);
  const [row] = await ownOrMoved(db, readOwn, 1, async (own) =>
    own.length > 0 ? own : queryMovedOf<StoredDecision>(db, { sql, params }, [parsed.seq]),
  );
  return row && toLogged(row, ledgerNo);
}

/** Reads so many rows of the records; where some are absent, once more beside those that moved. */
async function ownOrMoved<R extends Row>(
  db: Db,
  readOwn: () => Promise<R[]>,
  count: number,
  withMoved: (own: R[]) => Promise<R[]>,
): Promise<R[]> {
  const own = await readOwn();
  if (own.length === count || db.engine === 'sqlite') return own;
  return atOneTime(db, async () => withMoved(await readOwn()));
}

/** Returns the decisions that exist, in the order of `seqs`. */
export async function readDecisions(db: Db, ledgerNo: number, seqs: readonly number[]): Promise<LoggedDecision[]> {
  const bySeq = new Map<number, LoggedDecision>();
  for (const row of await readRows<StoredDecision>(db, select, seqs)) bySeq.set(row.seq, toLogged(row, ledgerNo));
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}

async function readRows<R extends Row & { seq: number }>(
  db: Db,
  from: OverDecisions,
  seqs: readonly number[],
): Promise<R[]> {
  const all: R[] = [];
  const sql: OverDecisions = (table) => `${from(table)} ${inList(db.engine, 'd.seq', 'bigint')}`;
  for (let i = 0; i < seqs.length; i += SEQS_AT_ONCE) {
    const some = seqs.slice(i, i + SEQS_AT_ONCE);
    const params = [toList(some)];
    const rows = await ownOrMoved(
      db,
      () => db.read<R>(sql('decisions'), params),
      some.length,
      async (own) => {
        const found = new Set(own.map(({ seq }) => seq));
        const others = some.filter((seq) => !found.has(seq));
        return [...own, ...(await queryMovedOf<R>(db, { sql, params }, others))];
      },
    );
    all.push(...rows);
  }
  return all;
}

/**
 * Returns the decisions that exist, by id, for events: also those about deleted items, until the sweep has kept the
 * events' bodies. No other answer may show these.
 */
export async function findDecisions(
  db: Db,
  ledgerNo: number,
  ids: readonly string[],
): Promise<Map<string, LoggedDecision>> {
  const seqs = ids.flatMap((id) => parseDecisionId(id)?.seq ?? []);
  const rows = await readRows<AnyDecisionRow>(db, selectAll, seqs);
  const found = rows.flatMap((row) => withItem(row) ?? []).map((row) => toLogged(row, ledgerNo));
  return new Map(found.map((decision) => [decision.id as string, decision]));
}

/** Returns undefined when nothing is known of the item any more. */
function withItem({ deleted, ...row }: AnyDecisionRow): StoredDecision | undefined {
  if (row.content_id !== null || row.content_no === 0) return row;
  if (deleted === null) return undefined;
  const { id, externalId } = JSON.parse(deleted) as { id: string; externalId: string };
  return { ...row, content_id: id, external_id: externalId };
}

const SEQS_AT_ONCE = 200;
