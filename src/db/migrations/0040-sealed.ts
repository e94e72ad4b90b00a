/** The log that seals decisions: Merkle trees, of which tree 0 is the public one. Hashes and salts are base64. */
export const SEALED: readonly string[] = [
  // Of decisions in the log. A salt is erased with the part of the decision that it hides; its hash stays.
  `create table log_leaves (
    seq bigint primary key,
    tree bigint not null,
    place bigint not null,
    decision_salt text not null,
    rule_salt text not null,
    requester_salt text,
    requester_hash text not null,
    inputs_salt text,
    inputs_hash text not null
  )`,
  `create table log_trees (
    no bigint primary key,
    -- '' for decisions without a requester; null for tree 0, and once the requester was erased, as is the salt.
    requester_id text,
    salt text,
    -- The hash of both.
    commitment text not null,
    size bigint not null,
    -- The size in the newest leaf of tree 0 that is about it.
    published bigint not null
  )`,
  'create unique index log_trees_of on log_trees (requester_id)',
  `create table log_tiles (
    tree bigint not null,
    level bigint not null,
    no bigint not null,
    hashes text not null,
    primary key (tree, level, no)
  )`,
  // The leaves of tree 0: what tree had what size.
  `create table log_heads (
    place bigint primary key,
    tree bigint not null,
    size bigint not null
  )`,
  'create unique index log_heads_of on log_heads (tree, size)',
];
