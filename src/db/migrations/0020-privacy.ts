/** Daily counts of decisions that left the log, and erasures of requesters. */
export const PRIVACY: readonly string[] = [
  // '' for a text and 0 for a number that is not there; the default action is rule -1.
  `create table daily_counts (
    no {{serial}},
    day bigint not null,
    content_no bigint not null,
    requester_id text not null,
    policy_no bigint not null,
    reason smallint not null,
    purpose text not null,
    permission text not null,
    collection_id text not null,
    crawler text not null,
    license_id text not null,
    claimed text not null,
    verified smallint not null,
    enforced smallint not null,
    policy_version bigint not null,
    rule_index bigint not null,
    wanted text not null,
    requests bigint not null
  )`,
  `create unique index daily_counts_of on daily_counts (day, content_no, requester_id, policy_no, reason, purpose,
    permission, collection_id, crawler, license_id, claimed, verified, enforced, policy_version, rule_index, wanted)`,
  'create index daily_counts_content on daily_counts (content_no)',
  // Licensed decisions that left the log, too: statements still count them. The URL where there is no item.
  'alter table deleted_decisions add column url text',
  'create index deleted_decisions_at on deleted_decisions (at, seq)',
  `create table erasures (
    no {{serial}},
    id text not null unique,
    pseudonym text not null,
    -- null once nothing of it is left.
    requester_id text,
    status text not null,
    -- How far the walk over the decisions has come, and where it ends.
    walked_seq bigint not null,
    last_seq bigint not null,
    decisions bigint not null,
    key_id text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index erasures_requester on erasures (requester_id)',
];
