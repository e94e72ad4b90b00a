/** Entries of the crawler directory that the publisher added. */
export const OWN_CRAWLERS: readonly string[] = [
  `create table own_crawlers (
    -- The token in lowercase.
    id text primary key,
    token text not null,
    name text not null,
    operator text,
    purpose text not null,
    identities text not null,
    url text,
    created_at bigint not null
  )`,
];
