/**
 * Makes the receipt of a leaf: one text (C2SP tlog-proof) with the parts of a decision or of a statement, the way to
 * the root of its requester's tree, the way from there to a checkpoint, and the checkpoint. `client/src/receipt.ts`
 * reads it.
 */
import { fail, unavailable } from '../../../api/errors.ts';
import type { Db } from '../../../db/db.ts';
import { proveConsistency, proveInclusion, type ReadTile, TILE } from '../../../lib/merkle.ts';
import { decisionId, parseDecisionId } from '../../ledger/decision.ts';
import type { PublicIds } from '../../ledger/public-ids.ts';
import { findArchivedRow } from '../archive/decision.ts';
import type { Parquet } from '../archive/parquet.ts';
import type { DecisionRef } from '../filter.ts';
import { atOneTime } from '../moved/blocks.ts';
import { type OverDecisions, queryMovedOf } from '../moved/read.ts';
import { sealedTo } from './forget.ts';
import type { Signing } from './keys.ts';
import { readLeaves } from './leaves.ts';
import {
  commitTo,
  type PartTexts,
  type SealedRow,
  type StoredLeaf,
  selectSealed,
  toLeafHash,
  toParts,
} from './parts.ts';
import { PUBLISH_EVERY_MS } from './publish.ts';
import { openTiles, PUBLIC_TREE } from './tiles.ts';
import { readCosigned } from './witnesses.ts';

export interface ReceiptDeps {
  db: Db;
  /** Reads decisions that left the log for the archive. */
  parquet: Parquet;
  ids: PublicIds;
  /** null: this node keeps no log. */
  signing: Signing | null;
}

export interface ReceiptAsk extends DecisionRef {
  /** The size of an earlier checkpoint, of which the receipt shows that the log continues it. */
  since?: number | undefined;
}

/**
 * A receipt for the requester of the decision lacks what the decision lacks for it: the rule, and the inputs of a
 * visitor that was not verified. Throws decision_not_found; service_unavailable before the checkpoint.
 */
export async function makeReceipt({ db, parquet, ids, signing }: ReceiptDeps, ask: ReceiptAsk): Promise<string> {
  const plain = { ...ask, id: ids.toPlain(ask.id) };
  const ledgerNo = ids.ledgers.live;
  const logged = await findRow(db, ledgerNo, plain);
  const archived = logged === undefined ? await findArchivedRow({ db, parquet, ledgerNo }, plain) : undefined;
  const row = logged ?? archived;
  if (row === undefined) throw fail('decision_not_found', `There is no decision ${ask.id.slice(0, 100)} in the log.`);
  if (signing === null) {
    throw fail('decision_not_found', 'There are no receipts: this installation keeps no log (POSTERN_RECEIPTS).');
  }
  const leaf = archived === undefined ? await findLeaf(db, row) : requireSealed(archived);
  const texts = await findParts(row, leaf, { tree: openTiles(db, leaf.tree), ids });
  const parts = showParts(texts, leaf, {
    rule: ask.requesterId === undefined,
    inputs: ask.requesterId === undefined || row.verified !== null,
  });
  return writeReceipt({ db, signing }, { ...leaf, kind: 'decision' }, { parts, since: ask.since });
}

interface Log {
  db: Db;
  signing: Signing;
}

interface SealedAt {
  kind: 'decision' | 'statement';
  tree: number;
  place: number;
}

interface ToShow {
  parts: Readonly<Record<string, Shown>>;
  /** The size of an earlier checkpoint. */
  since: number | undefined;
  /** Finds what else belongs to it. */
  findCounted?: (() => Promise<object>) | undefined;
}

/** Writes the receipt of a leaf. Throws service_unavailable before the checkpoint. */
export async function writeReceipt({ db, signing }: Log, at: SealedAt, { parts, since, findCounted }: ToShow) {
  const head = await findHead(db, at);
  const checkpoint = await readCosigned(db, signing.witnesses);
  // After a restore, the log has another name, and no checkpoint by it yet.
  if (checkpoint === undefined) throw notYet(at.kind);
  if (since !== undefined && since > checkpoint.size) {
    const message = `\`since\` is ${since}, and the log has ${checkpoint.size} entries: it does not continue that checkpoint.`;
    throw fail('invalid_request', message, { param: 'since' });
  }
  const [tree, log] = [openTiles(db, at.tree), openTiles(db, PUBLIC_TREE)];
  const extra = {
    parts,
    ...(findCounted === undefined ? {} : { counted: await findCounted() }),
    tree: {
      ...(await findOwner(db, at.tree)),
      index: at.place,
      size: head.size,
      hashes: toTexts(await proveInclusion(tree, at.place, head.size)),
    },
    ...(since === undefined || since === 0
      ? {}
      : { since: { size: since, hashes: toTexts(await proveConsistency(log, since, checkpoint.size)) } }),
  };
  const hashes = toTexts(await proveInclusion(log, head.place, checkpoint.size));
  return [
    'c2sp.org/tlog-proof@v1',
    `extra ${Buffer.from(JSON.stringify(extra)).toString('base64')}`,
    `index ${head.place}`,
    ...hashes,
    '',
    checkpoint.note,
  ].join('\n');
}

