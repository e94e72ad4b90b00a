/** Quotas of licenses. Their counts are rows of `limits`; here are the contents that the distinct ones counted. */
export const QUOTAS: readonly string[] = [
  // JSON: units, used, period, when units are available again.
  'alter table decisions add column quota text',
  `create table quota_contents (
    license_id text not null,
    -- The version of the terms for which the license was counted.
    opened bigint not null,
    -- The start of the period.
    start bigint not null,
    -- An item's number, or the digest of a URL.
    content text not null,
    expires_at bigint not null,
    primary key (license_id, opened, start, content)
  )`,
  'create index quota_contents_expiry on quota_contents (expires_at)',
];
