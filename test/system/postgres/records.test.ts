/** The black-box suites about records once more, with the service on PostgreSQL. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

await onPostgres(
  words(`
  http.smoke http/collections http/content http/placed-lists http/policies http/keys http/requester-tokens http/identities requesters/tokens
  http/cursors http/disclosure http/idempotency system/http/concurrency console/session
`),
);
