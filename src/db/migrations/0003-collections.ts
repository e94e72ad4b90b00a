/** Collections with all their versions. */
export const COLLECTIONS: readonly string[] = [
  `create table collections (
    no {{serial}},
    id text not null unique,
    name text not null,
    name_words text not null,
    description text,
    hosts text not null,
    paths text not null,
    content_types text not null,
    content_tags text not null,
    policy_id text,
    metadata text not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index collections_policy on collections (policy_id)',
  // Versions outlive their collection: past checks are decided with them.
  `create table collection_versions (
    seq {{serial}},
    collection_id text not null,
    version bigint not null,
    at bigint not null,
    -- JSON; null: deleted.
    record text
  )`,
  'create unique index collection_versions_of on collection_versions (collection_id, version)',
];
