/** The suites about the first start and stopping once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['system/http/first-key', 'system/http/readiness', 'usage/lost', 'identities/directory']);
