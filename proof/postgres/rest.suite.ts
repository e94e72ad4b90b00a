/** Suites once more on PostgreSQL that take long: the tests run them on SQLite alone. */
import { words } from '../../kit/words.ts';
import { onPostgres } from '../../test/system/postgres/suites.ts';

await onPostgres(
  words(`
  docs metrics ../src/rules/templates http/answers http/permissions http/hostile system/http/hostile-conditions
  system/http/pages system/http/test-mode system/http/laws system/http/process system/http/webhooks
  system/impact/impact identities/lists identities/names privacy/broken-off system/privacy/killed
  system/console/journeys http/usage http/demand impact/as-of impact/simulate license-server/attacks
  http/candidates impact/candidate http/placement http/url-edits
`),
);
