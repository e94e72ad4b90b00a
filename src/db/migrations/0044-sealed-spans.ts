import type { Migration } from '../db.ts';

/** Leaves as `decisions/history/sealed/leaves` keeps them: a row for many. `log_leaves` keeps those that are there. */
export const SEALED_SPANS: Migration = [
  `create table log_spans (
    from_seq bigint primary key,
    to_seq bigint not null,
    -- Base64, of one width for each number from the first to the last: 144 characters, 24 and 24.
    leaves text not null,
    requester_salts text not null,
    inputs_salts text not null
  )`,
  // For nodes of the version before, as for `log_leaves`.
  {
    postgres: `create or replace function log_forget_deleted() returns trigger language plpgsql as $$ begin
      -- Decisions that move keep their leaves.
      if current_setting('postern.moves', true) = 'on' then return null; end if;
      update settings set value = cast(cast(value as bigint) + 1 as text) where name = 'log_forgotten' and exists (
        select 1 from gone, settings as s where s.name = 'log_sealed_to' and gone.seq > cast(s.value as bigint));
      delete from log_leaves where seq in (select seq from gone);
      with these as (
        select distinct s.from_seq from gone cross join lateral (
          select l.from_seq, l.to_seq from log_spans as l where l.from_seq <= gone.seq order by l.from_seq desc limit 1
        ) as s where s.to_seq >= gone.seq
      ), changed as (
        select s.from_seq,
          string_agg(case when g.seq is null then substr(s.leaves, 1 + 144 * i, 144) else repeat('A', 144) end, ''
            order by i) as leaves,
          string_agg(case when g.seq is null then substr(s.requester_salts, 1 + 24 * i, 24) else repeat('A', 24) end, ''
            order by i) as requester_salts,
          string_agg(case when g.seq is null then substr(s.inputs_salts, 1 + 24 * i, 24) else repeat('A', 24) end, ''
            order by i) as inputs_salts
        from log_spans as s join these using (from_seq)
          cross join lateral generate_series(0, cast(s.to_seq - s.from_seq as integer)) as i
          left join gone as g on g.seq = s.from_seq + i
        group by s.from_seq
      )
      update log_spans as s set leaves = c.leaves, requester_salts = c.requester_salts, inputs_salts = c.inputs_salts
        from changed as c where s.from_seq = c.from_seq;
      return null;
    end $$`,
  },
  {
    postgres: `create or replace function log_forget_changed() returns trigger language plpgsql as $$ begin
      update settings set value = cast(cast(value as bigint) + 1 as text) where name = 'log_forgotten' and exists (
        select 1 from was, settings as s where s.name = 'log_sealed_to' and was.seq > cast(s.value as bigint));
      update log_leaves as l set inputs_salt = null from was join became as b using (seq)
        where l.seq = was.seq and b.inputs is distinct from was.inputs;
      update log_leaves as l set requester_salt = null, inputs_salt = null from was join became as b using (seq)
        where l.seq = was.seq and (b.requester_id is distinct from was.requester_id or b.claimed is distinct from was.claimed);
      with less as (
        select seq, b.requester_id is distinct from was.requester_id or b.claimed is distinct from was.claimed as named,
          b.inputs is distinct from was.inputs as asked from was join became as b using (seq)
      ), these as (
        select distinct s.from_seq from less cross join lateral (
          select l.from_seq, l.to_seq from log_spans as l where l.from_seq <= less.seq order by l.from_seq desc limit 1
        ) as s where s.to_seq >= less.seq and (named or asked)
      ), changed as (
        select s.from_seq,
          string_agg(case when named then repeat('A', 24) else substr(s.requester_salts, 1 + 24 * i, 24) end, ''
            order by i) as requester_salts,
          string_agg(case when named or asked then repeat('A', 24) else substr(s.inputs_salts, 1 + 24 * i, 24) end, ''
            order by i) as inputs_salts
        from log_spans as s join these using (from_seq)
          cross join lateral generate_series(0, cast(s.to_seq - s.from_seq as integer)) as i
          left join less on less.seq = s.from_seq + i
        group by s.from_seq
      )
      update log_spans as s set requester_salts = c.requester_salts, inputs_salts = c.inputs_salts
        from changed as c where s.from_seq = c.from_seq;
      update log_trees set requester_id = null, salt = null where requester_id in (
        select was.requester_id from was join became as b using (seq) where b.requester_id <> was.requester_id);
      return null;
    end $$`,
  },
];
