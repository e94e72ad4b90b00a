import assert from 'node:assert/strict';
import { test } from 'node:test';
import { View } from './view.ts';
import { Whole } from './whole.ts';

/** A value whose reads take as long as the test wants. */
function slowly() {
  const reads: { resolve(value: number): void; reject(error: Error): void; last: number | undefined }[] = [];
  const whole = new Whole<number>((last) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    reads.push({ resolve, reject, last });
    return promise;
  });
  return { reads, whole, turn: () => new Promise((resolve) => setImmediate(resolve)) };
}

test('all readers share a read; what a change overtakes is read again for all of them', async () => {
  const { reads, whole, turn } = slowly();
  const before = [whole.read(), whole.read()];
  whole.clear();
  const after = whole.read();
  reads[0]?.resolve(1);
  await turn();
  assert.deepEqual([whole.now(), reads.length], [undefined, 2]);
  reads[1]?.resolve(2);
  assert.deepEqual(await Promise.all([...before, after]), [2, 2, 2]);
  assert.deepEqual([whole.now(), await whole.read(), reads.length], [2, 2, 2]);
});

test('a value that changed is the last one, and not the one of now', async () => {
  const { reads, whole } = slowly();
  const first = whole.read();
  reads[0]?.resolve(1);
  await first;
  whole.clear();
  const second = whole.read();
  assert.deepEqual([whole.now(), whole.last(), reads[1]?.last], [undefined, 1, 1]);
  reads[1]?.reject(new Error('unavailable'));
  await assert.rejects(second, /unavailable/);
  assert.deepEqual([whole.now(), whole.last()], [undefined, 1]);
  const third = whole.read();
  reads[2]?.resolve(3);
  assert.equal(await third, 3);
});

test('a view ignores what a read says of a record that changed meanwhile', async () => {
  const seen = new Map<string, unknown>();
  const view = new View<{ n: number }>((id, value) => (value === undefined ? seen.delete(id) : seen.set(id, value.n)));
  await view.load(async () => {
    view.set('edited', { n: 2 });
    view.delete('deleted');
    return ['edited', 'deleted', 'kept'].map((id) => ({ id, n: 1 }));
  });
  assert.deepEqual(Object.fromEntries(seen), { edited: 2, kept: 1 });
});
