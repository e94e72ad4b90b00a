/**
 * Packages that stay packages of their own beside dist/; all others are built into it. DuckDB is native, the page of
 * the API reads files of its package, and the rest is loaded by few installations.
 */
export const EXTERNAL = [
  '@duckdb/node-api',
  '@fastify/static',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  'openid-client',
  'undici',
] as const;

/** Looked for by pg, and not used. */
const ABSENT = 'pg-native';

export const isExternal = (id: string): boolean =>
  [...EXTERNAL, ABSENT].some((name) => id === name || id.startsWith(`${name}/`));
