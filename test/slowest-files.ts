/** A reporter for node:test: the files that took longest, a line each. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 10;

export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; ms: number }[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined) files.push({ file: data.file, ms: data.duration_ms });
  }
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
  yield slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative('', file)}\n`).join('');
}
