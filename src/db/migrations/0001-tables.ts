/**
 * The first shape. `no` is a record's small number inside the store: decisions refer to it, so that one costs bytes and
 * not lines, and because it is never given twice, a deleted item's decisions cannot come back with a new item.
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
    updated_at bigint not null
  )`,
  'create index content_source on content (source_path, source_query, status)',
  'create index content_policy on content (policy_id)',
  // Content whose decisions are still to be removed from the ledger.
  'create table purges (content_no {{key}})',

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

  `create table requesters (
    no {{serial}},
    id text not null unique,
    name text not null,
    name_words text not null,
    type text,
    tags text not null,
    user_agents text not null,
    metadata text not null,
    status text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table licenses (
    id text primary key,
    requester_id text not null,
    type text not null,
    features text not null,
    scope text,
    starts_at bigint,
    expires_at bigint,
    status text not null,
    metadata text not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- Its expiry while that is still to be announced.
    expiry_due bigint
  )`,
  'create index licenses_requester on licenses (requester_id)',
  'create index licenses_expiry on licenses (expiry_due)',
  // Past versions of requesters and licenses, in the order of the edits.
  `create table history (
    seq {{serial}},
    kind text not null,
    object_id text not null,
    -- The requester it is of.
    owner_id text not null,
    at bigint not null,
    -- JSON; null: deleted.
    record text
  )`,
  'create index history_owner on history (owner_id)',

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
    created_at bigint not null
  )`,

  // Who is signed in to the console; the token itself is with the browser alone.
  `create table sessions (
    token_hash text primary key,
    key_id text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index sessions_key on sessions (key_id, created_at)',
  'create index sessions_expiry on sessions (expires_at)',

  `create table decisions (
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
    inputs text
  )`,
  // Decisions up to `to_seq` are in these files; some may still be here.
  `create table archives (
    to_seq bigint primary key,
    file text not null,
    decisions bigint not null,
    created_at bigint not null
  )`,
  `create table limits (
    key text primary key,
    state text not null,
    expires_at bigint not null
  )`,
  'create index limits_expiry on limits (expires_at)',

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
