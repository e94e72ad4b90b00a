/**
 * The parts of a decision to which its leaf commits, as bytes that are the same at each reading. What may be erased or
 * shown on its own is a part of its own. Names of items and messages of rules may change, and are in none.
 */
import { Buffer } from 'node:buffer';
import type { Row } from '../../../db/db.ts';
import { toIso } from '../../../lib/clock.ts';
import { hashLeaf, sha256 } from '../../../lib/merkle.ts';
import { decodeReason } from '../../../rules/reason.ts';
import { toVerified } from '../../ledger/codes.ts';
import type { DecisionColumns } from '../logged.ts';

/** In the order in which a leaf has them. */
export const PARTS = ['decision', 'rule', 'requester', 'inputs'] as const;
export type PartName = (typeof PARTS)[number];
/** The texts of the parts. */
export type PartTexts = Readonly<Record<PartName, string>>;

/** A decision with all that its parts say. */
export interface SealedRow extends DecisionColumns, Row {
  wanted: string | null;
}

/** The place of a decision in the tree of its requester, and what hides its parts. */
export interface StoredLeaf {
  tree: number;
  place: number;
  decision_salt: string;
  rule_salt: string;
  requester_salt: string | null;
  requester_hash: string;
  inputs_salt: string | null;
  inputs_hash: string;
}

/** Decisions on deleted items are in no answer, and not sealed either. */
export const selectSealed = (
  table = 'decisions',
): string => `select d.seq, d.at, d.requester_id, v.policy_id, d.policy_version, d.reason, d.rule_index,
    d.rule_priority, d.license_id, d.limit_remaining, d.limit_reset_at, d.inputs, c.id as content_id, d.url, d.file,
    d.collection_id, d.crawler, d.verified, d.claimed, d.permission, d.purpose, d.enforced, d.candidate, d.wanted, d.quota
  from ${table} as d left join content as c on c.no = d.content_no
    join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version
  where (d.content_no = 0 or c.no is not null) and`;

/** After a number and up to another one, at most so many. */
export const SELECT_NEXT = `${selectSealed()} d.seq > $1 and d.seq <= $2 order by d.seq limit $3`;

/** `id`: as partners see it; their receipts say no other. */
export function toParts(row: SealedRow, id: string): PartTexts {
  const reason = decodeReason(row.reason);
  return {
    decision: JSON.stringify({
      id,
      created: toIso(row.at),
      allowed: reason === null,
      reason,
      contentId: row.content_id,
      url: row.url,
      file: row.file,
      collectionId: row.collection_id,
      crawler: row.crawler,
      verified: toVerified(row.verified),
      permission: row.permission ?? amongInputs(row, 'permission'),
      purpose: row.purpose ?? amongInputs(row, 'purpose'),
      enforced: row.enforced === 1,
      quota: row.quota === null ? null : JSON.parse(row.quota),
    }),
    rule: JSON.stringify({
      policyId: row.policy_id,
      policyVersion: row.policy_version,
      rule: row.rule_index,
      priority: row.rule_priority,
      remaining: row.limit_remaining,
      resetAt: row.limit_reset_at,
      candidate: row.candidate === null ? null : JSON.parse(row.candidate),
      wanted: row.wanted,
    }),
    requester: JSON.stringify({ requesterId: row.requester_id, licenseId: row.license_id, claimed: row.claimed }),
    inputs: row.inputs ?? 'null',
  };
}

/** Older versions recorded purpose and permission among the inputs. */
function amongInputs({ inputs }: SealedRow, name: 'permission' | 'purpose'): string | null {
  if (inputs?.includes(`"${name}":`) !== true) return null;
  return (JSON.parse(inputs) as Record<string, string>)[name] ?? null;
}

export const SALT_BYTES = 16;

export const commitTo = (salt: Uint8Array, text: string): Buffer => sha256(Buffer.concat([salt, Buffer.from(text)]));

/** The first byte of the data of a decision's leaf. */
export const LEAF_VERSION = Buffer.of(1);
const STATEMENT_VERSION = Buffer.of(2);

/** The hash of a decision's leaf, from its commitments in the order of PARTS. */
export const toLeafHash = (commitments: readonly Uint8Array[]): Buffer =>
  hashLeaf(Buffer.concat([LEAF_VERSION, ...commitments]));

/** The parts of a final statement, in the order in which a leaf has them. */
export const STATEMENT_PARTS = ['statement', 'requester'] as const;

/** The texts of the parts, from the JSON of a final statement: the second one has all that erasure takes. */
export function toStatementParts(body: string): Readonly<Record<(typeof STATEMENT_PARTS)[number], string>> {
  const { requesterId, requesterName, terms, ...rest } = JSON.parse(body);
  const { reference = null, ...billed } = terms;
  return {
    statement: JSON.stringify({ ...rest, terms: billed }),
    requester: JSON.stringify({ requesterId, requesterName, reference }),
  };
}

/** The data of a statement's leaf: its commitments, in the order of STATEMENT_PARTS. */
export const statementData = (commitments: readonly Uint8Array[]): Buffer =>
  Buffer.concat([STATEMENT_VERSION, ...commitments]);

/** The data of a leaf of the public log: a tree at one size. */
export function headData(commitment: Uint8Array, size: number, root: Uint8Array): Buffer {
  const sized = Buffer.alloc(8);
  sized.writeBigUInt64BE(BigInt(size));
  return Buffer.concat([LEAF_VERSION, commitment, sized, root]);
}
