/** The black-box suites about what reads and changes decisions once more, with the decisions in partitions. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

process.env.POSTERN_TEST_PARTITIONS = '1';
await onPostgres(
  words(
    'http/cursors http/statements http/receipts privacy/erasure privacy/retention privacy/broken-off receipts/service',
  ),
);
