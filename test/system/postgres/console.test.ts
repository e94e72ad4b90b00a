/** The console in a browser, and its sessions, once more with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['console/session', 'system/console/journeys']);