/** Returns the parts to which a leaf commits; some have an id that names its ledger, as all ids did once. */
async function findParts(row: SealedRow, leaf: StoredLeaf, { tree, ids }: { tree: ReadTile; ids: PublicIds }) {
  const parts = toParts(row, ids.idOf(row));
  const hash = (await tree(0, Math.floor(leaf.place / TILE)))[leaf.place % TILE];
  const isOf = (some: PartTexts): boolean => hash?.equals(toLeaf(some, leaf)) === true;
  if (isOf(parts)) return parts;
  const older = toParts(row, decisionId(ids.ledgers.live, row.at, row.seq));
  return isOf(older) ? older : parts;
}

function toLeaf({ decision, rule }: PartTexts, leaf: StoredLeaf): Buffer {
  const commitments = [
    commitTo(Buffer.from(leaf.decision_salt, 'base64'), decision),
    commitTo(Buffer.from(leaf.rule_salt, 'base64'), rule),
    Buffer.from(leaf.requester_hash, 'base64'),
    Buffer.from(leaf.inputs_hash, 'base64'),
  ];
  return toLeafHash(commitments);
}

const toTexts = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));

/** `erased`: of a decision that moved, its requester is being erased. */
type LoggedRow = SealedRow & { erased?: number };

async function findRow(db: Db, ledgerNo: number, { id, requesterId }: DecisionRef): Promise<LoggedRow | undefined> {
  const parsed = parseDecisionId(id);
  if (parsed === undefined || parsed.ledgerNo !== ledgerNo) return undefined;
  const where = `d.seq = $1 and d.at = $2${requesterId === undefined ? '' : ' and d.requester_id = $3'}`;
  const params = [parsed.seq, parsed.at, ...(requesterId === undefined ? [] : [requesterId])];
  const moved: OverDecisions = (table) => selectSealed(table).replace('select ', 'select d.erased, ') + ` ${where}`;
  const [row] = await atOneTime(db, async () => {
    const own = await db.read<LoggedRow>(`${selectSealed()} ${where}`, params);
    return own.length > 0 ? own : queryMovedOf<LoggedRow>(db, { sql: moved, params }, [parsed.seq]);
  });
  return row;
}

async function findLeaf(db: Db, { seq, erased = 0 }: LoggedRow): Promise<StoredLeaf> {
  // Read first: the decision may be sealed meanwhile.
  const isSealed = seq <= (await sealedTo(db));
  const leaves = await readLeaves(db, seq - 1, seq);
  // A leaf that does not count yet is being written.
  if (!isSealed) throw notYet('decision');
  const sealed = requireSealed(leaves.get(seq));
  return erased === 0 ? sealed : { ...sealed, requester_salt: null, inputs_salt: null };
}

/** Decisions that were archived before there was a log have no leaf. */
function requireSealed(leaf: { [name in keyof StoredLeaf]: StoredLeaf[name] | null } | undefined): StoredLeaf {
  if (leaf !== undefined && leaf.tree !== null) return leaf as StoredLeaf;
  throw fail('decision_not_found', 'The decision is not sealed: there is no receipt for it.');
}

/** Returns the first leaf of the public log that covers the leaf: a receipt stays the same. */
async function findHead(db: Db, { tree, place, kind }: SealedAt): Promise<{ place: number; size: number }> {
  const [head] = await db.read<{ place: number; size: number }>(
    'select place, size from log_heads where tree = $1 and size > $2 order by size limit 1',
    [tree, place],
  );
  if (head === undefined) throw notYet(kind);
  return head;
}

export const notYet = (kind: SealedAt['kind']) =>
  unavailable(
    `No checkpoint covers this ${kind} yet; there is one each minute. Ask again.`,
    undefined,
    PUBLISH_EVERY_MS / 1000,
  );

/** Finds the requester of a tree; a hash alone, once it was erased. */
async function findOwner(db: Db, no: number): Promise<{ owner: Shown }> {
  const [tree] = await db.read<{ requester_id: string | null; salt: string | null; commitment: string }>(
    'select requester_id, salt, commitment from log_trees where no = $1',
    [no],
  );
  const { requester_id: text = null, salt = null, commitment: hash = '' } = tree ?? {};
  return { owner: text === null || salt === null ? { hash } : { text, salt } };
}

/** A part with its salt, or the hash that stands for both. */
export type Shown = { text: string; salt: string } | { hash: string };

/** A part that is erased or not for the reader is a hash. */
function showParts(
  { decision, rule, requester, inputs }: PartTexts,
  leaf: StoredLeaf,
  shows: { rule: boolean; inputs: boolean },
): Record<keyof PartTexts, Shown> {
  const ruleHash = (): string => commitTo(Buffer.from(leaf.rule_salt, 'base64'), rule).toString('base64');
  return {
    decision: { text: decision, salt: leaf.decision_salt },
    rule: shows.rule ? { text: rule, salt: leaf.rule_salt } : { hash: ruleHash() },
    requester:
      leaf.requester_salt === null ? { hash: leaf.requester_hash } : { text: requester, salt: leaf.requester_salt },
    inputs:
      leaf.inputs_salt === null || !shows.inputs
        ? { hash: leaf.inputs_hash }
        : { text: inputs, salt: leaf.inputs_salt },
  };
}
