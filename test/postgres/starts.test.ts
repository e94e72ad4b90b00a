/** The suites about starting, the first key and stopping once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['http/process', 'http/first-key']);
