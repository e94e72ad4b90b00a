/** Statements of licenses, and what is left of licensed decisions whose item was deleted: they stay billed. */
export const STATEMENTS: readonly string[] = [
  // Of a license that was deleted, in the version that ended its terms.
  'alter table license_terms add column starts_at bigint',
  `create table deleted_decisions (
    seq {{place}},
    at bigint not null,
    license_id text not null,
    content_no bigint not null,
    purpose text
  )`,
  `create table statements (
    id text primary key,
    license_id text not null,
    requester_id text not null,
    from_at bigint not null,
    to_at bigint not null,
    finalized_at bigint not null,
    -- The total without corrections, as an integer in text.
    own_micros text not null,
    -- JSON, as it is answered.
    body text not null
  )`,
  'create index statements_license on statements (license_id, from_at)',
];
