/** The black-box suites about records and about what is hostile once more, with the service on PostgreSQL. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

await onPostgres(
  words(`
  docs http.smoke metrics ../src/rules/templates http/answers http/collections http/content http/placement http/placed-lists http/url-edits http/policies http/candidates impact/candidate http/keys http/requester-tokens http/identities identities/lists identities/names requesters/tokens
  system/http/pages http/cursors http/permissions http/disclosure http/idempotency system/http/concurrency
  http/hostile system/http/hostile-conditions
`),
);
