/**
 * The leaves of decisions as they are kept: a row for many, with a slot of one width for each number from the first to
 * the last. Promise: a part that was erased is zeros, and so is the whole slot of a decision that left the log. A row
 * is written once, and only erasures write it again. Versions before wrote a row for each.
 */
import type { Db, Step, Value } from '../../../db/db.ts';
import { HASH_BYTES } from '../../../lib/merkle.ts';
import { SEALED_TO, SPAN } from './forget.ts';
import { SALT_BYTES, type StoredLeaf } from './parts.ts';

const NUMBER_BYTES = 6;
/** Where the parts of a leaf begin. The widths are multiples of three bytes: in base64, a slot is whole characters. */
export const LEAF_PARTS = {
  tree: 0,
  place: NUMBER_BYTES,
  decisionSalt: 2 * NUMBER_BYTES,
  ruleSalt: 2 * NUMBER_BYTES + SALT_BYTES,
  requesterHash: 2 * NUMBER_BYTES + 2 * SALT_BYTES,
  inputsHash: 2 * NUMBER_BYTES + 2 * SALT_BYTES + HASH_BYTES,
} as const;
export const LEAF_BYTES = LEAF_PARTS.inputsHash + HASH_BYTES;
export const SALT_SLOT_BYTES = 18;

/** Slots in the order of numbers. */
export interface Slots {
  leaves: Uint8Array;
  requesterSalts: Uint8Array;
  inputsSalts: Uint8Array;
}

export function setPlace(leaves: Buffer, slot: number, tree: number, place: number): void {
  leaves.writeUIntBE(tree, slot * LEAF_BYTES + LEAF_PARTS.tree, NUMBER_BYTES);
  leaves.writeUIntBE(place, slot * LEAF_BYTES + LEAF_PARTS.place, NUMBER_BYTES);
}

/** A view of bytes that came from another thread. */
export const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

/** The slots of a block, in rows of at most SPAN numbers. */
export function insertSpans({ seqs, leaves, requesterSalts, inputsSalts }: Slots & { seqs: Float64Array }): Step[] {
  const steps: Step[] = [];
  for (let from = 0, to = 0; from < seqs.length; from = to) {
    const first = seqs[from] as number;
    while (to < seqs.length && (seqs[to] as number) < first + SPAN) to++;
    const own = seqs.subarray(from, to);
    const last = own.at(-1) as number;
    const texts = (
      [
        [leaves, LEAF_BYTES],
        [requesterSalts, SALT_SLOT_BYTES],
        [inputsSalts, SALT_SLOT_BYTES],
      ] as const
    ).map(([slots, width]) => toText(slots.subarray(from * width, to * width), own, width));
    steps.push({ sql: INSERT, params: [first, last, ...texts] });
  }
  return steps;
}

const INSERT =
  'insert into log_spans (from_seq, to_seq, leaves, requester_salts, inputs_salts) values ($1, $2, $3, $4, $5)';

/** A number without a decision has a slot of zeros. */
function toText(slots: Uint8Array, seqs: Float64Array, width: number): string {
  const first = seqs[0] as number;
  const count = (seqs.at(-1) as number) - first + 1;
  if (count === seqs.length) return asBuffer(slots).toString('base64');
  const spread = Buffer.alloc(count * width);
  for (const [i, seq] of seqs.entries()) spread.set(slots.subarray(i * width, (i + 1) * width), (seq - first) * width);
  return spread.toString('base64');
}

/** Removes what does not count: a crash left it. `sealed`: the number up to which decisions are sealed. */
export const dropUncounted = (sealed: number): Step[] => [
  { sql: 'delete from log_spans where from_seq > $1', params: [sealed] },
  { sql: 'delete from log_leaves where seq > $1', params: [sealed] },
];

interface SpanRow {
  [name: string]: Value;
  from_seq: number;
  to_seq: number;
  leaves: string;
  requester_salts: string;
  inputs_salts: string;
}

/** Returns the leaves of decisions after a number and up to another one that are sealed, by their numbers. */
export async function readLeaves(db: Db, after: number, upTo: number): Promise<Map<number, StoredLeaf>> {
  const counts = (name: string): string =>
    `${name} <= (select cast(value as bigint) from settings where name = '${SEALED_TO}')`;
  const spans = await db.read<SpanRow>(
    `select from_seq, to_seq, leaves, requester_salts, inputs_salts from log_spans
     where from_seq > $1 - ${SPAN} and from_seq <= $2 and to_seq > $1 and ${counts('to_seq')}`,
    [after, upTo],
  );
  const found = new Map<number, StoredLeaf>();
  for (const span of spans) {
    const slots = toSlots(span);
    for (let seq = Math.max(span.from_seq, after + 1); seq <= Math.min(span.to_seq, upTo); seq++) {
      const leaf = toLeaf(slots, seq - span.from_seq);
      if (leaf !== undefined) found.set(seq, leaf);
    }
  }
  // Rows of the version before, which may seal once more beside this one: then nothing else counts.
  const single = await db.read<StoredLeaf & { seq: number } & Record<string, Value>>(
    `select seq, tree, place, decision_salt, rule_salt, requester_salt, requester_hash, inputs_salt, inputs_hash
     from log_leaves where seq > $1 and seq <= $2 and ${counts('seq')}`,
    [after, upTo],
  );
  for (const { seq, ...leaf } of single) found.set(seq, leaf);
  return found;
}

const toSlots = ({ leaves, requester_salts, inputs_salts }: SpanRow) => ({
  leaves: Buffer.from(leaves, 'base64'),
  requesterSalts: Buffer.from(requester_salts, 'base64'),
  inputsSalts: Buffer.from(inputs_salts, 'base64'),
});

/** Trees of requesters are numbered from 1. */
function toLeaf(
  { leaves, requesterSalts, inputsSalts }: ReturnType<typeof toSlots>,
  slot: number,
): StoredLeaf | undefined {
  const at = slot * LEAF_BYTES;
  const tree = leaves.readUIntBE(at + LEAF_PARTS.tree, NUMBER_BYTES);
  if (tree === 0) return undefined;
  const part = (name: keyof typeof LEAF_PARTS, bytes: number): string =>
    leaves.toString('base64', at + LEAF_PARTS[name], at + LEAF_PARTS[name] + bytes);
  return {
    tree,
    place: leaves.readUIntBE(at + LEAF_PARTS.place, NUMBER_BYTES),
    decision_salt: part('decisionSalt', SALT_BYTES),
    rule_salt: part('ruleSalt', SALT_BYTES),
    requester_salt: toSalt(requesterSalts, slot),
    requester_hash: part('requesterHash', HASH_BYTES),
    inputs_salt: toSalt(inputsSalts, slot),
    inputs_hash: part('inputsHash', HASH_BYTES),
  };
}

/** A salt that is there is not zero: it is random. */
function toSalt(salts: Buffer, slot: number): string | null {
  const salt = salts.subarray(slot * SALT_SLOT_BYTES, slot * SALT_SLOT_BYTES + SALT_BYTES);
  return salt.every((byte) => byte === 0) ? null : salt.toString('base64');
}
