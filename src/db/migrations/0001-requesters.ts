/** Requesters, what they hold, what that costs, and how they prove who they are. */
export const REQUESTERS: readonly string[] = [
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
    updated_at bigint not null,
    -- JSON: ways to verify a visitor that uses its name.
    identities text not null default '[]'
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
    expiry_due bigint,
    terms text,
    terms_version bigint not null default 0,
    terms_from bigint,
    -- When its end is announced next, ahead of it. null: no more. 0: not computed yet.
    expiring_due bigint default 0
  )`,
  'create index licenses_requester on licenses (requester_id)',
  'create index licenses_expiry on licenses (expiry_due)',
  'create index licenses_expiring on licenses (expiring_due)',
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
    -- Of a license that was deleted, in the version that ended its terms.
    starts_at bigint,
    primary key (license_id, version)
  )`,
  'create index license_terms_tail on license_terms (tail)',
  'create index license_terms_requester on license_terms (requester_id)',
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
  // A revoked token stays, so that its use differs from that of an unknown one.
  `create table requester_tokens (
    id text primary key,
    requester_id text not null,
    hash text not null unique,
    prefix text not null,
    name text not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    -- As in api_keys.
    replaced_at bigint,
    own_expires_at bigint
  )`,
  'create index requester_tokens_of on requester_tokens (requester_id, id)',
  `create table license_requests (
    id text primary key,
    requester_id text not null,
    license_type text not null,
    collection_id text,
    note text,
    status text not null,
    -- The publisher's note, and the license that it granted.
    answer text,
    license_id text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index license_requests_requester on license_requests (requester_id, id)',
  'create index license_requests_status on license_requests (status, id)',
  // The price list: one offer per license type, everywhere or in a collection.
  `create table offers (
    no {{serial}},
    id text not null unique,
    license_type text not null,
    -- Empty: everywhere.
    collection_id text not null,
    -- JSON.
    features text not null,
    unit text not null,
    unit_price_micros bigint,
    currency text,
    contact text,
    url text,
    valid_until text,
    -- JSON.
    x402 text,
    revision bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (license_type, collection_id)
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

  // Published lists of addresses, as they were fetched.
  `create table identity_lists (
    no {{serial}},
    url text not null unique,
    -- JSON.
    texts text not null,
    ranges bigint not null,
    hash text,
    fetched_at bigint,
    attempted_at bigint not null,
    failures bigint not null,
    error text,
    held_texts text,
    held_ranges bigint,
    held_hash text,
    held_at bigint,
    -- Since when fetches fail, and since when ranges are held back.
    failing_since bigint,
    held_since bigint
  )`,
  // The keys of agents that sign their requests, as they were fetched: a restart has them before the first request.
  `create table agent_keys (
    agent text primary key,
    -- JSON: a JWK Set of public keys.
    jwks text not null,
    fetched_at bigint not null,
    fresh_until bigint not null,
    -- 1: fetches have failed since.
    failing smallint not null
  )`,
];
