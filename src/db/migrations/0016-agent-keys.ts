/** The keys of agents that sign their requests, as they were fetched: a restart has them before the first request. */
export const AGENT_KEYS: readonly string[] = [
  `create table agent_keys (
    agent text primary key,
    -- JSON: a JWK Set of public keys.
    jwks text not null,
    fetched_at bigint not null,
    fresh_until bigint not null,
    -- 1: fetches have failed since.
    failing smallint not null
  )`,
];
