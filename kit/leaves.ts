/** The leaves of decisions in a store, read from its tables without the code of the service. */

export interface Leaf {
  seq: number;
  tree: number;
  place: number;
  /** null: erased. */
  requester_salt: string | null;
  inputs_salt: string | null;
}

interface Span {
  from_seq: number;
  leaves: string;
  requester_salts: string;
  inputs_salts: string;
}

const LEAF_BYTES = 108;
const SALT_BYTES = 16;
const SALT_SLOT_BYTES = 18;
const NUMBER_BYTES = 6;

/** Returns them in the order of their numbers. */
export async function leavesOf({ rowsOf }: { rowsOf(table: string): Promise<object[]> }): Promise<Leaf[]> {
  const single = (await rowsOf('log_leaves')) as Leaf[];
  const many = ((await rowsOf('log_spans')) as Span[]).flatMap(toLeaves);
  return [...single, ...many].toSorted((a, b) => a.seq - b.seq);
}

function toLeaves({ from_seq: first, ...span }: Span): Leaf[] {
  const [leaves, requesters, inputs] = [span.leaves, span.requester_salts, span.inputs_salts].map((text) =>
    Buffer.from(text, 'base64'),
  ) as [Buffer, Buffer, Buffer];
  const count = leaves.length / LEAF_BYTES;
  return Array.from({ length: count }, (_, i) => {
    const leaf = leaves.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES);
    return {
      seq: Number(first) + i,
      tree: leaf.readUIntBE(0, NUMBER_BYTES),
      place: leaf.readUIntBE(NUMBER_BYTES, NUMBER_BYTES),
      requester_salt: toSalt(requesters, i),
      inputs_salt: toSalt(inputs, i),
      isGone: leaf.every((byte) => byte === 0),
    };
  }).filter(({ isGone }) => !isGone);
}

function toSalt(salts: Buffer, i: number): string | null {
  const salt = salts.subarray(i * SALT_SLOT_BYTES, i * SALT_SLOT_BYTES + SALT_BYTES);
  return salt.every((byte) => byte === 0) ? null : salt.toString('base64');
}
