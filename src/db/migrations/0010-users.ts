/** People who sign in, and the ways in that work once. A session's `key_id` names its key or its user. */
export const USERS: readonly string[] = [
  `create table users (
    id text primary key,
    -- The provider, and its name for the person; '' for people who sign in by link, whose subject is their name.
    issuer text not null,
    subject text not null,
    name text not null,
    email text,
    -- null: the provider no longer gives the person a role.
    role text,
    status text not null,
    last_seen_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create unique index users_subject on users (issuer, subject)',
  `create table sign_in_links (
    token_hash text primary key,
    user_id text not null,
    expires_at bigint not null
  )`,
  'create index sign_in_links_user on sign_in_links (user_id)',
  // Round trips to a provider that ended in a session: none does so twice.
  `create table used_sign_ins (
    state_hash text primary key,
    expires_at bigint not null
  )`,
];
