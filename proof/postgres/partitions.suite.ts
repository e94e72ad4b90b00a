/** Black-box suites about what reads, changes and moves decisions once more, with the decisions in partitions. */
import { describe } from 'node:test';
import { words } from '../../kit/words.ts';
import { onPostgres } from '../../test/system/postgres/suites.ts';

process.env.POSTERN_TEST_PARTITIONS = '1';
await describe('system/storage/storage', () => import('../../test/system/storage/storage.test.ts') as Promise<never>);
await onPostgres(
  words(
    'http/cursors http/statements http/receipts privacy/erasure privacy/retention privacy/broken-off receipts/service',
  ),
);
