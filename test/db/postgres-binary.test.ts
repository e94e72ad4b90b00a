/** Promise: rows in the binary format arrive whole and in order, and the connection is as it was afterwards. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testPostgres } from '../../kit/postgres.ts';
import type { WireBytes } from '../../src/db/postgres/binary.ts';
import { openPostgresReader } from '../../src/db/postgres/reader.ts';

async function openReader(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const reader = await openPostgresReader(url);
  stack.defer(() => reader.close());
  return reader;
}

/** Reads a number and a text. */
function readRow({ bytes, view }: WireBytes, at: number): [number, string | null] {
  assert.equal(view.getInt32(at), 8);
  const length = view.getInt32(at + 12);
  const text = length === -1 ? null : bytes.toString('utf8', at + 16, at + 16 + length);
  return [Number(bytes.readBigInt64BE(at + 4)), text];
}

const ROWS = `select n::bigint, case when n % 3 > 0 then repeat('é', $1::int * (n % 1000)::int) end
  from generate_series(1, $2::int) as every(n)`;

for (const [length, count] of [
  [0, 5_000],
  [1, 20_000],
  [700, 500],
] as const) {
  test(`${count} rows of up to ${length * 2_000} bytes arrive whole, however they are cut`, async (t) => {
    const reader = await openReader(t);
    const rows: [number, string | null][] = [];
    await reader.binary({ sql: ROWS, params: [length, count] }, (bytes, at) => rows.push(readRow(bytes, at)));
    const expected = Array.from({ length: count }, (_, i) => [
      i + 1,
      (i + 1) % 3 > 0 ? 'é'.repeat(length * ((i + 1) % 1_000)) : null,
    ]);
    assert.deepEqual(rows, expected);
  });
}

test('statements after rows, and after an error, are answered', async (t) => {
  const reader = await openReader(t);
  let count = 0;
  const read = (sql: string): Promise<void> => reader.binary({ sql }, () => void count++);
  await read('select n from generate_series(1, 30000) as every(n)');
  assert.deepEqual(await reader.all([{ sql: 'select 1 as one' }, { sql: 'select 2 as two' }]), [
    [{ one: 1 }],
    [{ two: 2 }],
  ]);
  await assert.rejects(read('select 1 / (n - 20000) from generate_series(1, 30000) as every(n)'));
  assert.deepEqual(await reader.arrays({ sql: 'select 3' }), [[3]]);
  await assert.rejects(read('no sql'));
  const before = count;
  await read('select n from generate_series(1, 10) as every(n) where false');
  assert.equal(count, before);
  assert.deepEqual(await reader.all([{ sql: 'select 4 as four' }]), [[{ four: 4 }]]);
});

test('an error of the one who takes the rows is theirs, and the connection goes on', async (t) => {
  const reader = await openReader(t);
  let count = 0;
  const taken = reader.binary({ sql: 'select n from generate_series(1, 50000) as every(n)' }, () => {
    count += 1;
    if (count === 7) throw new Error('seven');
  });
  await assert.rejects(taken, /seven/);
  assert.equal(count, 7);
  assert.deepEqual(await reader.arrays({ sql: 'select 5' }), [[5]]);
});

test('a connection that is lost fails the rows', async (t) => {
  const reader = await openReader(t);
  const taken = reader.binary({ sql: 'select n, pg_sleep(60) from generate_series(1, 2) as every(n)' }, () => {});
  reader.abandon();
  await assert.rejects(taken);
});
