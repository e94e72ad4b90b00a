/** The black-box suites about checks once more, with the service on PostgreSQL. */
import { words } from '../../../kit/words.ts';
import { onPostgres } from './suites.ts';

await onPostgres(words('http/access http/test-mode http/expiry http/decisions http/attention license-server/walk'));
