/** The black-box suites about checks and what is made of them once more, with the service on PostgreSQL. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

await onPostgres(
  words(`
  http/access http/test-mode http/expiry http/decisions http/usage http/demand http/attention
  impact/as-of impact/simulate license-server/walk license-server/attacks
`),
);
