/**
 * Test keys, and the ledger of their checks: tables of its own with the columns of the live ones, so that nothing that
 * counts, bills or announces can see a test.
 */
export const TEST_MODE: readonly string[] = [
  `alter table api_keys add column mode text not null default 'live'`,
  `create table test_decisions (
    seq {{place}},
    at bigint not null,
    content_no bigint not null,
    requester_id text,
    policy_no bigint not null,
    policy_version bigint not null,
    reason smallint not null,
    rule_index bigint,
    rule_priority bigint,
    license_id text,
    limit_remaining bigint,
    limit_reset_at bigint,
    inputs text,
    url text,
    collection_id text,
    crawler text,
    verified smallint,
    claimed text,
    purpose text,
    permission text,
    enforced smallint not null default 1,
    candidate text,
    wanted text,
    quota text
  )`,
  `create table test_deleted_decisions (
    seq {{place}},
    at bigint not null,
    license_id text not null,
    content_no bigint not null,
    purpose text,
    url text
  )`,
  `create table test_limits (
    key text primary key,
    state text not null,
    expires_at bigint not null
  )`,
  'create index test_limits_expiry on test_limits (expires_at)',
  `create table test_quota_contents (
    license_id text not null,
    opened bigint not null,
    start bigint not null,
    content text not null,
    expires_at bigint not null,
    primary key (license_id, opened, start, content)
  )`,
  'create index test_quota_contents_expiry on test_quota_contents (expires_at)',
];
