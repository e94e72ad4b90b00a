/** Candidates that were published, replaced or deleted, until their last decisions have been looked at. */
export const ENDED_CANDIDATES: readonly string[] = [
  `create table ended_candidates (
    -- As in \`candidates\`.
    no bigint not null primary key,
    policy_id text not null,
    policy_no bigint not null,
    rules text not null,
    default_action text not null,
    after_seq bigint not null,
    announced_seq bigint not null,
    announced_at bigint,
    key_id text,
    created_at bigint not null,
    -- The newest decision when it ended.
    newest_seq bigint not null
  )`,
];
