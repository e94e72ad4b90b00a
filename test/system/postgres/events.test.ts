/** The black-box suites about events, webhooks and the audit log once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['http/audit', 'http/events', 'system/http/stream', 'webhooks/deliver']);
