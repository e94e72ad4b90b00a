/** Reads single decisions back from the files of the archive, as they were answered. */

import { unavailable } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import { parseDecisionId } from '../../ledger/decision.ts';
import { type ArchivedFile, SourceFailed } from '../columns/source.ts';
import { text } from '../columns/sql.ts';
import type { DecisionRef } from '../filter.ts';
import { type LoggedDecision, type StoredDecision, toLogged } from '../logged.ts';
import type { SealedRow, StoredLeaf } from '../sealed/parts.ts';
import type { Parquet } from './parquet.ts';

export interface ArchivedDeps {
  db: Db;
  parquet: Parquet;
  ledgerNo: number;
}

/** Columns of a file; what older files lack is null there. */
const COLUMNS: Readonly<Record<string, string>> = {
  seq: 'seq::double',
  at: 'decided_at::double',
  content_no: 'content_no::double',
  requester_id: 'requester_id',
  policy_version: 'policy_version::integer',
  reason: 'reason::integer',
  rule_index: 'rule_index::integer',
  rule_priority: 'rule_priority::double',
  license_id: 'license_id',
  limit_remaining: 'limit_remaining::double',
  limit_reset_at: 'limit_reset_at::double',
  inputs: 'inputs',
  url: 'url',
  file: 'file',
  collection_id: 'collection_id',
  crawler: 'crawler',
  verified: 'verified::integer',
  claimed: 'claimed',
  permission: 'permission',
  purpose: 'purpose',
  enforced: 'coalesce(enforced, 1)::integer',
  candidate: 'candidate',
  wanted: 'wanted',
  quota: 'quota',
  policy_no: 'policy_no::double',
  tree: 'tree::double',
  place: 'place::double',
  decision_salt: 'decision_salt',
  rule_salt: 'rule_salt',
  requester_salt: 'requester_salt',
  requester_hash: 'requester_hash',
  inputs_salt: 'inputs_salt',
  inputs_hash: 'inputs_hash',
};
const OTHERWISE: Readonly<Record<string, string>> = { enforced: '1' };

/** Files lack the columns of item and policy, which the records have; the leaf is null where it is not sealed. */
type ArchivedRow = SealedRow &
  StoredDecision & { policy_no: number } & { [name in keyof StoredLeaf]: StoredLeaf[name] | null };

/** Returns undefined where no archive is configured, too. Throws Unavailable, service_unavailable. */
export async function findArchived(deps: ArchivedDeps, ref: DecisionRef): Promise<LoggedDecision | undefined> {
  const row = await findArchivedRow(deps, ref);
  return row && toLogged(row, deps.ledgerNo);
}

/** Returns the same with its leaf, as it is stored. */
export async function findArchivedRow(
  { db, parquet, ledgerNo }: ArchivedDeps,
  { id, requesterId }: DecisionRef,
): Promise<ArchivedRow | undefined> {
  const parsed = parseDecisionId(id);
  if (parsed === undefined || parsed.ledgerNo !== ledgerNo || !parquet.isConfigured) return undefined;
  const [file] = await db.read<{ file: string; to_seq: number }>(
    'select file, to_seq from archives where to_seq >= $1 order by to_seq limit 1',
    [parsed.seq],
  );
  const row = file && (await readRow(parquet, { file: file.file, toSeq: file.to_seq }, whereIs(parsed, requesterId)));
  return row && withRecords(db, row);
}

/** Numbers read around a decision of a requester. */
const NEAR = 1_000;

/** A decision about another requester takes as long as one that never existed: the same columns of the same rows. */
function whereIs({ seq, at }: { seq: number; at: number }, requesterId: string | undefined): string {
  if (requesterId === undefined) return `where seq = ${seq} and decided_at = ${at}`;
  return `where seq > ${seq - NEAR} and seq < ${seq + NEAR}
    and concat_ws(' ', seq, decided_at, requester_id) = ${text(`${seq} ${at} ${requesterId}`)}`;
}

async function readRow(parquet: Parquet, file: ArchivedFile, where: string): Promise<ArchivedRow | undefined> {
  try {
    const there = await parquet.columnsOf(file);
    const columns = Object.entries(COLUMNS).map(([name, sql]) => {
      const isThere = there.has(name === 'at' ? 'decided_at' : name);
      return `${isThere ? sql : (OTHERWISE[name] ?? 'null')} as ${name}`;
    });
    return (await parquet.selectObjects<ArchivedRow>(file, columns.join(', '), where))[0];
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error;
    throw unavailable(`The archive cannot be read: ${error.message}.`, error);
  }
}

/** Adds the item and the policy, which stay in the records. A decision about a deleted item is in no answer. */
async function withRecords(db: Db, row: ArchivedRow): Promise<ArchivedRow | undefined> {
  const [item] = await db.read<{ id: string; external_id: string }>(
    'select id, external_id from content where no = $1',
    [row.content_no],
  );
  if (item === undefined && row.content_no !== 0) return undefined;
  const [version] = await db.read<{ policy_id: string; rules: string }>(
    'select policy_id, rules from policy_versions where policy_no = $1 and version = $2',
    [row.policy_no, row.policy_version],
  );
  if (version === undefined) return undefined;
  const ids = { content_id: item?.id ?? null, external_id: item?.external_id ?? null };
  return { ...row, ...ids, ...version };
}
