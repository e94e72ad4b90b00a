/** Writes a file of the archive. */
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBValue,
  INTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import type { Db, Row } from '../../../db/db.ts';
import { sync } from '../../../lib/folder.ts';
import { decodeReason } from '../../../rules/reason.ts';
import { openPublicIds, type PublicIds } from '../../ledger/public-ids.ts';
import { readLeaves } from '../sealed/leaves.ts';

const ROWS_AT_ONCE = 2_000;

/** The columns of a file, in order. */
const COLUMNS = {
  seq: BIGINT,
  decided_at: BIGINT,
  content_no: INTEGER,
  content_id: VARCHAR,
  external_id: VARCHAR,
  requester_id: VARCHAR,
  policy_no: INTEGER,
  policy_id: VARCHAR,
  policy_version: INTEGER,
  reason: UTINYINT,
  reason_name: VARCHAR,
  rule_index: INTEGER,
  rule_priority: BIGINT,
  license_id: VARCHAR,
  limit_remaining: BIGINT,
  limit_reset_at: BIGINT,
  inputs: VARCHAR,
  url: VARCHAR,
  file: VARCHAR,
  collection_id: VARCHAR,
  crawler: VARCHAR,
  verified: UTINYINT,
  claimed: VARCHAR,
  permission: VARCHAR,
  purpose: VARCHAR,
  enforced: UTINYINT,
  candidate: VARCHAR,
  wanted: VARCHAR,
  quota: VARCHAR,
  // For receipts, of the decisions that are sealed.
  tree: BIGINT,
  place: BIGINT,
  decision_salt: VARCHAR,
  rule_salt: VARCHAR,
  requester_salt: VARCHAR,
  requester_hash: VARCHAR,
  inputs_salt: VARCHAR,
  inputs_hash: VARCHAR,
  public_id: VARCHAR,
};
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Decisions on deleted content are in no answer, and are not archived. */
const SELECT = `select d.seq, d.at as decided_at, d.content_no, c.id as content_id, c.external_id, d.requester_id, d.policy_no,
    v.policy_id, d.policy_version, d.reason, d.rule_index, d.rule_priority, d.license_id, d.limit_remaining,
    d.limit_reset_at, d.inputs, d.url, d.file, d.collection_id, d.crawler, d.verified, d.claimed, d.permission, d.purpose,
    d.enforced, d.candidate, d.wanted, d.quota
  from decisions as d left join content as c on c.no = d.content_no join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version
  where d.seq > $1 and d.seq <= $2 and (d.content_no = 0 or c.no is not null) order by d.seq limit ${ROWS_AT_ONCE}`;

/** Writes the decisions after a number and up to another one, whole or not at all. Returns how many there are. */
export async function writeFile(db: Db, path: string, after: number, end: number): Promise<number> {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const ids = await openPublicIds(db);
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '512MB', threads: '2' });
  const connection = await instance.connect();
  try {
    const columns = NAMES.map((name) => `${name} ${COLUMNS[name].toString()}`).join(', ');
    await connection.run(`create table decisions (${columns})`);
    let rows = 0;
    for (let last = after; ; ) {
      const page = await db.read(SELECT, [last, end]);
      const next = (page.at(-1)?.seq as number | undefined) ?? last;
      append(
        await connection.createAppender('decisions'),
        await withLeaves(db, page, { after: last, upTo: next, ids }),
      );
      rows += page.length;
      if (page.length < ROWS_AT_ONCE) break;
      last = next;
    }
    await connection.run(
      `copy (select * from decisions order by seq) to '${part.replaceAll("'", "''")}' (format parquet, compression zstd)`,
    );
    const file = `read_parquet('${part.replaceAll("'", "''")}')`;
    const reader = await connection.runAndReadAll(`select count(*)::double from ${file}`);
    const counted = reader.getRows()[0]?.[0];
    if (counted !== rows) throw new Error(`the file holds ${String(counted)} decisions instead of ${rows}`);
    sync(part);
    renameSync(part, path);
    sync(dirname(path));
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

interface Page {
  after: number;
  upTo: number;
  ids: PublicIds;
}

/** Adds the leaves of the decisions that are sealed, and public ids. */
async function withLeaves(db: Db, rows: readonly Row[], { after, upTo, ids }: Page): Promise<Row[]> {
  const leaves = await readLeaves(db, after, upTo);
  const shown = ids.idsOf(rows.map((row) => ({ at: row.decided_at as number, seq: row.seq as number })));
  return rows.map((row, i) => ({ ...row, ...leaves.get(row.seq as number), public_id: shown[i] as string }));
}

type Appender = Awaited<ReturnType<DuckDBConnection['createAppender']>>;

function append(appender: Appender, rows: readonly Row[]): void {
  if (rows.length > 0) {
    const chunk = DuckDBDataChunk.create(Object.values(COLUMNS), rows.length);
    chunk.setColumns(NAMES.map((name) => rows.map((row) => toValue(name, row))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function toValue(name: keyof typeof COLUMNS, row: Row): DuckDBValue {
  if (name === 'reason_name') return decodeReason(row.reason as number);
  const value = row[name] ?? null;
  return COLUMNS[name] === BIGINT && value !== null ? BigInt(value) : value;
}
