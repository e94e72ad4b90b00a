/** The black-box suites about checks and what is made of them once more, with the service on PostgreSQL. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

await onPostgres(
  words(`
  enforce/authorize enforce/max-age http/access http/test-mode system/http/test-mode http/expiry system/http/laws http/decisions http/usage http/demand http/attention
  impact/as-of system/impact/impact impact/simulate license-server/walk license-server/attacks
`),
);
