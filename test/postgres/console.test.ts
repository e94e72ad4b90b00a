/** The console in a browser once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['console/journeys']);
