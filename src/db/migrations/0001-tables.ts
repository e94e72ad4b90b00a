/**
 * Content, policies, keys, and the log of edits. `no` is a record's small number inside the store: decisions refer to
 * it, so that each costs bytes and not lines. It is never reused: decisions of a deleted item cannot come back.
 */
export const TABLES: readonly string[] = [
  'create table settings (name text primary key, value text not null)',
  // Work of a cluster that one node at a time does.
  'create table leases (name text primary key, holder text not null, until bigint not null)',

  `create table content (
    no {{serial}},
    id text not null unique,
    external_id text not null unique,
    title text not null,
    title_words text not null,
    type text not null,
    source text not null,
    -- Digests of its locator: host and path, and the query; null when it has none.
    source_path text,
    source_query text,
    policy_id text not null,
    metadata text not null,
    tags text not null,
    status text not null,
    revision bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- 0: it follows a collection, or the default.
    owns_policy smallint not null default 1,
    -- For lists alone: its most specific collection, as far as the setting items_placed_to says.
    collection_id text,
    -- The digest of its path in lowercase, where that differs: routers of callers may ignore the case.
    source_folded {{unordered}}
  )`,
  'create index content_source on content (source_path, source_query, status)',
  `create index content_source_folded on content (source_folded, source_query, status)
   where source_folded is not null`,
  'create index content_folded_id on content (lower(external_id{{bytes}}))',
  'create index content_policy on content (policy_id)',
  'create index content_collection on content (collection_id, id, owns_policy)',
  // Finds the items of a policy, newest first: those that own it, and those with the default in no collection.
  'create index content_own_policy on content (policy_id, id) where owns_policy = 1',
  'create index content_default_policy on content (policy_id, id) where owns_policy = 0 and collection_id is null',
  // Content whose decisions are still to be removed from the ledger.
  'create table purges (content_no {{key}})',

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
    updated_at bigint not null,
    mode text not null default 'enforce'
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

  `create table sites (
    no {{serial}},
    host text not null unique,
    signals text not null,
    contact text,
    licensing_url text,
    purposes text not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- JSON.
    sitemaps text not null default '[]',
    -- JSON: which URLs are one file; null: the usual rules.
    urls {{unordered}}
  )`,
  // Versions outlive their site: what was served is looked up by them.
  `create table site_versions (
    seq {{serial}},
    host text not null,
    version bigint not null,
    at bigint not null,
    -- JSON; null: deleted.
    record text
  )`,
  'create unique index site_versions_of on site_versions (host, version)',

  // The policy as it is now is its row here and its newest row in policy_versions.
  `create table policies (
    no {{serial}},
    id text not null unique,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  // Versions outlive their policy: decisions refer to them.
  `create table policy_versions (
    policy_no bigint not null,
    version bigint not null,
    policy_id text not null,
    name text not null,
    description text,
    rules text not null,
    default_action text not null,
    created_at bigint not null,
    primary key (policy_no, version)
  )`,
  'create index policy_versions_policy on policy_versions (policy_id, version)',
  'create table default_policies (no {{serial}}, policy_id text not null, at bigint not null)',
  // Rules that are tried beside those of a policy; at most one set for each policy.
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
  // Candidates that were published, replaced or deleted, until their last decisions have been looked at.
  `create table ended_candidates (
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

  `create table api_keys (
    id text primary key,
    hash text not null unique,
    prefix text not null,
    name text not null,
    type text not null,
    permissions text not null,
    allowed_ips text not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_at bigint not null,
    mode text not null default 'live',
    -- In its grace: when it was replaced, and which expiry it had before.
    replaced_at bigint,
    own_expires_at bigint
  )`,
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
  // Who is signed in to the console; the token itself is with the browser alone.
  `create table sessions (
    token_hash text primary key,
    -- The key or the user.
    key_id text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index sessions_key on sessions (key_id, created_at)',
  'create index sessions_expiry on sessions (expires_at)',
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

  // Every edit, in the order of the commits.
  `create table changes (
    seq {{serial}},
    -- The 26 characters that its event and its entry in the audit log share.
    id text not null unique,
    at bigint not null,
    kind text not null,
    object_id text not null,
    object_no bigint,
    -- The requester a license is of.
    owner_id text,
    -- Who, by which request, from where; null: the service itself.
    key_id text,
    request_id text,
    address text
  )`,
  // Apart from the log, so that walking the log does not read them.
  `create table change_data (
    id text primary key,
    object text not null,
    previous text
  )`,
  // Events that webhooks carry: changes of event kinds, and decisions with a subscriber.
  `create table events (
    seq {{serial}},
    id text not null unique,
    at bigint not null,
    kind text not null,
    object_id text not null,
    -- The item of an access event, which goes with it.
    object_no bigint
  )`,
  `create table webhooks (
    id text primary key,
    url text not null,
    events text not null,
    description text,
    metadata text not null,
    status text not null,
    disabled_reason text,
    failing_since bigint,
    secret text not null,
    -- Those before, JSON: {secret, until}, the newest first.
    old_secrets text not null,
    -- Place in events up to which deliveries were made.
    cursor bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table deliveries (
    id text primary key,
    webhook_id text not null,
    event_id text not null,
    kind text not null,
    status text not null,
    attempt_count bigint not null,
    -- JSON; the newest attempts.
    attempts text not null,
    -- null: none is to come.
    next_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index deliveries_webhook on deliveries (webhook_id, id)',
  'create index deliveries_due on deliveries (webhook_id, next_at)',
  `create table receipts (
    scope text primary key,
    body_hash text not null,
    status bigint not null,
    body text not null,
    created_at bigint not null
  )`,
  'create index receipts_age on receipts (created_at)',
];
