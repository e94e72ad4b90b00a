/** Terms of licenses, with all their versions. */
export const TERMS: readonly string[] = [
  'alter table licenses add column terms text',
  'alter table licenses add column terms_version bigint not null default 0',
  'alter table licenses add column terms_from bigint',
  // Versions outlive their license: past statements are computed with them.
  `create table license_terms (
    license_id text not null,
    version bigint not null,
    requester_id text not null,
    -- The last 16 characters of the license's id, which the ids of its statements share.
    tail text not null,
    at bigint not null,
    -- When it takes effect.
    from_at bigint not null,
    -- JSON; null: the terms end.
    terms text,
    primary key (license_id, version)
  )`,
  'create index license_terms_tail on license_terms (tail)',
  'create index license_terms_requester on license_terms (requester_id)',
];
