import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { estimateBytes } from './bytes.ts';

test('the estimate is near what V8 takes', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const record = (i: number) => ({
    id: `cnt_${i.toString().padStart(26, '0')}`,
    tags: [`a${i}`, `b${i}`],
    metadata: { section: `s${i}`, words: i + 0.5 },
    note: null,
  });
  const COUNT = 50_000;
  const kept: object[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < COUNT; i++) kept.push(JSON.parse(JSON.stringify(record(i))) as object);
  collect();
  const taken = (process.memoryUsage().heapUsed - before) / COUNT;
  const estimate = estimateBytes(record(COUNT));
  assert.ok(kept.length === COUNT && estimate > taken * 0.8 && estimate < taken * 1.8, `${estimate} for ${taken}`);
});
