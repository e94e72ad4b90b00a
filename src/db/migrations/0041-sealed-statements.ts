import type { Migration } from '../db.ts';

/** The places of final statements in the log that seals them, as `log_leaves` has those of decisions. */
export const SEALED_STATEMENTS: Migration = [
  `create table log_statements (
    statement_id text primary key,
    tree bigint not null,
    place bigint not null,
    statement_salt text not null,
    requester_salt text,
    requester_hash text not null
  )`,
  // Nodes of the version before erase requesters beside newer ones.
  {
    postgres: `create function log_forget_statement() returns trigger language plpgsql as $$ begin
      update log_statements set requester_salt = null where statement_id = new.id;
      return null;
    end $$`,
  },
  {
    postgres: `create trigger log_forget_statement after update of body on statements for each row
      when (old.body::json ->> 'requesterId' <> new.body::json ->> 'requesterId')
      execute function log_forget_statement()`,
  },
];
