/** The black-box suites about what proxies ask once more, with the service on PostgreSQL. */
import { onPostgres } from './suites.ts';

await onPostgres(['enforce/authorize', 'enforce/max-age', 'enforce/forged']);
