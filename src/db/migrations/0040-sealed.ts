import type { Migration } from '../db.ts';

/** The log that seals decisions: Merkle trees, of which tree 0 is the public one. Hashes and salts are base64. */
export const SEALED: Migration = [
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
  // Nodes of the version before know nothing of leaves. While they run beside newer ones, what they erase is forgotten
  // here, as `decisions/history/sealed/forget` does it.
  {
    postgres: `create function log_forget_deleted() returns trigger language plpgsql as $$ begin
      update settings set value = cast(cast(value as bigint) + 1 as text) where name = 'log_forgotten' and exists (
        select 1 from gone, settings as s where s.name = 'log_sealed_to' and gone.seq > cast(s.value as bigint));
      delete from log_leaves where seq in (select seq from gone);
      return null;
    end $$`,
  },
  {
    postgres: `create trigger log_forget_deleted after delete on decisions referencing old table as gone
      for each statement execute function log_forget_deleted()`,
  },
  {
    postgres: `create function log_forget_changed() returns trigger language plpgsql as $$ begin
      update settings set value = cast(cast(value as bigint) + 1 as text) where name = 'log_forgotten' and exists (
        select 1 from was, settings as s where s.name = 'log_sealed_to' and was.seq > cast(s.value as bigint));
      update log_leaves as l set inputs_salt = null from was join became as b using (seq)
        where l.seq = was.seq and b.inputs is distinct from was.inputs;
      update log_leaves as l set requester_salt = null, inputs_salt = null from was join became as b using (seq)
        where l.seq = was.seq and (b.requester_id is distinct from was.requester_id or b.claimed is distinct from was.claimed);
      update log_trees set requester_id = null, salt = null where requester_id in (
        select was.requester_id from was join became as b using (seq) where b.requester_id <> was.requester_id);
      return null;
    end $$`,
  },
  {
    postgres: `create trigger log_forget_changed after update on decisions referencing old table as was new table as became
      for each statement execute function log_forget_changed()`,
  },
];
