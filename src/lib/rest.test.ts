import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { collectIfGrown, onceQuiet } from './rest.ts';

const HALF_SECOND = 500;

test('rests in the first quiet half second after a busy one, and after the start', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let rests = 0;
  const noteUse = onceQuiet(() => rests++);
  const pass = (uses: number): number => {
    for (let i = 0; i < uses; i++) noteUse();
    t.mock.timers.tick(HALF_SECOND);
    return rests;
  };
  assert.equal(pass(100), 0, 'a busy start');
  assert.equal(pass(100), 0);
  assert.equal(pass(3), 1, 'periodic work is quiet');
  assert.equal(pass(0), 1, 'once');
  assert.equal(pass(8), 1);
  assert.equal(pass(9), 1, 'busy again');
  assert.equal(pass(0), 2);
});

test('collects a heap that has grown', () => {
  collectIfGrown();
  let garbage: unknown[] | undefined = Array.from({ length: 300_000 }, (_, i) => ({ i }));
  const grown = getHeapStatistics().total_heap_size;
  assert.equal(garbage.length, 300_000);
  garbage = undefined;
  collectIfGrown();
  const { total_heap_size: collected } = getHeapStatistics();
  assert.ok(collected < grown - 4 * 1024 * 1024, `${grown} to ${collected}`);
});
