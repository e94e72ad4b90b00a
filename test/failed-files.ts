/**
 * A reporter for node:test: the files that failed, a line each, as the run was given them. A test that such a file has
 * from another, as those on PostgreSQL do, counts for the one that was run.
 */
import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type === 'test:summary' && !data.success && data.file !== undefined) files.add(data.file);
    // A file that ends by itself fails as a test of its own name.
    else if (type === 'test:fail' && data.file === resolve(data.name)) files.add(data.file);
  }
  yield [...files].map((file) => `${file}\n`).join('');
}
