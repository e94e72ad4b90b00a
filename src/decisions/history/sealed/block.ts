/**
 * Seals a block of decisions: their leaves as they are stored, and the hashes that go into trees. It runs where the
 * rows are read, because to move rows costs more than to hash them. Salts are random and of one draw.
 */
import { hash, randomFillSync } from 'node:crypto';
import { HASH_BYTES } from '../../../lib/merkle.ts';
import type { PublicIds } from '../../ledger/public-ids.ts';
import { LEAF_BYTES, LEAF_PARTS, SALT_SLOT_BYTES, type Slots } from './leaves.ts';
import { commitTo, LEAF_VERSION, PARTS, type PartTexts, SALT_BYTES, type SealedRow, toParts } from './parts.ts';

/** Decisions by their index; the arrays have a place for each. Leaves have no tree and place yet. */
export interface SealedBlock extends Slots {
  seqs: Float64Array;
  /** Each once; '' for decisions without one. */
  requesterIds: string[];
  /** Indexes of requesters. */
  requesters: Uint32Array;
  /** The hashes of the leaves. */
  hashes: Uint8Array;
}

export function sealRows(rows: readonly SealedRow[], ids: PublicIds): SealedBlock {
  const { length } = rows;
  const requesters = new Map<string, number>();
  const block: SealedBlock = {
    seqs: Float64Array.from(rows, ({ seq }) => seq),
    requesterIds: [],
    requesters: Uint32Array.from(rows, ({ requester_id: id }) => {
      const index = requesters.get(id ?? '') ?? requesters.size;
      requesters.set(id ?? '', index);
      return index;
    }),
    hashes: new Uint8Array(length * HASH_BYTES),
    leaves: new Uint8Array(length * LEAF_BYTES),
    requesterSalts: new Uint8Array(length * SALT_SLOT_BYTES),
    inputsSalts: new Uint8Array(length * SALT_SLOT_BYTES),
  };
  block.requesterIds = [...requesters.keys()];
  const salts = randomFillSync(Buffer.alloc(length * SALTS_BYTES));
  const shown = ids.idsOf(rows);
  const [hashes, leaves, requesterSalts, inputsSalts] = [
    block.hashes,
    block.leaves,
    block.requesterSalts,
    block.inputsSalts,
  ].map((bytes) => Buffer.from(bytes.buffer)) as [Buffer, Buffer, Buffer, Buffer];
  for (const [i, row] of rows.entries()) {
    const from = i * SALTS_BYTES;
    hashes.write(sealParts(toParts(row, shown[i] as string), salts, from), i * HASH_BYTES, 'latin1');
    const at = i * LEAF_BYTES;
    salts.copy(leaves, at + LEAF_PARTS.decisionSalt, from, from + 2 * SALT_BYTES);
    leaf.copy(leaves, at + LEAF_PARTS.requesterHash, COMMITMENTS_AT + 2 * HASH_BYTES);
    salts.copy(requesterSalts, i * SALT_SLOT_BYTES, from + 2 * SALT_BYTES, from + 3 * SALT_BYTES);
    salts.copy(inputsSalts, i * SALT_SLOT_BYTES, from + 3 * SALT_BYTES, from + 4 * SALT_BYTES);
  }
  return block;
}

const SALTS_BYTES = PARTS.length * SALT_BYTES;
/** Longer texts take a buffer of their own. */
const SCRATCH_BYTES = 16_384;
const UTF8_BYTES_MAX = 3;
const scratch = Buffer.alloc(SCRATCH_BYTES);
const COMMITMENTS_AT = 2;
/** Room for a leaf: the byte of RFC 6962, the version, and the commitments in the order of PARTS. */
const leaf = Buffer.concat([Buffer.of(0), LEAF_VERSION, Buffer.alloc(PARTS.length * HASH_BYTES)]);

/**
 * Commits to parts as `commitTo` does, without a buffer for each, and leaves the commitments in `leaf`. `salts`: of all
 * parts in their order, from a place on. Returns the hash of the leaf as latin1.
 */
function sealParts(texts: PartTexts, salts: Buffer, from: number): string {
  for (let part = 0; part < PARTS.length; part++) {
    const text = texts[PARTS[part] as keyof PartTexts];
    const salt = from + part * SALT_BYTES;
    const at = COMMITMENTS_AT + part * HASH_BYTES;
    if (text.length * UTF8_BYTES_MAX > SCRATCH_BYTES - SALT_BYTES) {
      leaf.set(commitTo(salts.subarray(salt, salt + SALT_BYTES), text), at);
    } else {
      salts.copy(scratch, 0, salt, salt + SALT_BYTES);
      const length = SALT_BYTES + scratch.write(text, SALT_BYTES);
      leaf.write(hash('sha256', scratch.subarray(0, length), 'latin1'), at, 'latin1');
    }
  }
  return hash('sha256', leaf, 'latin1');
}
