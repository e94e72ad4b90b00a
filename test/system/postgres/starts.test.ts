/** The suites about starting, the first key and stopping once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['system/http/process', 'system/http/first-key', 'system/http/readiness', 'usage/lost']);
