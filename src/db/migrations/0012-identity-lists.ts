/** Published lists of addresses, as they were fetched. */
export const IDENTITY_LISTS: readonly string[] = [
  `create table identity_lists (
    no {{serial}},
    url text not null unique,
    -- JSON.
    texts text not null,
    ranges bigint not null,
    hash text,
    fetched_at bigint,
    attempted_at bigint not null,
    failures bigint not null,
    error text,
    held_texts text,
    held_ranges bigint,
    held_hash text,
    held_at bigint
  )`,
];
