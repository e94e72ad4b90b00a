/** The black-box suites about records once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres([
  'http/answers',
  'http/content',
  'http/policies',
  'http/keys',
  'http/pages',
  'http/permissions',
  'http/idempotency',
  'http/concurrency',
  'http/hostile',
]);
