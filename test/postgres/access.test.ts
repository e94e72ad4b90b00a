/** The black-box suites about checks and what is made of them once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres([
  'enforce/authorize',
  'enforce/max-age',

  'http/access',
  'http/expiry',
  'http/laws',
  'http/decisions',
  'http/usage',
  'impact/as-of',
  'impact/impact',
  'impact/simulate',
]);
