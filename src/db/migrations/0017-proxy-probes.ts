/** Requests by which an operator finds out what a proxy passes on; each for a minute. */
export const PROXY_PROBES: readonly string[] = [
  `create table proxy_probes (
    no {{serial}},
    id text not null unique,
    -- Marks the URL of the request.
    mark text not null unique,
    created_at bigint not null,
    expires_at bigint not null,
    -- JSON: what arrived.
    arrived text
  )`,
];
