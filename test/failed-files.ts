/** A reporter for node:test: the files with a test that failed, a line each. */
import { isAbsolute, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    // A file that ends by itself fails as a test of its own name.
    const file = data.file ?? data.name;
    files.add(isAbsolute(file) ? file : resolve(file));
  }
  yield [...files].map((file) => `${file}\n`).join('');
}
