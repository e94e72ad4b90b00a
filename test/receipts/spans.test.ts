/** Rows of many leaves: an erasure takes what it should and nothing else, wherever in a row it begins and ends. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Leaf, leavesOf } from '../../kit/leaves.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { databaseSettings, startTestService } from '../../kit/service.ts';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { forgetInputs, forgetLeaves, forgetUpTo, SEALED_TO } from '../../src/decisions/history/sealed/forget.ts';
import {
  insertSpans,
  LEAF_BYTES,
  readLeaves,
  SALT_SLOT_BYTES,
  setPlace,
} from '../../src/decisions/history/sealed/leaves.ts';

/** Random numbers with gaps, some wider than a row. */
function numbers(random: () => number): number[] {
  const seqs: number[] = [];
  for (let seq = 1; seqs.length < 700; seq += random() < 0.9 ? 1 : Math.ceil(random() ** 8 * 600)) seqs.push(seq);
  return seqs;
}

async function insert(db: Db, seqs: readonly number[]): Promise<void> {
  const leaves = randomBytes(seqs.length * LEAF_BYTES);
  for (const i of seqs.keys()) setPlace(leaves, i, 1 + (i % 3), i);
  const salts = () => randomBytes(seqs.length * SALT_SLOT_BYTES);
  await db.atomic([
    ...insertSpans({ seqs: Float64Array.from(seqs), leaves, requesterSalts: salts(), inputsSalts: salts() }),
    { sql: `insert into settings (name, value) values ('${SEALED_TO}', '1000000')` },
  ]);
}

test('random erasures', async () => {
  const random = seeded(runSeed).next;
  await using postern = await startTestService();
  const { POSTERN_DATABASE_URL: url } = await databaseSettings(postern.dataDir);
  await using stack = new AsyncDisposableStack();
  const db = url === undefined ? await openSqlite(`${postern.dataDir}/postern.db`) : await openPostgres(url);
  stack.defer(() => db.close());
  const seqs = numbers(random);
  await insert(db, seqs);
  let expected: Leaf[] = await leavesOf(postern);
  assert.deepEqual(
    expected.map(({ seq }) => seq),
    seqs,
  );
  const any = (): number => Math.floor(random() * ((seqs.at(-1) as number) + 10));
  const acts = [
    async () => {
      const last = Math.floor(any() / 8);
      await db.atomic(forgetUpTo(last));
      return expected.filter(({ seq }) => seq > last);
    },
    async () => {
      const gone = new Set(Array.from({ length: 30 }, any));
      await db.atomic(forgetLeaves(`values ${[...gone].map((seq) => `(${seq})`).join(', ')}`));
      return expected.filter(({ seq }) => !gone.has(seq));
    },
    async () => {
      const [after, upTo] = [any(), any()].toSorted((a, b) => a - b) as [number, number];
      await db.atomic(forgetInputs(after, upTo));
      return expected.map((leaf) => (leaf.seq > after && leaf.seq <= upTo ? { ...leaf, inputs_salt: null } : leaf));
    },
  ];
  for (let i = 0; i < 15; i++) {
    expected = await (acts[i % acts.length] as () => Promise<Leaf[]>)();
    assert.deepEqual(await leavesOf(postern), expected);
  }
  const [from, to] = [any(), any()].toSorted((a, b) => a - b) as [number, number];
  const read = await readLeaves(db, from, to);
  const inside = expected.filter(({ seq }) => seq > from && seq <= to);
  assert.deepEqual(
    [...read].toSorted(([a], [b]) => a - b).map(([seq, leaf]) => [seq, leaf.tree, leaf.place, leaf.inputs_salt]),
    inside.map((leaf) => [leaf.seq, leaf.tree, leaf.place, leaf.inputs_salt]),
  );
});
