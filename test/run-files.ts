/**
 * A reporter for node:test: the files of a run, as {@link RunFiles} in JSON. A test that a file has from another, as
 * those on PostgreSQL do, counts for the one that was run.
 */
import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Paths as the run was given them, resolved. */
export interface RunFiles {
  failed: string[];
  took: { file: string; ms: number }[];
}

export default async function* runFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failed = new Set<string>();
  const took: RunFiles['took'] = [];
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined) {
      took.push({ file: data.file, ms: data.duration_ms });
      if (!data.success) failed.add(data.file);
    }
    // A file that ends by itself fails as a test of its own name.
    else if (type === 'test:fail' && data.file === resolve(data.name)) failed.add(data.file);
  }
  const files: RunFiles = { failed: [...failed], took };
  yield JSON.stringify(files);
}
