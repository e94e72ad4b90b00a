/** Rules that are tried beside those of a policy; at most one set for each policy. */
export const CANDIDATES: readonly string[] = [
  `create table candidates (
    -- Never given twice: the decisions of each candidate name it.
    no {{serial}},
    policy_id text not null unique,
    policy_no bigint not null,
    rules text not null,
    default_action text not null,
    -- The newest decision before the candidate: all of its own come later.
    after_seq bigint not null,
    -- The newest decision up to which divergences were announced, and when.
    announced_seq bigint not null,
    announced_at bigint,
    key_id text,
    created_at bigint not null
  )`,
];
