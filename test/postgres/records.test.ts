/** The black-box suites about records and about what is hostile once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres([
  'docs',
  'http.smoke',
  'metrics',
  'policies/templates',
  'http/answers',
  'http/content',
  'http/policies',
  'http/keys',
  'http/pages',
  'http/permissions',
  'http/idempotency',
  'http/concurrency',
  'http/hostile',
  'http/hostile-conditions',
]);
